/* One run, from request to result: start it, drain what it writes, hold it to its limits, see it gone.
 *
 * Owns the event loop of a run and the decision what ended it.
 *
 *   start ──► draining ──► program ended ──► nobody left ──► last bytes drained ──► result
 *                │                              ▲
 *                └── a limit met: kill ─────────┘
 *
 * Time is CPU time of the tree. The wall clock is a backstop for sleepers and leaves out the time in which
 * a thread stood runnable without a core, so that a loaded machine gives the verdicts of an idle one. A run
 * that got so little of a core that even that is hopeless is given up as our own failure, not the program's.
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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif

#define MS 1000000ull
#define WAIT_SAMPLE_NS (100 * MS)
#define OVERLOAD_FACTOR 60      /* of the wall limit, and OVERLOAD_LEAST */
#define MOST_CREDIT 20         /* times the wall limit, without a control group */
#define OVERLOAD_LEAST_NS (120000 * MS)
#define ZYGOTE_START_MS 120000  /* importing numpy on a loaded machine is slow; nobody waits for it twice */
#define ZYGOTE_RENEWED_AFTER 5000
#define HARVEST_NS (60000 * MS) /* for handing back files, when the program is over */
#define LARGEST_STACK (16ull << 30)
#define FASTEST_GROWTH 8        /* bytes of memory a nanosecond, all cores together: how soon to look again */

uint64_t watch_proportional_bytes(struct watch *watch);

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

struct stream {
    int fd;
    char *data;
    size_t length, room;
    uint64_t limit;
    bool cut;
};

struct run {
    struct worker *worker;
    struct request *request;
    struct stream out, err, reports;
    int out_end, err_end, report_end, control, control_end; /* the far ends of the pipes */
    pid_t init;      /* namespaces: pid 1 of the run */
    int pidfd;       /* of init, or of the program (landlock, cold) */
    pid_t program;   /* landlock, cold */
    int ruleset;     /* of this run (landlock); the worker's own otherwise */
    int work;        /* bare: the working directory, opened before the program could put anything in its place */
    struct lockdown lockdown;
    struct launch launch;
    bool freed;      /* the keeper is not bound to its core for now */
    bool ordered;    /* the zygote has been told */
    bool ended;      /* the program is over: its limits hold no more */
    bool processes_met, disk_met; /* seen at a look */
    struct zygote_answer answer;
    int status;
    uint64_t began_ns, ended_ns, waited_ns, sampled_at_ns, children_before_ns, maxrss_bytes, memory_peak, hidden_bytes,
        unlinked_bytes;
    enum killed_by killed_by;
    enum step failed;
    int error;
};

/* ---- streams ---- */

/* Takes what is there now. False at end of file. */
static bool drain(struct stream *stream)
{
    for (;;) {
        if (stream->length == stream->room) {
            size_t room = stream->room ? stream->room * 2 : 16384;
            if (stream->limit != UNLIMITED && room > stream->limit + 1)
                room = stream->limit + 1; /* one more than allowed tells that there was more */
            char *data = room > stream->room ? realloc(stream->data, room) : NULL;
            if (!data) {
                stream->cut = true;
                return true;
            }
            stream->data = data;
            stream->room = room;
        }
        ssize_t n = read(stream->fd, stream->data + stream->length, stream->room - stream->length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return true; /* EAGAIN: later */
        if (n == 0)
            return false;
        stream->length += (size_t)n;
        if (stream->limit != UNLIMITED && stream->length > stream->limit) {
            stream->length = stream->limit;
            stream->cut = true;
            return true;
        }
    }
}

static int open_stream(struct stream *stream, int *far_end, uint64_t limit)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *stream = (struct stream){.fd = ends[0], .limit = limit};
    *far_end = ends[1];
    return 0;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- the zygote ---- */

static int make_stdin(void)
{
    return (int)syscall(SYS_memfd_create, "stdin", 1 /* MFD_CLOEXEC */);
}

void zygote_stop(struct worker *worker, uint32_t kind)
{
    struct zygote *zygote = &worker->zygotes[kind];
    if (zygote->socket < 0)
        return;
    close_fd(&zygote->socket);
    kill(zygote->pid, SIGKILL);
    while (waitpid(zygote->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    zygote->pid = 0;
    worker->watch.known[1 + kind] = 0;
}

static void become_zygote(struct worker *worker, uint32_t kind, int socket, int in, int out)
{
    struct rlimit stack;
    char number[16];
    char **argv = list_argv(&worker->config->zygote_argv), **env = list_argv(&worker->config->zygote_env);
    /* The room below a main thread's stack is laid out at exec, by the limit of that moment (mmap_base());
     * the programs that are forked off set their own limit later and must find the room. */
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_cur = least(stack.rlim_max, LARGEST_STACK); /* room, not use */
        setrlimit(RLIMIT_STACK, &stack);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    default_signals();
    /* The same kinds of files that a run has: Python looks at them when it opens its streams. */
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || raise_ambient_capabilities() < 0)
        _exit(125);
    int keep = fcntl(socket, F_DUPFD, 3); /* without close-on-exec */
    for (int i = 0; i < worker->cgroup.joins; i++)
        fcntl(worker->cgroup.join[i], F_SETFD, 0);
    snprintf(number, sizeof number, "%d", keep);
    size_t argc = 0;
    while (argv[argc])
        argc++;
    argv[argc - 2] = worker->config->preloads.items[kind].data;
    argv[argc - 1] = number;
    execve(argv[0], argv, env);
    _exit(126);
}

/* The words that the interpreter wrote when it failed to come up. */
static void explain(int from, char *why, size_t why_size)
{
    ssize_t n = read(from, why, why_size - 1);
    why[n > 0 ? n : 0] = 0;
    for (char *at = why; *at; at++)
        if (*at == '\n')
            *at = ' ';
}

static enum step zygote_start(struct worker *worker, uint32_t kind, char *why, size_t why_size)
{
    if (kind >= ZYGOTES || kind >= worker->config->preloads.count) {
        errno = EPROTO;
        return STEP_ZYGOTE;
    }
    int ends[2], words[2], in = make_stdin();
    if (in < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 || pipe2(words, O_CLOEXEC) < 0)
        return STEP_MEMORY;
    pid_t pid = fork();
    if (pid == 0)
        become_zygote(worker, kind, ends[1], in, words[1]);
    close(in);
    close(ends[1]);
    close(words[1]);
    if (pid < 0) {
        close(ends[0]);
        close(words[0]);
        return STEP_ZYGOTE;
    }
    worker->zygotes[kind] = (struct zygote){.socket = ends[0], .pid = pid};
    struct zygote_answer hello;
    struct pollfd on = {.fd = ends[0], .events = POLLIN};
    bool up = poll(&on, 1, ZYGOTE_START_MS) == 1 && read_exactly(ends[0], &hello, sizeof hello) == 0;
    if (!up) {
        explain(words[0], why, why_size);
        errno = 0;
        zygote_stop(worker, kind);
    } else {
        worker->watch.known[1 + kind] = pid;
    }
    close(words[0]);
    return up ? STEP_NONE : STEP_ZYGOTE;
}

/* argv and env for the child alone: see box_wait(). */
static int write_arguments(const struct request *request)
{
    const struct list *lists[] = {&request->argv, &request->env};
    int fd = (int)syscall(SYS_memfd_create, "arguments", 1 /* MFD_CLOEXEC */);
    for (int l = 0; fd >= 0 && l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if (write_exactly(fd, lists[l]->items[i].data, lists[l]->items[i].length + 1) < 0) {
                close(fd);
                return -1;
            }
    return fd;
}

/* Whether the program is called as most are: then what the zygote has prepared will do as it is. */
static bool is_plain(const struct config *config, const struct request *request)
{
    if (request->argv.count != 1 || strcmp(request->argv.items[0].data, "main.py") ||
        request->env.count + 1 != config->zygote_env.count) /* the zygote's own last one is not for programs */
        return false;
    for (size_t i = 0; i < request->env.count; i++)
        if (strcmp(request->env.items[i].data, config->zygote_env.items[i].data))
            return false;
    return true;
}

static int zygote_order(struct run *run)
{
    const struct request *request = run->request;
    struct zygote *zygote = &run->worker->zygotes[request->kind];
    struct zygote_order order = {.lockdown = run->lockdown, .argc = (uint32_t)request->argv.count,
                                 .envc = (uint32_t)request->env.count,
                                 .plain = is_plain(run->worker->config, request)};
    int arguments = write_arguments(request);
    if (arguments < 0)
        return -1;
    int descriptors[] = {run->pidfd >= 0 ? run->pidfd : run->report_end, request->in, run->out_end, run->err_end,
                         run->report_end, run->ruleset, arguments};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof descriptors)];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof descriptors), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), descriptors, sizeof descriptors);
    ssize_t sent = sendmsg(zygote->socket, &message, MSG_NOSIGNAL);
    close(arguments);
    if (sent != sizeof order)
        return -1;
    run->ordered = true;
    zygote->runs++;
    close_fd(&run->out_end); /* from here on only the program holds them */
    close_fd(&run->err_end);
    close_fd(&run->report_end);
    return 0;
}

/* ---- cores ---- */

/* A worker has one core: keeper, zygote, init and program hand over to each other there, and no page or cache line has to
 * travel, which is worth a quarter of a short run's time. A run sees that one core from beginning to end, so that
 * what a program finds (sched_getaffinity(2)), and how many threads a runtime starts, does not depend on how busy the
 * machine is. Workers begin on different cores; one that has to share its core moves to another. */
static cpu_set_t every_core, the_core;

static void bind_thread(pid_t tid) { sched_setaffinity(tid, sizeof the_core, &the_core); }

static void bind_worker(struct worker *worker)
{
    bind_thread(0);
    for (int kind = 0; kind < ZYGOTES; kind++)
        if (worker->zygotes[kind].pid > 0)
            bind_thread(worker->zygotes[kind].pid);
}

static void choose(struct worker *worker, int steps)
{
    int core = worker->core;
    do {
        core = (core + 1) % CPU_SETSIZE;
        steps -= CPU_ISSET((unsigned)core, &every_core) ? 1 : 0;
    } while (steps > 0);
    worker->core = core;
    CPU_ZERO(&the_core);
    CPU_SET((unsigned)core, &the_core);
}

void core_take(struct worker *worker)
{
    worker->core = -1;
    if (sched_getaffinity(0, sizeof every_core, &every_core) < 0 || CPU_COUNT(&every_core) < 2)
        return;
    choose(worker, 1 + (int)(worker->config->worker % (uint32_t)CPU_COUNT(&every_core)));
    bind_worker(worker);
}

/* Short runs end before anybody looks: so now and then, how long the keeper itself stood in the queue. */
static void core_review(struct worker *worker)
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
    if (worker->core_seen_ns && waited - worker->core_waited_ns > (now - worker->core_seen_ns) / 8 && now / 1000 & 1) {
        choose(worker, 1);
        bind_worker(worker);
    }
    worker->core_seen_ns = now;
    worker->core_waited_ns = waited;
}

/* A run that lasts is not to share its core with our looking at it. */
static void free_keeper(struct run *run)
{
    if (run->worker->core >= 0 && !run->freed)
        sched_setaffinity(0, sizeof every_core, &every_core);
    run->freed = true;
}

/* `waited` of `since` nanoseconds were spent in the queue for the core. By the toss of a coin, or two runs that meet
 * on one core would move to the same other one together. */
static void move_on(struct run *run, uint64_t waited, uint64_t since)
{
    if (run->worker->core < 0 || waited < since / 8 || now_ns() / 1000 & 1)
        return;
    choose(run->worker, 1);
    watch_each_thread(&run->worker->watch, bind_thread);
}

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

static void plan_lockdown(struct run *run)
{
    struct worker *worker = run->worker;
    const struct limits *limits = &run->request->limits;
    struct lockdown *how = &run->lockdown;
    bool bare = worker->config->level == LEVEL_LANDLOCK;
    *how = (struct lockdown){
        .level = worker->config->level,
        .seccomp_flags = worker->seccomp_flags,
        .ruleset = run->ruleset,
        .joins = worker->cgroup.joins,
        .change_identity = worker->change_identity,
        .keep_signals = run->request->warm,
        .uid = worker->uid,
        .gid = worker->gid,
        /* a second line behind our own clock, per process, so a little wider */
        .cpu_s = limits->cpu_ns == UNLIMITED ? UNLIMITED : limits->cpu_ns / 1000000000u + 2,
        .stack_bytes = least(limits->memory_bytes, largest_stack()),
        .open_files = limits->open_files,
        .processes = limits->processes,
        .file_bytes = bare ? limits->disk_bytes : UNLIMITED,
    };
    memcpy(how->join, worker->cgroup.join, sizeof how->join);
    /* RLIMIT_NPROC counts all tasks of the user in the user namespace (Linux 5.14): the keeper's own too.
     * Where a control group counts exactly it is a second line. Bare, it counts the user's whole session,
     * so there it only stops an explosion, and the watch counts. */
    if (limits->processes != UNLIMITED)
        how->processes = limits->processes + (bare ? (worker->change_identity ? 2 : 1024) : worker->change_identity ? (worker->cgroup.version ? 8 : 0)
                                              : 2 + (worker->zygotes[0].pid > 0) + (worker->zygotes[1].pid > 0) +
                                                    (worker->cgroup.version ? 8 : 0));
    snprintf(how->work, sizeof how->work, "%s", bare ? worker->temp_path : WORK_DIRECTORY);
    if (bare)
        strncat(how->work, "/run/work", sizeof how->work - strlen(how->work) - 1);
}

static enum step start_inside(struct run *run)
{
    struct worker *worker = run->worker;
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return STEP_MEMORY;
    run->control = ends[0];
    run->control_end = ends[1];
    run->launch = (struct launch){.request = run->request, .lockdown = &run->lockdown, .out = run->out_end,
                                  .err = run->err_end, .report = run->report_end, .control = run->control,
                                  .run_uid = worker->uid, .run_gid = worker->gid};
    int pidfd = -1;
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_PIDFD | SIGCHLD, 0, &pidfd, 0, 0);
    if (pid == 0) {
        close(run->control_end);
        init_main(&run->launch);
    }
    if (pid < 0)
        return STEP_RUN_NAMESPACES;
    run->init = pid;
    run->pidfd = pidfd;
    worker->watch.known[3] = pid;
    if (!run->request->warm) {
        close_fd(&run->out_end);
        close_fd(&run->err_end);
    }
    return STEP_NONE;
}

static enum step start_bare(struct run *run)
{
    struct worker *worker = run->worker;
    char work_path[512], tmp_path[512];
    snprintf(work_path, sizeof work_path, "%s/run/work", worker->temp_path);
    snprintf(tmp_path, sizeof tmp_path, "%s/run/tmp", worker->temp_path);
    if (empty_directory(worker->temp) < 0 || mkdirat(worker->temp, "run", 0755) < 0 ||
        mkdirat(worker->temp, "run/work", 0755) < 0 || mkdirat(worker->temp, "run/tmp", 0755) < 0)
        return STEP_RUN_FILE;
    run->work = openat(worker->temp, "run/work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (run->work < 0 || workdir_lay(run->work, &run->request->files) < 0)
        return STEP_RUN_FILE;
    if (worker->change_identity)
        for (const char *const *name = (const char *const[]){"run/work", "run/tmp", NULL}; *name; name++)
            if (fchownat(worker->temp, *name, worker->uid, worker->gid, 0) < 0)
                return STEP_IDENTITY;
    run->ruleset = landlock_ruleset_bare(&worker->config->binds, &worker->config->devices,
                                         (const char *const[]){work_path, tmp_path, NULL});
    if (run->ruleset < 0)
        return STEP_LANDLOCK;
    run->lockdown.ruleset = run->ruleset;
    if (run->request->warm)
        return zygote_order(run) < 0 ? STEP_ZYGOTE_LOST : STEP_NONE;
    run->launch = (struct launch){.request = run->request, .lockdown = &run->lockdown, .out = run->out_end,
                                  .err = run->err_end, .report = run->report_end};
    enum step step;
    run->program = start_program(&run->launch, &step, &run->error);
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
    close_fd(&run->out_end);
    close_fd(&run->err_end);
    close_fd(&run->report_end);
    return STEP_NONE;
}

/* ---- limits ---- */

static void kill_run(struct run *run)
{
    if (run->init > 0)
        kill(run->init, SIGKILL); /* and with it everything in its pid namespace */
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
    char path[64];
    struct statfs disk;
    struct watch *watch = &run->worker->watch;
    if (run->init > 0) {
        snprintf(path, sizeof path, "%d/root" RUN_DIRECTORY, (int)run->init);
        int fd = openat(watch->proc, path, O_PATH | O_CLOEXEC);
        uint64_t used = 0;
        if (fd >= 0 && fstatfs(fd, &disk) == 0)
            used = (disk.f_blocks - disk.f_bfree) * (uint64_t)disk.f_bsize;
        close_fd(&fd);
        return used;
    }
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
    uint64_t used = run->hidden_bytes + (run->init > 0 ? disk : 0); /* bare, files lie on a disk of the host */
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
                                           : watch_waited_cpu_ns(&worker->watch, run->init));
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
        uint64_t waited = least(watch_waited_ns(&worker->watch, &foreign), since);
        /* Without a control group a tree can hide what its children use, and would be paid for crowding itself out: so
         * waiting counts only where others want the core too, and not without end. */
        if (grouped || (foreign && run->waited_ns < limits->wall_ns * MOST_CREDIT))
            run->waited_ns += waited;
        run->sampled_at_ns = now;
        if (foreign)
            move_on(run, waited, since);
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

/* What came on the report pipe so far. Reports are followed by records of fetched files, once the run has ended. */
static void read_reports(struct run *run)
{
    const struct report *report = (const struct report *)(const void *)run->reports.data;
    if (run->reports.length < sizeof *report)
        return;
    size_t count = run->request->warm && report->kind == REPORT_READY ? 2 : 1;
    if (report->kind == REPORT_READY && !run->ordered && run->failed == STEP_NONE && run->init > 0 && zygote_order(run) < 0) {
        run->failed = STEP_ZYGOTE_LOST;
        kill_run(run);
    }
    for (size_t i = 0; i < count && (i + 1) * sizeof *report <= run->reports.length; i++) {
        if (report[i].kind == REPORT_FAILED && run->failed == STEP_NONE) {
            run->failed = (enum step)report[i].step;
            run->error = report[i].error;
        }
        if (report[i].kind == REPORT_STARTED)
            run->worker->watch.group = report[i].status;
        if (report[i].kind == REPORT_ENDED && !run->ended) {
            run->ended = true;
            run->ended_ns = report[i].end_ns;
        }
    }
}

/* Whether init handed back all files that it meant to: records to the last byte, and the last is the end. */
static bool fetched_whole(const struct run *run, size_t offset)
{
    struct record head = {.tag = TAG_FETCHED};
    while (offset + sizeof head <= run->reports.length) {
        memcpy(&head, run->reports.data + offset, sizeof head);
        offset += sizeof head;
        if (head.tag == TAG_END || head.length > run->reports.length - offset)
            break;
        offset += head.length;
    }
    return head.tag == TAG_END && offset == run->reports.length;
}

static const struct report *final_report(const struct run *run, size_t *offset)
{
    const struct report *report = (const struct report *)(const void *)run->reports.data;
    for (size_t i = 0; i < 2 && (i + 1) * sizeof *report <= run->reports.length; i++)
        if (report[i].kind == REPORT_ENDED) {
            *offset = (i + 1) * sizeof *report;
            return &report[i];
        }
    return NULL;
}

static void take_answer(struct run *run)
{
    if (read_exactly(run->worker->zygotes[run->request->kind].socket, &run->answer, sizeof run->answer) < 0) {
        if (run->failed == STEP_NONE)
            run->failed = STEP_ZYGOTE_LOST;
        zygote_stop(run->worker, run->request->kind);
        kill_run(run);
    } else {
        run->ended_ns = now_ns();
        run->status = run->answer.status;
        if (run->control_end >= 0)
            close_fd(&run->control_end); /* the word to init: harvest */
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

/* False: the parent is gone. */
static bool attend(struct run *run)
{
    struct worker *worker = run->worker;
    struct zygote *zygote = &worker->zygotes[run->request->kind];
    size_t unused;
    bool inside = run->init > 0, out_open = true, err_open = true, reports_open = true, over = false;
    uint64_t next = first_look(run);
    /* Inside, the end is the end of init: then everybody else in its namespaces is gone too. */
    while (inside ? !over : !run->ended) {
        bool answering = run->request->warm && run->ordered && !run->ended && zygote->socket >= 0;
        struct pollfd on[6] = {
            {.fd = out_open ? run->out.fd : -1, .events = POLLIN},
            {.fd = err_open ? run->err.fd : -1, .events = POLLIN},
            {.fd = reports_open ? run->reports.fd : -1, .events = POLLIN},
            {.fd = worker->parent, .events = POLLRDHUP},
            {.fd = answering ? zygote->socket : run->program > 0 ? run->pidfd : -1, .events = POLLIN},
            {.fd = inside ? run->pidfd : -1, .events = POLLIN},
        };
        uint64_t now = now_ns();
        if (run->ended && now >= run->ended_ns + HARVEST_NS && run->failed == STEP_NONE) {
            run->failed = STEP_FETCH;
            kill_run(run);
        }
        if (run->ended)
            next = now + 1000 * MS;
        if (now >= next && run->killed_by == KILLED_NOT) {
            free_keeper(run); /* a run that lasts is not to share its core with our looking */
            next = look(run, now);
            uint64_t spent = now_ns() - now; /* a tree of thousands is dear to look at: never more than a fifth of the time */
            if (next < now + 5 * spent)
                next = now + 5 * spent;
            if (!inside && run->killed_by != KILLED_NOT && run->program > 0)
                take_exit(run);
            continue;
        }
        struct timespec wait = {(time_t)((next - now) / 1000000000u), (long)((next - now) % 1000000000u)};
        if (ppoll(on, 6, run->killed_by == KILLED_NOT ? &wait : NULL, NULL) < 0 && errno != EINTR)
            return false;
        if (on[0].revents)
            out_open = drain(&run->out);
        if (on[1].revents)
            err_open = drain(&run->err);
        if ((run->out.cut || run->err.cut) && (out_open || err_open)) {
            out_open = out_open && !run->out.cut;
            err_open = err_open && !run->err.cut;
            stop_for(run, KILLED_OUTPUT);
        }
        if (on[4].revents)
            answering ? take_answer(run) : take_exit(run);
        if (on[2].revents) {
            reports_open = drain(&run->reports);
            read_reports(run);
            if (run->failed != STEP_NONE && !run->request->warm)
                kill_run(run);
        }
        /* When init says so, nobody but itself is left: nothing more can come, unless it is to hand back files. */
        over = on[5].revents || (inside && run->ended && final_report(run, &unused) && !run->request->fetch.count);
        if (on[3].revents & (POLLRDHUP | POLLHUP | POLLERR)) {
            kill_run(run);
            return false;
        }
    }
    return true;
}

/* Everything of the run is gone when this returns. */
static void bury(struct run *run)
{
    struct worker *worker = run->worker;
    struct zygote *zygote = &worker->zygotes[run->request->kind];
    struct rusage usage;
    if (run->init > 0) {
        kill(run->init, SIGKILL);
        if (run->ordered && !run->ended && zygote->socket >= 0)
            take_answer(run); /* init cannot be reaped before the zygote has reaped its child */
        int status;
        while (wait4(run->init, &status, 0, &usage) < 0 && errno == EINTR)
            ;
        worker->watch.known[3] = 0;
    } else if (worker->config->level == LEVEL_LANDLOCK) {
        if (!watch_kill(&worker->watch))
            _exit(1); /* not one more run beside what is left: the launcher goes on killing */
        if (run->ordered && !run->ended && zygote->socket >= 0)
            take_answer(run);
    }
    drain(&run->out);
    drain(&run->err);
    drain(&run->reports);
    run->ordered = true; /* too late for an order now */
    read_reports(run);
}

static void conclude(struct run *run, struct result *result)
{
    struct worker *worker = run->worker;
    size_t unused;
    const struct report *report = run->init > 0 ? final_report(run, &unused) : NULL;
    if (!run->ended_ns)
        run->ended_ns = report && report->end_ns ? report->end_ns : now_ns();
    if (report && report->start_ns)
        run->began_ns = report->start_ns;
    if (report && !run->request->warm)
        run->status = report->status;
    if ((run->out.cut || run->err.cut) && run->killed_by == KILLED_NOT)
        run->killed_by = KILLED_OUTPUT; /* it ended by itself just as it was cut */
    if (run->init <= 0 && run->work >= 0 && run->killed_by == KILLED_NOT &&
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
    if (run->out.cut)
        result->flags |= RESULT_STDOUT_CUT;
    if (run->err.cut)
        result->flags |= RESULT_STDERR_CUT;
    /* bare, RLIMIT_FSIZE stops a file just there */
    if (run->disk_met || (report && report->disk_full) ||
        (run->init <= 0 && run->request->limits.disk_bytes != UNLIMITED &&
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

static int answer(struct run *run, const struct result *result)
{
    int to = run->worker->parent;
    size_t offset = 0;
    const struct text parts[] = {{(char *)result, sizeof *result}, {run->out.data, run->out.length},
                                 {run->err.data, run->err.length}, {NULL, 0}};
    const uint32_t tags[] = {TAG_RESULT, TAG_STDOUT, TAG_STDERR, TAG_END};
    bool handed = run->init > 0 ? final_report(run, &offset) && run->killed_by == KILLED_NOT : run->work >= 0;
    bool more = run->request->fetch.count && handed;
    if (send_records(to, tags, parts, more ? 3 : 4) < 0) /* all at once: the parent is woken once */
        return -1;
    if (!more)
        return 0;
    if (run->init > 0) /* init wrote whole records, the end among them: they are passed on as they are */
        return write_exactly(to, run->reports.data + offset, run->reports.length - offset);
    return workdir_fetch(run->work, &run->request->fetch, to, run->request->limits.disk_bytes);
}

static void release(struct run *run)
{
    int *const all[] = {&run->out.fd, &run->err.fd, &run->reports.fd, &run->out_end, &run->err_end,
                        &run->report_end, &run->control, &run->control_end, &run->pidfd, &run->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close_fd(all[i]);
    if (run->ruleset >= 0 && run->ruleset != run->worker->ruleset)
        close(run->ruleset);
    free(run->out.data);
    free(run->err.data);
    free(run->reports.data);
    if (run->worker->config->level == LEVEL_LANDLOCK)
        empty_directory(run->worker->temp);
}

static void finish_run(struct run *run)
{
    if (run->freed && run->worker->core >= 0)
        bind_worker(run->worker);
    release(run);
}

int run_one(struct worker *worker, struct request *request)
{
    char why[512] = "";
    bool inside = worker->config->level == LEVEL_NAMESPACES;
    struct run run = {.worker = worker, .request = request, .out = {.fd = -1}, .err = {.fd = -1}, .reports = {.fd = -1},
                      .out_end = -1, .err_end = -1, .report_end = -1, .control = -1, .control_end = -1, .pidfd = -1,
                      .ruleset = worker->ruleset, .work = -1};
    enum step step = STEP_NONE;
    worker->runs++;
    watch_forget(&worker->watch);
    if (request->warm) {
        struct zygote *zygote = &worker->zygotes[request->kind % ZYGOTES];
        if (zygote->socket >= 0 && zygote->runs >= ZYGOTE_RENEWED_AFTER)
            zygote_stop(worker, request->kind); /* a new hash seed from time to time */
        if (zygote->socket < 0)
            step = zygote_start(worker, request->kind, why, sizeof why);
    }
    if (step == STEP_NONE && (open_stream(&run.out, &run.out_end, request->limits.output_bytes) < 0 ||
                              open_stream(&run.err, &run.err_end, request->limits.output_bytes) < 0 ||
                              open_stream(&run.reports, &run.report_end, UNLIMITED) < 0))
        step = STEP_MEMORY;
    /* so that a program that is somebody else may open /dev/stdout, which asks the pipe's owner */
    if (step == STEP_NONE && worker->change_identity &&
        (fchown(run.out_end, worker->uid, worker->gid) < 0 || fchown(run.err_end, worker->uid, worker->gid) < 0))
        step = STEP_STDIO;
    if (step == STEP_NONE && cgroup_begin(&worker->cgroup, &request->limits) < 0)
        step = STEP_CGROUP_LIMIT;
    if (step == STEP_NONE) {
        plan_lockdown(&run);
        core_review(worker);
        run.children_before_ns = children_cpu_ns();
        run.began_ns = run.sampled_at_ns = now_ns();
        step = inside ? start_inside(&run) : start_bare(&run);
    }
    int error = errno;
    bool parent = true;
    struct result result = {0};
    if (step == STEP_NONE) {
        close_fd(&run.control);
        if (inside && !request->warm)
            close_fd(&run.report_end);
        parent = attend(&run);
        step = run.failed;
        error = run.error;
    }
    /* In warm runs the far ends stay with us until the order is out; nobody else may keep the pipes open. */
    close_fd(&run.out_end);
    close_fd(&run.err_end);
    close_fd(&run.report_end);
    /* The parent need not wait for the kernel to take the empty namespaces apart; the next run does. */
    size_t offset;
    bool early = inside && step == STEP_NONE && parent && run.killed_by == KILLED_NOT && !request->fetch.count &&
                 final_report(&run, &offset);
    if (early) {
        drain(&run.out);
        drain(&run.err);
        conclude(&run, &result);
        parent = answer(&run, &result) == 0;
    }
    bury(&run);
    if (early) {
        finish_run(&run);
        return parent ? 0 : -1;
    }
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
        parent = (step == STEP_NONE ? answer(&run, &result) : send_failure(worker->parent, step, error, why)) == 0;
    finish_run(&run);
    return parent ? 0 : -1;
}
