/* One run, from request to result: start it, drain what it writes, hold it to its limits, see it gone.
 *
 * Owns the event loop of a run and the decision what ended it.
 *
 *   start ──► draining ──► program ended ──► nobody left ──► last bytes drained ──► result
 *                │                              ▲
 *                └── a limit met: kill ─────────┘
 *
 * Time is CPU time of the tree. The wall clock is a backstop for sleepers and leaves out the time in which
 * a thread stood runnable without a core, and that by which we ourselves were woken late (a virtual machine
 * that stood still), so that a loaded machine gives the verdicts of an idle one. A run that got so little of a
 * core that even that is hopeless is given up as our own failure, not the program's.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif

#define MS 1000000ull
#define WAIT_SAMPLE_NS (100 * MS)
#define LATE_NS (50 * MS)       /* later than this we are not by chance */
#define OVERLOAD_FACTOR 60      /* of the wall limit, and OVERLOAD_LEAST */
#define MOST_CREDIT 20         /* times the wall limit, without a control group */
#define OVERLOAD_LEAST_NS (120000 * MS)
#define HARVEST_NS (60000 * MS) /* for handing back files, when the program is over */
#define LARGEST_STACK (16ull << 30)
#define QUIET_NS (4 * MS)
#define LITTLE_DISK (256 << 10) /* no more than the kernel's own batches of charges blur */
#define FASTEST_GROWTH 8        /* bytes of memory a nanosecond, all cores together: how soon to look again */

uint64_t watch_proportional_bytes(struct watch *watch);

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

struct run {
    struct worker *worker;
    struct request *request;
    struct berth berth;
    pid_t program;   /* landlock, cold */
    int pidfd;       /* of the program (landlock, cold) */
    struct bounds bounds;
    bool freed;      /* the keeper is not bound to its core for now */
    bool ended;      /* the program is over: its limits hold no more */
    bool processes_met, disk_met; /* seen at a look */
    struct zygote_answer answer;
    int status;
    uint64_t began_ns, ended_ns, waited_ns, late_ns, sampled_at_ns, children_before_ns, maxrss_bytes, memory_peak, hidden_bytes,
        unlinked_bytes;
    enum killed_by killed_by;
    enum step failed;
    int error;
};

static bool is_inside(const struct run *run) { return run->worker->config->level == LEVEL_NAMESPACES; }

/* ---- starting ---- */

static uint64_t children_cpu_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000u +
           ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
}

/* It is also the default of threads, whose stacks the kernel refuses when one is more than all memory. */
static uint64_t largest_stack(void)
{
    static uint64_t half;
    if (!half)
        half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    return least(half, LARGEST_STACK);
}

static void plan_bounds(struct run *run)
{
    struct worker *worker = run->worker;
    const struct limits *limits = &run->request->limits;
    bool bare = worker->config->level == LEVEL_LANDLOCK;
    run->bounds = (struct bounds){
        /* A second line behind our own clock, and far behind it: the kernel counts whole ticks here, on a busy host a
         * tenth too many and more, and who is over dies of a signal, as if by a fault of its own. */
        .cpu_s = limits->cpu_ns == UNLIMITED ? UNLIMITED : 2 * (limits->cpu_ns / 1000000000u) + 10,
        .stack_bytes = least(limits->memory_bytes, largest_stack()),
        .open_files = limits->open_files,
        .processes = limits->processes,
        .file_bytes = bare ? limits->disk_bytes : UNLIMITED,
    };
    /* RLIMIT_NPROC counts all tasks of the user in the user namespace (Linux 5.14): the keeper's own too.
     * Where a control group counts exactly it is a second line. Bare, it counts the user's whole session,
     * so there it only stops an explosion, and the watch counts. */
    if (limits->processes != UNLIMITED)
        run->bounds.processes += bare ? (worker->change_identity ? 2 : 1024)
                                 : worker->change_identity ? (worker->cgroup.version ? 8 : 0)
                                 : 2 + (worker->zygotes[0].pid > 0) + (worker->zygotes[1].pid > 0) +
                                       (worker->cgroup.version ? 8 : 0);
}

/* Whether the program is called as most are: then what the zygote has prepared will do as it is. */
static bool is_plain(const struct config *config, const struct request *request)
{
    if (request->argv.count != 1 || strcmp(request->argv.items[0].data, "main.py") ||
        request->env.count + ZYGOTES_OWN != config->zygote_env.count)
        return false;
    for (size_t i = 0; i < request->env.count; i++)
        if (strcmp(request->env.items[i].data, config->zygote_env.items[i].data))
            return false;
    return true;
}

/* The word to those who stand ready. From here on only the program holds the far ends of its streams. */
static int let_go(struct run *run)
{
    struct berth *berth = &run->berth;
    struct request *request = run->request;
    bool plain = request->warm && is_plain(run->worker->config, request);
    struct go go = {.bounds = run->bounds, .disk_bytes = request->limits.disk_bytes, .plain = plain};
    int failed = send_go(request->warm ? berth->go : berth->control, go, plain ? NULL : &request->argv,
                         plain ? NULL : &request->env, request->warm ? NULL : &request->fetch,
                         (const int[GIVEN]){request->in, request->out >= 0 ? request->out : berth->out_end, berth->err_end,
                                            code_lend(run->worker, request)});
    int error = errno;
    close_fd(&request->in);
    close_fd(&request->out);
    close_fd(&berth->out_end);
    close_fd(&berth->err_end);
    close_fd(&berth->report_end);
    close_fd(&berth->go);
    errno = error;
    return failed;
}

/* Of two that talk to each other, each tells the other when he begins, and neither's clock runs before both have. */
static void begin(struct run *run)
{
    run->children_before_ns = children_cpu_ns();
    run->began_ns = run->sampled_at_ns = now_ns();
    if (run->request->meet >= 0)
        send(run->request->meet, &run->began_ns, sizeof run->began_ns, MSG_NOSIGNAL);
}

/* What was foreseen serves this run, or it goes and another is made. */
static enum step start_inside(struct run *run, char *why, size_t why_size)
{
    struct worker *worker = run->worker;
    struct request *request = run->request;
    struct berth *next = &worker->next;
    enum step step = STEP_NONE;
    if (next->init <= 0)
        berth_parted(worker); /* two at a time may have been too many for this host's limits */
    if (next->init > 0 && (next->disk_bytes != request->limits.disk_bytes ||
                           (next->ordered && (!request->warm || next->kind != request->kind)) ||
                           !cgroup_rested(&worker->cgroup, request->limits.memory_bytes) ||
                           berth_hear(worker, next, &run->error) != STEP_NONE)) {
        berth_leave(worker, next);
        berth_close(next);
    }
    if (next->init <= 0) {
        step = berth_make(worker, next, &request->limits, &run->error);
        if (step == STEP_NONE)
            step = berth_hear(worker, next, &run->error);
        errno = run->error;
    }
    if (step == STEP_NONE && request->warm && !next->ordered)
        step = berth_man(worker, next, request->kind, why, why_size);
    run->berth = *next;
    *next = (struct berth){0};
    /* Files belong to the program. Not by setfsuid(), which takes our PR_SET_PDEATHSIG from us (prctl(2)). */
    if (step == STEP_NONE &&
        workdir_lay(run->berth.work, &request->files, worker->change_identity ? (int64_t)worker->uid : -1) < 0)
        step = STEP_RUN_FILE;
    berth_parted(worker);
    if (step == STEP_NONE && cgroup_begin(&worker->cgroup, &request->limits) < 0)
        step = STEP_CGROUP_LIMIT;
    if (step != STEP_NONE)
        return step;
    run->berth.out.limit = run->berth.err.limit = request->limits.output_bytes;
    plan_bounds(run);
    begin(run);
    return let_go(run) < 0 ? (request->warm ? STEP_ZYGOTE_LOST : STEP_INIT_LOST) : STEP_NONE;
}

static enum step lay_bare(struct run *run)
{
    struct worker *worker = run->worker;
    char work_path[512], tmp_path[512];
    snprintf(work_path, sizeof work_path, "%s/run/work", worker->temp_path);
    snprintf(tmp_path, sizeof tmp_path, "%s/run/tmp", worker->temp_path);
    if (empty_directory(worker->temp) < 0 || mkdirat(worker->temp, "run", 0755) < 0 ||
        mkdirat(worker->temp, "run/work", 0755) < 0 || mkdirat(worker->temp, "run/tmp", 0755) < 0)
        return STEP_RUN_FILE;
    run->berth.work = openat(worker->temp, "run/work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (run->berth.work < 0 || workdir_lay(run->berth.work, &run->request->files, -1) < 0)
        return STEP_RUN_FILE;
    if (worker->change_identity)
        for (const char *const *name = (const char *const[]){"run/work", "run/tmp", NULL}; *name; name++)
            if (fchownat(worker->temp, *name, worker->uid, worker->gid, 0) < 0)
                return STEP_IDENTITY;
    run->berth.lockdown.ruleset = landlock_ruleset_bare(&worker->config->binds, &worker->config->devices,
                                                        (const char *const[]){work_path, tmp_path, NULL});
    return run->berth.lockdown.ruleset < 0 ? STEP_LANDLOCK : STEP_NONE;
}

static enum step start_bare(struct run *run, char *why, size_t why_size)
{
    struct worker *worker = run->worker;
    struct request *request = run->request;
    struct berth *berth = &run->berth;
    enum step step = berth_open(worker, berth);
    if (step == STEP_NONE)
        step = lay_bare(run);
    if (step == STEP_NONE && request->warm)
        step = berth_man(worker, berth, request->kind, why, why_size);
    if (step != STEP_NONE)
        return step;
    berth->out.limit = berth->err.limit = request->limits.output_bytes;
    plan_bounds(run);
    begin(run);
    if (request->warm)
        return let_go(run) < 0 ? STEP_ZYGOTE_LOST : STEP_NONE;
    char **argv = list_argv(&request->argv), **env = list_argv(&request->env);
    if (argv && env)
        run->program = start_program(&berth->lockdown, &run->bounds, argv, env,
                                     (const int[]){request->in, request->out >= 0 ? request->out : berth->out_end, berth->err_end},
                                     berth->report_end, &step, &run->error);
    else
        step = STEP_MEMORY;
    free(argv);
    free(env);
    if (step != STEP_NONE) {
        if (run->program > 0)
            waitpid(run->program, NULL, 0);
        errno = run->error;
        return step;
    }
    worker->watch.group = run->program;
    run->pidfd = (int)syscall(__NR_pidfd_open, run->program, 0);
    if (run->pidfd < 0)
        return STEP_MEMORY;
    fcntl(run->pidfd, F_SETFD, FD_CLOEXEC);
    close_fd(&request->in);
    close_fd(&request->out);
    close_fd(&berth->out_end);
    close_fd(&berth->err_end);
    close_fd(&berth->report_end);
    return STEP_NONE;
}

/* Between two runs, while nobody waits: the place of the next one, which most often is like the last. What fails here
 * fails again when it is wanted, and is told then. */
void run_foresee(struct worker *worker)
{
    char why[512];
    int error;
    core_review(worker);
    if (worker->config->level != LEVEL_NAMESPACES || !worker->last.alike)
        return;
    enum step step = berth_make(worker, &worker->next, &worker->last.limits, &error);
    bool manned = worker->last.warm && worker->last.alike > 1;
    if (step == STEP_NONE && manned)
        step = berth_hear(worker, &worker->next, &error);
    if (step == STEP_NONE && manned)
        step = berth_man(worker, &worker->next, worker->last.kind, why, sizeof why);
    if (step != STEP_NONE) {
        berth_leave(worker, &worker->next);
        berth_close(&worker->next);
    }
}

/* ---- limits ---- */

static void kill_run(struct run *run)
{
    if (run->berth.init > 0)
        kill(run->berth.init, SIGKILL); /* and with it everything in its pid namespace */
    else
        watch_kill(&run->worker->watch);
}

static void stop_for(struct run *run, enum killed_by why)
{
    if (run->ended)
        return; /* too late: it has its result */
    if (run->killed_by == KILLED_NOT)
        run->killed_by = why;
    kill_run(run);
}

static uint64_t disk_bytes(struct run *run)
{
    struct statfs disk;
    if (is_inside(run))
        return fstatfs(run->berth.work, &disk) < 0 ? 0 : (disk.f_blocks - disk.f_bfree) * (uint64_t)disk.f_bsize;
    uint64_t entries = 0;
    int fd = openat(run->worker->temp, "run", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    uint64_t used = fd < 0 ? 0 : tree_bytes(fd, &entries, 0);
    return used + run->unlinked_bytes + entries * 1024; /* an entry costs an inode, whatever is in it */
}

/* Bare, those who lose their parents come to the keeper: they are let go, or they would count as processes. */
static void reap_orphans(struct run *run)
{
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid || info.si_pid == run->program)
            return;
        for (int i = 0; i < ZYGOTES; i++)
            if (info.si_pid == run->worker->zygotes[i].pid)
                return;
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}

/* Without a control group. The quick sum counts pages that forks share once for each; the careful one divides them, and
 * looks twice, because between vfork() and exec() two processes are one. */
static uint64_t memory_used(struct run *run, uint64_t disk, bool careful)
{
    struct watch *watch = &run->worker->watch;
    uint64_t used = run->hidden_bytes + (is_inside(run) ? disk : 0); /* bare, files lie on a disk of the host */
    if (!careful)
        return used + watch->memory_bytes;
    uint64_t once = watch_proportional_bytes(watch);
    struct timespec pause = {0, 2 * MS};
    if (used + once > run->request->limits.memory_bytes) {
        nanosleep(&pause, NULL);
        once = least(once, watch_proportional_bytes(watch));
    }
    return used + once;
}

/* Looked up when there is a look anyway: short runs need not know. Who ends without a word has failed, and says so. */
static void meet(struct run *run, uint64_t now)
{
    uint64_t there = 0;
    ssize_t n = recv(run->request->meet, &there, sizeof there, MSG_DONTWAIT);
    if (n < 0 && errno != ECONNRESET)
        there = now;
    else
        close_fd(&run->request->meet);
    if (there > run->began_ns)
        run->began_ns = least(there, now);
}

/* Looks at what the run uses; ends it where a limit is met; says when to look again. */
static uint64_t look(struct run *run, uint64_t now)
{
    static long cores;
    struct worker *worker = run->worker;
    const struct limits *limits = &run->request->limits;
    bool bare = worker->config->level == LEVEL_LANDLOCK;
    bool grouped = worker->cgroup.version != 0;
    uint64_t next = now + 1000 * MS, cpu;
    if (!cores && (cores = sysconf(_SC_NPROCESSORS_ONLN)) < 1)
        cores = 1;

    if (run->request->meet >= 0)
        meet(run, now);
    uint64_t since = now - run->sampled_at_ns;
    bool due = limits->wall_ns != UNLIMITED && now - run->began_ns >= limits->wall_ns + run->waited_ns;
    bool thorough = since >= WAIT_SAMPLE_NS / 2 || due;
    uint64_t disk = bare || !grouped || thorough ? disk_bytes(run) : 0;
    if (limits->disk_bytes != UNLIMITED && disk + 65536 >= limits->disk_bytes)
        run->disk_met = true;
    if (grouped) {
        cpu = cgroup_cpu_ns(&worker->cgroup);
        if (cgroup_out_of_memory(&worker->cgroup)) {
            stop_for(run, KILLED_MEMORY);
            return next;
        }
        if (!worker->cgroup.peak_resets) {
            cgroup_memory_sample(&worker->cgroup);
            next = least(next, now + 20 * MS);
        }
    } else {
        if (bare)
            reap_orphans(run);
        watch_usage(&worker->watch, true);
        /* those who were reaped by init, or by us, are in nobody's tree any more */
        cpu = worker->watch.cpu_ns + (bare ? children_cpu_ns() - run->children_before_ns
                                           : watch_waited_cpu_ns(&worker->watch, run->berth.init));
        if (worker->watch.threads >= limits->processes)
            run->processes_met = true;
        if (thorough)
            watch_hidden(&worker->watch, bare ? worker->temp_path : NULL, &run->hidden_bytes, &run->unlinked_bytes);
        uint64_t used = memory_used(run, disk, false);
        if (used > limits->memory_bytes)
            used = memory_used(run, disk, true);
        if (used > run->memory_peak)
            run->memory_peak = used;
        if (limits->memory_bytes != UNLIMITED) {
            if (used > limits->memory_bytes) {
                stop_for(run, KILLED_MEMORY);
                return next;
            }
            uint64_t soon = (limits->memory_bytes - used) / FASTEST_GROWTH;
            next = least(next, now + (soon < 2 * MS ? 2 * MS : soon > 50 * MS ? 50 * MS : soon));
        }
        if (bare) {
            next = least(next, now + 20 * MS);
            if (disk > limits->disk_bytes) {
                stop_for(run, KILLED_DISK);
                return next;
            }
            if (worker->watch.threads > limits->processes) {
                stop_for(run, KILLED_PROCESSES);
                return next;
            }
        }
    }
    if (limits->cpu_ns != UNLIMITED) {
        if (cpu >= limits->cpu_ns) {
            stop_for(run, KILLED_CPU);
            return next;
        }
        uint64_t soon = (limits->cpu_ns - cpu) / (uint64_t)cores;
        next = least(next, now + (soon < MS ? MS : soon));
    }
    if (thorough) {
        bool foreign;
        uint64_t waited = watch_waited_ns(&worker->watch, since, &foreign);
        bool late = run->late_ns > waited;
        waited = least(late ? run->late_ns : waited, since);
        run->late_ns = 0;
        /* Without a control group a tree can hide what its children use, and would be paid for crowding itself out: so
         * waiting counts only where others want the core too, and not without end. */
        if (grouped || ((foreign || late) && run->waited_ns < limits->wall_ns * MOST_CREDIT))
            run->waited_ns += waited;
        run->sampled_at_ns = now;
        if (foreign)
            core_move(run->worker, waited, since);
    }
    next = least(next, run->sampled_at_ns + WAIT_SAMPLE_NS);
    if (limits->wall_ns != UNLIMITED) {
        uint64_t end = run->began_ns + limits->wall_ns + run->waited_ns;
        if (now >= end) {
            stop_for(run, KILLED_WALL);
            return next;
        }
        uint64_t hopeless = least(limits->wall_ns, UNLIMITED / OVERLOAD_FACTOR - 1) * OVERLOAD_FACTOR;
        if (now - run->began_ns > (hopeless > OVERLOAD_LEAST_NS ? hopeless : OVERLOAD_LEAST_NS)) {
            stop_for(run, KILLED_OVERLOAD);
            return next;
        }
        next = least(next, end);
    }
    return next > now ? next : now + MS;
}

static uint64_t first_look(const struct run *run)
{
    const struct limits *limits = &run->request->limits;
    uint64_t wait = WAIT_SAMPLE_NS;
    if (!run->worker->cgroup.version) {
        wait = 20 * MS;
        if (limits->memory_bytes != UNLIMITED)
            wait = least(wait, limits->memory_bytes / FASTEST_GROWTH);
    }
    if (limits->cpu_ns != UNLIMITED)
        wait = least(wait, limits->cpu_ns / 4);
    return run->began_ns + (wait < MS ? MS : wait);
}

/* ---- the loop ---- */

/* Whether there was memory for all that came. Where there was not, it is our own failure, and the run is over. */
static bool kept_all(struct run *run)
{
    const struct berth *berth = &run->berth;
    if (!berth->out.lost && !berth->err.lost && !berth->reports.lost)
        return true;
    if (run->failed == STEP_NONE) {
        run->failed = STEP_MEMORY;
        run->error = ENOMEM;
    }
    return false;
}

/* What came on the report pipe so far: of a zygote's child that failed, then of init. Reports are followed by records of
 * fetched files, once the run has ended. */
static void read_reports(struct run *run)
{
    const struct report *report = (const struct report *)(const void *)run->berth.reports.data;
    for (size_t i = 0; i < 2 && (i + 1) * sizeof *report <= run->berth.reports.length; i++) {
        if (report[i].kind == REPORT_FAILED && run->failed == STEP_NONE) {
            run->failed = (enum step)report[i].step;
            run->error = report[i].error;
        }
        if (report[i].kind == REPORT_STARTED)
            run->worker->watch.group = report[i].status;
        if (report[i].kind == REPORT_ENDED) {
            if (!run->ended)
                run->ended_ns = report[i].end_ns;
            run->ended = true;
            break;
        }
    }
}

/* Whether init handed back all files that it meant to: records to the last byte, and the last is the end. */
static bool fetched_whole(const struct run *run, size_t offset)
{
    struct record head = {.tag = TAG_FETCHED};
    while (offset + sizeof head <= run->berth.reports.length) {
        memcpy(&head, run->berth.reports.data + offset, sizeof head);
        offset += sizeof head;
        if (head.tag == TAG_END || head.length > run->berth.reports.length - offset)
            break;
        offset += head.length;
    }
    return head.tag == TAG_END && offset == run->berth.reports.length;
}

static const struct report *final_report(const struct run *run, size_t *offset)
{
    const struct report *report = (const struct report *)(const void *)run->berth.reports.data;
    for (size_t i = 0; i < 2 && (i + 1) * sizeof *report <= run->berth.reports.length; i++)
        if (report[i].kind == REPORT_ENDED) {
            *offset = (i + 1) * sizeof *report;
            return &report[i];
        }
    return NULL;
}

static void take_answer(struct run *run)
{
    struct berth *berth = &run->berth;
    berth->ordered = false;
    if (zygote_result(run->worker, berth->kind, &run->answer) < 0) {
        if (run->failed == STEP_NONE)
            run->failed = STEP_ZYGOTE_LOST;
        kill_run(run);
        berth_leave(run->worker, berth);
    } else {
        run->ended_ns = now_ns();
        run->status = run->answer.status;
        struct go harvest = {.disk_bytes = run->request->limits.disk_bytes};
        if (is_inside(run) && send_go(berth->control, harvest, NULL, NULL, &run->request->fetch, NULL) < 0)
            kill_run(run); /* init is gone: seen as such */
    }
    run->ended = true;
}

static void take_exit(struct run *run)
{
    struct rusage usage;
    if (wait4(run->program, &run->status, 0, &usage) == run->program)
        run->maxrss_bytes = (uint64_t)usage.ru_maxrss << 10;
    run->ended = true;
    run->ended_ns = now_ns();
}

/* Not the wall clock: on a busy machine a look may take long because others are at work, and then it is soon due again. */
static uint64_t own_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* False: the parent is gone. */
static bool attend(struct run *run)
{
    struct worker *worker = run->worker;
    size_t unused;
    bool inside = is_inside(run), out_open = true, err_open = true, reports_open = true, over = false;
    uint64_t next = first_look(run);
    /* Inside, the end is the end of init: then everybody else in its namespaces is gone too. */
    while (inside ? !over : !run->ended) {
        bool answering = run->berth.ordered;
        struct pollfd on[6] = {
            {.fd = out_open ? run->berth.out.fd : -1, .events = POLLIN},
            {.fd = err_open ? run->berth.err.fd : -1, .events = POLLIN},
            {.fd = reports_open ? run->berth.reports.fd : -1, .events = POLLIN},
            {.fd = worker->parent, .events = POLLRDHUP},
            {.fd = answering ? worker->zygotes[run->berth.kind].socket : run->program > 0 ? run->pidfd : -1, .events = POLLIN},
            {.fd = inside ? run->berth.pidfd : -1, .events = POLLIN},
        };
        uint64_t now = now_ns();
        /* What a short program says waits in the pipe: who has it to do with to the end is not woken on the way. */
        bool quiet = inside && !run->ended && now < run->began_ns + QUIET_NS;
        if (quiet)
            on[0].fd = on[1].fd = -1;
        if (run->ended && now >= run->ended_ns + HARVEST_NS && run->failed == STEP_NONE) {
            run->failed = STEP_FETCH;
            kill_run(run);
        }
        if (run->ended)
            next = now + 1000 * MS;
        if (now >= next && run->killed_by == KILLED_NOT) {
            core_free(worker);
            run->freed = true;
            uint64_t before = own_cpu_ns();
            next = look(run, now);
            uint64_t spent = own_cpu_ns() - before; /* a tree of thousands is dear to look at: never more than a fifth of the time */
            if (next < now + 5 * spent)
                next = now + 5 * spent;
            if (!inside && run->killed_by != KILLED_NOT && run->program > 0)
                take_exit(run);
            continue;
        }
        uint64_t until = quiet ? least(next, run->began_ns + QUIET_NS) : next;
        struct timespec wait = {(time_t)((until - now) / 1000000000u), (long)((until - now) % 1000000000u)};
        if (ppoll(on, 6, run->killed_by == KILLED_NOT ? &wait : NULL, NULL) < 0 && errno != EINTR)
            return false;
        uint64_t woken = now_ns();
        if (woken > until + LATE_NS)
            run->late_ns += woken - until;
        if (on[0].revents)
            out_open = drain(&run->berth.out);
        if (on[1].revents)
            err_open = drain(&run->berth.err);
        if ((run->berth.out.cut || run->berth.err.cut) && (out_open || err_open)) {
            out_open = out_open && !run->berth.out.cut;
            err_open = err_open && !run->berth.err.cut;
            stop_for(run, KILLED_OUTPUT);
        }
        if (on[4].revents)
            answering ? take_answer(run) : take_exit(run);
        if (on[2].revents) {
            reports_open = drain(&run->berth.reports);
            read_reports(run);
            if (run->failed != STEP_NONE && !run->request->warm)
                kill_run(run);
        }
        if (!kept_all(run)) {
            out_open = err_open = reports_open = false;
            kill_run(run);
        }
        /* When init says so, nobody but itself is left: nothing more can come, unless it is to hand back files. */
        over = on[5].revents || run->berth.init <= 0 || (inside && run->ended && final_report(run, &unused) && !run->request->fetch.count);
        if (on[3].revents & (POLLRDHUP | POLLHUP | POLLERR)) {
            kill_run(run);
            return false;
        }
    }
    return true;
}

/* The run has its result, and of all that was in its namespaces only init is left, and what lies on the disk. That is
 * charged to the control group until it is unmounted, and must not be taken for what the group rests at. */
static void part(struct run *run)
{
    if (disk_bytes(run) <= LITTLE_DISK)
        berth_part(run->worker, &run->berth);
    else
        berth_leave(run->worker, &run->berth);
}

/* Everything of the run is gone when this returns. */
static void bury(struct run *run)
{
    struct worker *worker = run->worker;
    struct berth *berth = &run->berth;
    if (worker->config->level == LEVEL_LANDLOCK) {
        close_fd(&berth->go); /* who was still waiting for the word goes */
        if (!watch_kill(&worker->watch))
            _exit(1); /* not one more run beside what is left: the launcher goes on killing */
    } else if (berth->init > 0) {
        kill(berth->init, SIGKILL);
    }
    if (berth->ordered)
        take_answer(run); /* init cannot be reaped before the zygote has reaped its child */
    berth_leave(worker, berth);
    drain(&berth->out);
    drain(&berth->err);
    drain(&berth->reports);
    read_reports(run);
    kept_all(run);
}

static void conclude(struct run *run, struct result *result)
{
    struct worker *worker = run->worker;
    size_t unused;
    const struct report *report = is_inside(run) ? final_report(run, &unused) : NULL;
    if (!run->ended_ns)
        run->ended_ns = report && report->end_ns ? report->end_ns : now_ns();
    if (report && report->start_ns)
        run->began_ns = report->start_ns;
    if (report && !run->request->warm)
        run->status = report->status;
    if ((run->berth.out.cut || run->berth.err.cut) && run->killed_by == KILLED_NOT)
        run->killed_by = KILLED_OUTPUT; /* it ended by itself just as it was cut */
    if (!is_inside(run) && run->berth.work >= 0 && run->killed_by == KILLED_NOT &&
        disk_bytes(run) > run->request->limits.disk_bytes)
        run->killed_by = KILLED_DISK; /* between two looks */
    result->killed_by = run->killed_by;
    result->wall_ns = run->ended_ns > run->began_ns ? run->ended_ns - run->began_ns : 0;
    result->waited_ns = run->waited_ns;
    result->cpu_ns = run->answer.cpu_ns + (report ? report->cpu_ns : children_cpu_ns() - run->children_before_ns);
    if (worker->watch.cpu_ns > result->cpu_ns)
        result->cpu_ns = worker->watch.cpu_ns;
    uint64_t maxrss = run->maxrss_bytes > run->answer.maxrss_bytes ? run->maxrss_bytes : run->answer.maxrss_bytes;
    if (report && report->maxrss_bytes > maxrss)
        maxrss = report->maxrss_bytes;
    result->memory_bytes = maxrss > run->memory_peak ? maxrss : run->memory_peak;
    cgroup_end(&worker->cgroup, result);
    if (run->berth.out.cut)
        result->flags |= RESULT_STDOUT_CUT;
    if (run->berth.err.cut)
        result->flags |= RESULT_STDERR_CUT;
    /* bare, RLIMIT_FSIZE stops a file just there */
    if (run->disk_met || (report && report->disk_full) ||
        (!is_inside(run) && run->request->limits.disk_bytes != UNLIMITED &&
         disk_bytes(run) + 65536 >= run->request->limits.disk_bytes))
        result->flags |= RESULT_DISK_FULL;
    if (run->processes_met)
        result->flags |= RESULT_PROCESSES_MET;
    if (WIFEXITED(run->status)) {
        result->exit_code = WEXITSTATUS(run->status);
    } else {
        result->exit_code = -1;
        result->signal = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : SIGKILL;
    }
    if (run->killed_by != KILLED_NOT) {
        result->exit_code = -1;
        result->signal = SIGKILL;
    }
}

#define HELD (64 << 10)
#define HELD_NS (20 * MS)
#define LONG_NS (100 * MS)
#define LONG_BYTES (1 << 20)

static int say_held(struct worker *worker)
{
    int failed = worker->held.used ? write_exactly(worker->parent, worker->held.base, worker->held.used) : 0;
    worker->held.used = 0;
    return failed;
}

/* Whole answers, or what of one comes before the files. All at once: the parent is woken once; where it has asked for
 * more already, once for several. */
static int say(const struct run *run, const uint32_t *tags, const struct text *parts, int count)
{
    struct worker *worker = run->worker;
    if (!worker->held.room)
        arena_open(&worker->held, HELD);
    if (!worker->held.used)
        worker->held_ns = run->ended_ns;
    bool fits = put_records(&worker->held, tags, parts, count) == 0;
    if (fits && run->request->more && !run->request->cut && !run->request->fetch.count && run->ended_ns - worker->held_ns < HELD_NS)
        return 0;
    return say_held(worker) < 0 || (!fits && send_records(worker->parent, tags, parts, count) < 0) ? -1 : 0;
}

static int answer(struct run *run, struct result *result)
{
    int to = run->worker->parent;
    run->request->cut = run->request->more && (result->wall_ns > LONG_NS || run->killed_by != KILLED_NOT ||
                                               run->berth.out.length + run->berth.err.length > LONG_BYTES);
    if (run->request->cut)
        result->flags |= RESULT_ROW_ENDED;
    size_t offset = 0;
    const struct text parts[] = {{(char *)result, sizeof *result}, {run->berth.out.data, run->berth.out.length},
                                 {run->berth.err.data, run->berth.err.length}, {NULL, 0}};
    const uint32_t tags[] = {TAG_RESULT, TAG_STDOUT, TAG_STDERR, TAG_END};
    bool handed = is_inside(run) ? final_report(run, &offset) && run->killed_by == KILLED_NOT : run->berth.work >= 0;
    bool more = run->request->fetch.count && handed;
    if (say(run, tags, parts, more ? 3 : 4) < 0)
        return -1;
    if (!more)
        return 0;
    if (is_inside(run)) /* init wrote whole records, the end among them: they are passed on as they are */
        return write_exactly(to, run->berth.reports.data + offset, run->berth.reports.length - offset);
    return workdir_fetch(run->berth.work, &run->request->fetch, to, run->request->limits.disk_bytes);
}

static void finish_run(struct run *run)
{
    struct worker *worker = run->worker;
    bool bare = worker->config->level == LEVEL_LANDLOCK;
    const struct request *request = run->request;
    if (run->freed)
        core_bind(worker);
    close_fd(&run->pidfd);
    if (bare && run->berth.lockdown.ruleset >= 0)
        close(run->berth.lockdown.ruleset);
    berth_close(&run->berth);
    if (bare)
        empty_directory(worker->temp);
    bool same = worker->last.warm == request->warm && (!request->warm || worker->last.kind == request->kind);
    worker->last.alike = same ? worker->last.alike + 1 : 1;
    worker->last.warm = request->warm;
    worker->last.kind = request->kind;
    worker->last.limits = request->limits;
}

int run_one(struct worker *worker, struct request *request)
{
    char why[512] = "";
    bool inside = worker->config->level == LEVEL_NAMESPACES;
    struct run run = {.worker = worker, .request = request, .pidfd = -1};
    worker->runs++;
    watch_forget(&worker->watch);
    enum step step = inside ? start_inside(&run, why, sizeof why) : start_bare(&run, why, sizeof why);
    int error = errno;
    bool parent = true;
    struct result result = {0};
    if (step == STEP_NONE) {
        parent = attend(&run);
        step = run.failed;
        error = run.error;
    } else {
        run.failed = step;
        run.error = error;
    }
    /* The parent need not wait for the kernel to take the empty namespaces apart; the next run does. */
    size_t offset;
    bool early = inside && step == STEP_NONE && parent && run.killed_by == KILLED_NOT && !request->fetch.count &&
                 final_report(&run, &offset);
    if (early) {
        drain(&run.berth.out);
        drain(&run.berth.err);
        early = kept_all(&run);
    }
    if (early) {
        conclude(&run, &result);
        parent = answer(&run, &result) == 0;
    }
    if (early) {
        part(&run);
        finish_run(&run);
        return parent ? 0 : -1;
    }
    bury(&run);
    if (step == STEP_NONE && run.failed != STEP_NONE) {
        step = run.failed;
        error = run.error;
    }
    if (step == STEP_NONE && inside && run.killed_by == KILLED_NOT) {
        error = 0;
        if (!final_report(&run, &offset))
            step = STEP_INIT_LOST;
        else if (request->fetch.count && !fetched_whole(&run, offset))
            step = STEP_FETCH;
    }
    conclude(&run, &result);
    if (parent)
        parent = (step == STEP_NONE ? answer(&run, &result)
                  : say_held(worker) < 0 ? -1 : send_failure(worker->parent, step, error, why)) == 0;
    finish_run(&run);
    return parent ? 0 : -1;
}
