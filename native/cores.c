/* Which core a worker has.
 *
 * A worker has one core: keeper, zygote, init and program hand over to each other there, and no page or cache line has to
 * travel, which is worth a quarter of a short run's time. A run sees that one core from beginning to end, so that
 * what a program finds (sched_getaffinity(2)), and how many threads a runtime starts, does not depend on how busy the
 * machine is. Workers begin on different cores; one that has to share its core moves to another that has had time to
 * spare for a while, and when it has had nothing to do it goes home: so the next batch begins spread over the cores,
 * wherever the end of the last one has left them.
 */
#include "box.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ull

static cpu_set_t every_core, the_core;

static void bind_thread(pid_t tid) { sched_setaffinity(tid, sizeof the_core, &the_core); }

void core_bind(struct worker *worker)
{
    if (worker->core < 0)
        return;
    bind_thread(0);
    for (int kind = 0; kind < ZYGOTES; kind++)
        if (worker->zygotes[kind].pid > 0)
            bind_thread(worker->zygotes[kind].pid);
}

static void settle(struct worker *worker, int core)
{
    worker->core = core;
    CPU_ZERO(&the_core);
    CPU_SET((unsigned)core, &the_core);
}

/* The core that had most to spare since the last call and before that, if that was a quarter of the time or more; else
 * -1, as when the last call is so near that the kernel's ticks say nothing, or so far that they tell of another time: of
 * before a batch, when every core had time to spare. */
static int idlest(struct worker *worker)
{
    static uint64_t idle_before[CPU_SETSIZE], all_before[CPU_SETSIZE], read_ns;
    static int best_before = -1;
    char text[16384];
    int best = -1;
    double most = 0.25;
    uint64_t now = now_ns();
    uint64_t since = now - read_ns;
    if (since < 200 * MS)
        return -1;
    read_ns = now;
    int fd = openat(worker->watch.proc, "stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close_fd(&fd);
    if (n <= 0)
        return -1;
    text[n] = 0;
    for (char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        unsigned core;
        unsigned long long t[8];
        if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &core, t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6,
                   t + 7) != 9 || core >= CPU_SETSIZE)
            continue;
        uint64_t all = t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7], idle = t[3] + t[4];
        double spare = all > all_before[core] && all_before[core]
                           ? (double)(idle - idle_before[core]) / (double)(all - all_before[core]) : 0;
        idle_before[core] = idle;
        all_before[core] = all;
        if ((int)core != worker->core && CPU_ISSET(core, &every_core) && spare > most) {
            most = spare;
            best = (int)core;
        }
    }
    if (since > 500 * MS)
        best = -1;
    bool again = best == best_before;
    best_before = best;
    return again ? best : -1;
}

void core_take(struct worker *worker)
{
    worker->core = worker->home = -1;
    if (sched_getaffinity(0, sizeof every_core, &every_core) < 0 || CPU_COUNT(&every_core) < 2)
        return;
    int core = -1;
    for (uint32_t steps = worker->config->worker % (uint32_t)CPU_COUNT(&every_core) + 1; steps; steps--)
        do
            core = (core + 1) % CPU_SETSIZE;
        while (!CPU_ISSET((unsigned)core, &every_core));
    worker->home = core;
    settle(worker, core);
    core_bind(worker);
}

void core_home(struct worker *worker)
{
    settle(worker, worker->home);
    core_bind(worker);
}

/* Short runs end before anybody looks: so now and then, between two of them, how long the keeper itself stood in the
 * queue. */
void core_review(struct worker *worker)
{
    char text[128];
    unsigned long long waited;
    uint64_t now = now_ns();
    if (worker->core < 0 || now - worker->core_seen_ns < 20 * MS)
        return;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close_fd(&fd);
    if (n <= 0)
        return;
    text[n] = 0;
    if (sscanf(text, "%*u %llu", &waited) != 1)
        return;
    if (worker->core_seen_ns && waited - worker->core_waited_ns > (now - worker->core_seen_ns) / 8) {
        int core = idlest(worker);
        if (core >= 0 && now / 1000 & 1) {
            settle(worker, core);
            core_bind(worker);
        }
    }
    worker->core_seen_ns = now;
    worker->core_waited_ns = waited;
}

/* A run that lasts is not to share its core with our looking at it. */
void core_free(const struct worker *worker)
{
    if (worker->core >= 0)
        sched_setaffinity(0, sizeof every_core, &every_core);
}

/* `waited` of `since` nanoseconds were spent in the queue for the core. By the toss of a coin, or two runs that meet
 * on one core would move to the same other one together. */
void core_move(struct worker *worker, uint64_t waited, uint64_t since)
{
    int core = worker->core < 0 || waited < since / 8 ? -1 : idlest(worker);
    if (core < 0 || now_ns() / 1000 & 1)
        return;
    settle(worker, core);
    watch_each_thread(&worker->watch, bind_thread);
}
