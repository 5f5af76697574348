/* What a process tree uses, read from /proc: where no control group counts, and for waiting times everywhere.
 *
 * Owns the answer to "which processes belong to the run". Inside a worker's pid namespace that is every
 * process but the keeper's own; without one it is every descendant of the keeper, which as a subreaper
 * (prctl(2)) inherits all that double-fork away.
 */
#include "box.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PIDS = 32768 };
static pid_t pids[MOST_PIDS];

static ssize_t read_proc(int proc, const char *path, char *to, size_t room)
{
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, to, room - 1);
    close(fd);
    to[n < 0 ? 0 : n] = 0;
    return n;
}

static bool is_known(const struct watch *watch, pid_t pid)
{
    for (size_t i = 0; i < sizeof watch->known / sizeof *watch->known; i++)
        if (watch->known[i] == pid)
            return true;
    return false;
}

static size_t pids_of_namespace(struct watch *watch, pid_t *pids, size_t room)
{
    size_t count = 0;
    int copy = openat(watch->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    while (entries && count < room && (entry = readdir(entries))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (!is_known(watch, pid))
            pids[count++] = pid;
    }
    if (entries)
        closedir(entries);
    return count;
}

/* The children of every thread of `pid` (/proc/[pid]/task/[tid]/children, CONFIG_PROC_CHILDREN). */
static size_t children_of(struct watch *watch, pid_t pid, pid_t *pids, size_t count, size_t room)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "%d/task", (int)pid);
    int fd = openat(watch->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *task;
    while (tasks && (task = readdir(tasks))) {
        if (!isdigit((unsigned char)task->d_name[0]))
            continue;
        snprintf(path, sizeof path, "%d/task/%.20s/children", (int)pid, task->d_name);
        int list = openat(watch->proc, path, O_RDONLY | O_CLOEXEC);
        if (list < 0)
            continue;
        ssize_t n;
        pid_t child = 0;
        while ((n = read(list, text, sizeof text)) > 0)
            for (ssize_t i = 0; i < n; i++) {
                if (isdigit((unsigned char)text[i])) {
                    child = child * 10 + (text[i] - '0');
                } else if (child) {
                    if (count < room)
                        pids[count++] = child;
                    child = 0;
                }
            }
        close(list);
    }
    if (tasks)
        closedir(tasks);
    return count;
}

int watch_tree(struct watch *watch, pid_t *pids, size_t room)
{
    if (watch->everyone)
        return (int)pids_of_namespace(watch, pids, room);
    /* Breadth first; the list is its own queue. The keeper's other children (the zygote) are walked through too. */
    size_t count = children_of(watch, getpid(), pids, 0, room);
    for (size_t i = 0; i < count; i++)
        count = children_of(watch, pids[i], pids, count, room);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_known(watch, pids[i]))
            pids[kept++] = pids[i];
    return (int)kept;
}

/* CPU time of a whole live process, to the nanosecond: the clock of its pid (clock_getcpuclockid(3)). */
static uint64_t process_cpu_ns(pid_t pid)
{
    struct timespec t;
    clockid_t clock = (clockid_t)((~(unsigned)pid << 3) | 2);
    return clock_gettime(clock, &t) < 0 ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Memory that no resident set shows, and files without a name. Dear, so asked ten times a second at most. */

enum { MOST_SEEN = 512, FREE_SOCKETS = 128 };

struct seen_inodes {
    unsigned long items[MOST_SEEN];
    int count;
};

static bool first_sight(struct seen_inodes *seen, unsigned long inode)
{
    for (int i = 0; i < seen->count; i++)
        if (seen->items[i] == inode)
            return false;
    if (seen->count < MOST_SEEN)
        seen->items[seen->count++] = inode;
    return true;
}

static uint64_t status_kilobytes(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Shared anonymous memory stays when a mapping's own pages are dropped: it counts by size, less what is resident. */
static uint64_t shared_bytes(struct watch *watch, pid_t pid, struct seen_inodes *seen)
{
    char path[64], line[512];
    unsigned long first, last, inode;
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%d/maps", (int)pid);
    int fd = openat(watch->proc, path, O_RDONLY | O_CLOEXEC);
    FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "/dev/zero (deleted)") && sscanf(line, "%lx-%lx %*s %*x %*s %lu", &first, &last, &inode) == 3 &&
            first_sight(seen, inode))
            bytes += last - first;
    if (maps)
        fclose(maps);
    return bytes;
}

static void count_descriptors(struct watch *watch, pid_t pid, const char *below, struct seen_inodes *seen,
                              uint64_t *sockets, uint64_t *unlinked)
{
    char path[64], link[512];
    snprintf(path, sizeof path, "%d/fd", (int)pid);
    int fd = openat(watch->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        ssize_t n = readlinkat(fd, entry->d_name, link, sizeof link - 1);
        struct stat about;
        link[n > 0 ? n : 0] = 0;
        if (!strncmp(link, "socket:", 7))
            (*sockets)++;
        else if (below && !strncmp(link, below, strlen(below)) && strstr(link, " (deleted)") &&
                 fstatat(fd, entry->d_name, &about, 0) == 0 && first_sight(seen, about.st_ino))
            *unlinked += (uint64_t)about.st_blocks * 512;
    }
    if (entries)
        closedir(entries);
}

void watch_hidden(struct watch *watch, const char *below, uint64_t *memory, uint64_t *unlinked)
{
    static struct seen_inodes mappings, files;
    char path[64], text[4096];
    uint64_t sockets = 0, shared = 0, resident = 0;
    int count = watch_tree(watch, pids, MOST_PIDS);
    mappings.count = files.count = 0;
    *memory = *unlinked = 0;
    for (int i = 0; i < count && i < 256; i++) {
        snprintf(path, sizeof path, "%d/status", (int)pids[i]);
        if (read_proc(watch->proc, path, text, sizeof text) > 0) {
            *memory += status_kilobytes(text, "VmPTE:") << 10;
            resident += status_kilobytes(text, "RssShmem:") << 10;
        }
        shared += shared_bytes(watch, pids[i], &mappings);
        count_descriptors(watch, pids[i], below, &files, &sockets, unlinked);
    }
    if (shared > resident)
        *memory += shared - resident;
    if (sockets > FREE_SOCKETS) /* each can hold a buffer's worth of unread bytes (net.core.wmem_default) */
        *memory += (sockets - FREE_SOCKETS) * (256u << 10);
}

/* CPU time of children that it has waited for: fields 16 and 17 of stat, in clock ticks (proc(5)). */
static uint64_t waited_cpu_ns(struct watch *watch, pid_t pid, uint64_t *threads)
{
    char path[32], text[1024];
    unsigned long user = 0, system = 0, count = 0;
    snprintf(path, sizeof path, "%d/stat", (int)pid);
    if (read_proc(watch->proc, path, text, sizeof text) <= 0)
        return 0;
    char *at = strrchr(text, ')'); /* the name before it may hold anything */
    if (!at || sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu %*d %*d %lu", &user, &system,
                      &count) != 3)
        return 0;
    *threads += count;
    return (uint64_t)(user + system) * (1000000000u / (unsigned long)sysconf(_SC_CLK_TCK));
}

static uint64_t statm_bytes(struct watch *watch, const char *path)
{
    char text[256];
    unsigned long pages = 0;
    if (read_proc(watch->proc, path, text, sizeof text) <= 0 || sscanf(text, "%*u %lu", &pages) != 1)
        return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t resident_bytes(struct watch *watch, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "%d/statm", (int)pid);
    uint64_t bytes = statm_bytes(watch, path);
    if (bytes)
        return bytes;
    /* A first thread that has ended leaves nothing there, whatever the others hold. */
    snprintf(path, sizeof path, "%d/task", (int)pid);
    int fd = openat(watch->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *task;
    while (tasks && !bytes && (task = readdir(tasks)))
        if (isdigit((unsigned char)task->d_name[0])) {
            snprintf(path, sizeof path, "%d/task/%.20s/statm", (int)pid, task->d_name);
            bytes = statm_bytes(watch, path);
        }
    if (tasks)
        closedir(tasks);
    return bytes;
}

/* Shared pages divided among those who share them: dear (it walks page tables), so only asked before a kill. */
static uint64_t proportional_bytes(struct watch *watch, pid_t pid)
{
    char path[32], text[2048];
    unsigned long kilobytes = 0;
    snprintf(path, sizeof path, "%d/smaps_rollup", (int)pid);
    if (read_proc(watch->proc, path, text, sizeof text) <= 0)
        return resident_bytes(watch, pid);
    char *at = strstr(text, "\nPss:");
    if (!at || sscanf(at, "\nPss: %lu", &kilobytes) != 1)
        return resident_bytes(watch, pid);
    return (uint64_t)kilobytes << 10;
}

uint64_t watch_waited_cpu_ns(struct watch *watch, pid_t pid)
{
    uint64_t unused = 0;
    return waited_cpu_ns(watch, pid, &unused);
}

void watch_usage(struct watch *watch, bool with_memory)
{
    int count = watch_tree(watch, pids, MOST_PIDS);
    uint64_t cpu = 0, memory = 0, threads = 0;
    for (int i = 0; i < count; i++) {
        cpu += process_cpu_ns(pids[i]) + waited_cpu_ns(watch, pids[i], &threads);
        if (with_memory)
            memory += resident_bytes(watch, pids[i]);
    }
    if (cpu > watch->cpu_ns) /* a process that vanished takes its time with it: never count back */
        watch->cpu_ns = cpu;
    watch->memory_bytes = memory;
    watch->processes = (uint64_t)count;
    watch->threads = threads;
}

uint64_t watch_proportional_bytes(struct watch *watch)
{
    int count = watch_tree(watch, pids, MOST_PIDS);
    uint64_t memory = 0;
    for (int i = 0; i < count; i++)
        memory += proportional_bytes(watch, pids[i]);
    return memory;
}

/* The first two numbers of schedstat: nanoseconds run, and runnable without running (CONFIG_SCHED_INFO). The kernel adds
 * a wait to the second when it is over: on a crowded core that may be seconds later, when the wall limit is long met. So
 * one who is runnable, and has neither run nor ended a wait since the last look, has waited since then; what is counted
 * so is taken off when the kernel says it too. */
static uint64_t note_delay(struct watch *watch, pid_t tid, uint64_t ran, uint64_t delay, bool wants_core, uint64_t since)
{
    for (size_t i = 0; i < watch->seen_count; i++)
        if (watch->seen[i].tid == tid) {
            struct sighting *seen = &watch->seen[i];
            uint64_t more = delay > seen->delay_ns ? delay - seen->delay_ns : 0;
            if (more) {
                uint64_t known = more < seen->ahead_ns ? more : seen->ahead_ns;
                more -= known;
                seen->ahead_ns = 0;
            } else if (wants_core && ran == seen->ran_ns) {
                more = since;
                seen->ahead_ns += since;
            }
            seen->ran_ns = ran;
            seen->delay_ns = delay;
            return more;
        }
    if (watch->seen_count == watch->seen_room) {
        size_t room = watch->seen_room ? watch->seen_room * 2 : 64;
        struct sighting *seen = realloc(watch->seen, room * sizeof *seen);
        if (!seen)
            return delay;
        watch->seen = seen;
        watch->seen_room = room;
    }
    watch->seen[watch->seen_count++] = (struct sighting){tid, ran, delay, 0};
    return delay;
}

void watch_each_thread(struct watch *watch, void (*call)(pid_t tid))
{
    int count = watch_tree(watch, pids, MOST_PIDS);
    for (int i = 0; i < count && i < 256; i++) {
        char path[64];
        snprintf(path, sizeof path, "%d/task", (int)pids[i]);
        int fd = openat(watch->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
        struct dirent *task;
        while (tasks && (task = readdir(tasks)))
            if (isdigit((unsigned char)task->d_name[0]))
                call((pid_t)atoi(task->d_name));
        if (tasks)
            closedir(tasks);
    }
}

static struct watch *waited_on;
static uint64_t longest_wait, runnable, since_last;

/* Tasks that have or want a core, of the whole host: the fourth field of loadavg (proc(5)). */
static uint64_t all_runnable(struct watch *watch)
{
    char text[128];
    unsigned long running = 0;
    return read_proc(watch->proc, "loadavg", text, sizeof text) > 0 && sscanf(text, "%*s %*s %*s %lu/", &running) == 1
               ? running
               : 0;
}

static void note_wait(pid_t tid)
{
    char path[64], text[128];
    unsigned long long ran, delay;
    snprintf(path, sizeof path, "%d/task/%d/schedstat", (int)tid, (int)tid); /* a thread's number opens its process */
    if (read_proc(waited_on->proc, path, text, sizeof text) <= 0 || sscanf(text, "%llu %llu", &ran, &delay) != 2)
        return;
    char state[512];
    snprintf(path, sizeof path, "%d/task/%d/stat", (int)tid, (int)tid);
    char *at = read_proc(waited_on->proc, path, state, sizeof state) > 0 ? strrchr(state, ')') : NULL;
    bool wants_core = at && at[1] && at[2] == 'R';
    runnable += wants_core;
    uint64_t more = note_delay(waited_on, tid, ran, delay, wants_core, since_last);
    if (more > longest_wait)
        longest_wait = more;
}

uint64_t watch_waited_ns(struct watch *watch, uint64_t since, bool *foreign)
{
    if (watch->seen_count > 4096) /* long gone threads, mostly */
        watch->seen_count = 0;
    waited_on = watch;
    since_last = since;
    longest_wait = runnable = 0;
    uint64_t everybody = all_runnable(watch);
    watch_each_thread(watch, note_wait);
    *foreign = everybody > runnable + 1; /* one is ourselves */
    return longest_wait;
}

void watch_forget(struct watch *watch)
{
    watch->seen_count = 0;
    watch->group = 0;
    watch->cpu_ns = watch->memory_bytes = watch->processes = watch->threads = 0;
}

static pid_t parent_of(struct watch *watch, pid_t pid)
{
    char path[32], text[1024];
    int parent = 0;
    snprintf(path, sizeof path, "%d/stat", (int)pid);
    char *at = read_proc(watch->proc, path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
    return at && sscanf(at + 2, "%*c %d", &parent) == 1 ? (pid_t)parent : 0;
}

/* A number in the list may have passed to a stranger since we read it, if its process was reaped by its own parent
 * meanwhile. So: take hold of whoever has it now (pidfd_open(2)), see that he is of the family, then signal through
 * what we hold. In a namespace of our own there are no strangers. */
static void signal_member(struct watch *watch, pid_t pid, int number, const pid_t *family, int count)
{
    if (watch->everyone) {
        kill(pid, number);
        return;
    }
    int held = (int)syscall(SYS_pidfd_open, pid, 0);
    if (held < 0)
        return;
    pid_t parent = parent_of(watch, pid);
    bool ours = parent && (parent == getpid() || is_known(watch, parent));
    for (int i = 0; parent && !ours && i < count; i++)
        ours = family[i] == parent;
    if (ours)
        syscall(SYS_pidfd_send_signal, held, number, NULL, 0);
    close(held);
}

bool watch_kill(struct watch *watch)
{
    /* Nobody can leave the group, and one signal to it reaches also those who are just forking (kill(2)). */
    if (watch->group > 0)
        kill(-watch->group, SIGKILL);
    /* Stop first, so that a fork bomb does not outrun the list; then kill; until a look finds nobody. */
    for (int round = 0; round < 30000; round++) {
        int count = watch_tree(watch, pids, MOST_PIDS);
        if (!count)
            return true;
        if (round % 8 == 0)
            for (int i = 0; i < count; i++)
                signal_member(watch, pids[i], SIGSTOP, pids, count);
        for (int i = 0; i < count; i++)
            signal_member(watch, pids[i], SIGKILL, pids, count);
        /* Reap what has come to us; the zygote's own child is reaped by it. */
        for (int i = 0; i < count; i++)
            waitpid(pids[i], NULL, WNOHANG);
        struct timespec pause = {0, round < 50 ? 200000 : 2000000};
        nanosleep(&pause, NULL);
    }
    return false;
}
