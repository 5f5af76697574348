/* The worker's two processes.
 *
 *   python ──► launcher (on the host) ──► keeper (pid 1 of the worker's namespaces) ──► zygote
 *                                                                                  └──► init ──► program
 *
 * The launcher makes the control group, clones the keeper into its namespaces, writes its id maps, and
 * waits; when the keeper ends, however it ends, the launcher removes what it made on the host. The keeper
 * prepares the root and then serves runs from the socket until the parent closes it.
 *
 * Owns the worker's life: nobody outlives the one above. A dead parent is an end of file for the keeper, and seen by
 * the launcher, for a fork of the parent may hold the socket open; a dead launcher is a signal to the keeper
 * (PR_SET_PDEATHSIG); a dead keeper takes its pid namespace along.
 *
 * usage: keeper FD      a stream socket on which the configuration comes first
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Identities inside a worker's user namespace. Outside, they are numbers that no account has (sandbox/identities.py). */
#define INSIDE_KEEPER 0u
#define INSIDE_PROGRAM 1000u

static int parent_socket;

static void give_up(enum step step, const char *detail)
{
    send_failure(parent_socket, step, errno, detail);
    _exit(1);
}

#define INCOMING 65536
#define REQUEST (256 << 10) /* of a request's texts; the rest of larger ones is on the heap */
static struct arena incoming, texts;

/* Descriptors come with the first bytes of a message. */
static int given[3] = {-1, -1, -1};

static ssize_t receive(char *buffer, size_t room)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof given)];
    } control;
    struct iovec part = {buffer, room};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(parent_socket, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len <= CMSG_LEN(sizeof given))
        memcpy(given, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    return n;
}

/* The parent's messages, through one buffer: a request is a dozen short records, and two system calls for each
 * would be a tenth of the work. Nothing comes after a message until we have answered it, unless it said so. */
static int take(void *to, size_t length)
{
    static size_t at, end;
    char *into = to;
    if (!incoming.room)
        arena_open(&incoming, INCOMING);
    if (!incoming.room)
        return read_exactly(parent_socket, to, length);
    char *buffer = incoming.base;
    while (length) {
        size_t have = end - at < length ? end - at : length;
        memcpy(into, buffer + at, have);
        at += have;
        into += have;
        length -= have;
        if (!length)
            break;
        if (length >= INCOMING)
            return read_exactly(parent_socket, into, length);
        ssize_t n = receive(buffer, INCOMING);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0)
            return -1;
        at = 0;
        end = (size_t)n;
    }
    return 0;
}

/* ---- configuration ---- */

static void read_config(struct config *config)
{
    struct record head;
    config->uid = -1;
    for (;;) {
        if (take(&head, sizeof head) < 0)
            _exit(1);
        if (head.tag == TAG_END)
            break;
        struct list *list = NULL, one = {0};
        switch (head.tag) {
        case TAG_BIND: list = &config->binds; break;
        case TAG_SYMLINK: list = &config->symlinks; break;
        case TAG_FILE_AT: list = &config->files; break;
        case TAG_DEVICE: list = &config->devices; break;
        case TAG_CGROUP: list = &config->cgroups; break;
        case TAG_ZYGOTE_ARG: list = &config->zygote_argv; break;
        case TAG_ZYGOTE_ENV: list = &config->zygote_env; break;
        case TAG_PRELOAD: list = &config->preloads; break;
        case TAG_LEVEL: case TAG_UID: case TAG_WORKER: case TAG_TEMP: list = &one; break;
        default: errno = EPROTO; give_up(STEP_CONFIG, "unknown record");
        }
        char *data = head.length > (64u << 20) ? NULL : list_add(list, head.length);
        if (!data)
            give_up(STEP_CONFIG, "no room for a record");
        if (take(data, head.length) < 0)
            _exit(1);
        uint32_t number = 0;
        if (list == &one && head.length == sizeof number)
            memcpy(&number, data, sizeof number);
        if (head.tag == TAG_LEVEL)
            config->level = (enum level)number;
        else if (head.tag == TAG_UID)
            config->uid = number;
        else if (head.tag == TAG_WORKER)
            config->worker = number;
        else if (head.tag == TAG_TEMP)
            config->temp = strdup(data);
        if (list == &one) {
            list_clear(&one);
            free(one.items);
        }
    }
    if (config->level != LEVEL_NAMESPACES && config->level != LEVEL_LANDLOCK) {
        errno = EPROTO;
        give_up(STEP_CONFIG, "no level");
    }
    list_add(&config->zygote_argv, 0); /* the places for what it preloads, and the socket's number */
    list_add(&config->zygote_argv, 0);
}

/* ---- serving ---- */

/* A file, not a pipe: nothing to feed, and programs may map it. */
static int read_stdin(struct request *request, uint64_t length)
{
    size_t before = texts.used;
    char *data = length < REQUEST ? arena_take(&texts, length + 1) : NULL;
    if (!data)
        data = malloc(length + 1);
    request->in = (int)syscall(SYS_memfd_create, "stdin", 3 /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
    int failed = !data || request->in < 0 || take(data, length) < 0 || write_exactly(request->in, data, length) < 0 ||
                 lseek(request->in, 0, SEEK_SET) < 0 ||
                 fcntl(request->in, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0;
    if (!arena_has(&texts, data))
        free(data);
    texts.used = before;
    return failed ? -1 : 0;
}

static int read_request(struct request *request)
{
    struct record head;
    request->in = request->out = request->meet = -1;
    if (!request->more)
        request->warm = request->cut = false;
    request->more = false;
    for (;;) {
        if (take(&head, sizeof head) < 0)
            return -1;
        if (head.tag == TAG_END)
            return 0;
        if (head.tag == TAG_LIMITS && head.length == sizeof request->limits) {
            if (take(&request->limits, sizeof request->limits) < 0)
                return -1;
            continue;
        }
        if (head.tag == TAG_WARM && head.length == sizeof request->kind) {
            if (take(&request->kind, sizeof request->kind) < 0)
                return -1;
            request->warm = true;
            continue;
        }
        if (head.tag == TAG_MORE && !head.length) {
            request->more = true;
            continue;
        }
        if (head.tag == TAG_STREAMS && head.length == sizeof(uint32_t)) {
            uint32_t which;
            if (take(&which, sizeof which) < 0)
                return -1;
            int next = 0;
            request->in = which & STREAM_IN ? given[next++] : -1;
            request->out = which & STREAM_OUT ? given[next++] : -1;
            request->meet = which & STREAM_MEET ? given[next++] : -1;
            given[0] = given[1] = given[2] = -1;
            continue;
        }
        if (head.tag == TAG_STDIN) {
            if (read_stdin(request, head.length) < 0)
                give_up(STEP_MEMORY, "stdin");
            continue;
        }
        struct list *list = head.tag == TAG_ARG ? &request->argv : head.tag == TAG_ENV ? &request->env
                          : head.tag == TAG_FILE ? &request->files : head.tag == TAG_FETCH ? &request->fetch : NULL;
        char *data = list ? list_add(list, head.length) : NULL;
        if (!data) {
            errno = list ? ENOMEM : EPROTO;
            give_up(STEP_MEMORY, "request");
        }
        if (take(data, head.length) < 0)
            return -1;
    }
}

#define SOON_MS 20
#define IDLE_MS 100

/* Until somebody asks, or nothing is to be done meanwhile: who parts is seen off, and is no zombie for hours; who has
 * nothing to do goes to the core he began on, and has the next berth there. */
static void rest(struct worker *worker)
{
    while (worker->parting || worker->core != worker->home) {
        struct pollfd on = {.fd = worker->parent, .events = POLLIN};
        int ready = poll(&on, 1, worker->parting ? SOON_MS : IDLE_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return;
        if (ready < 0)
            continue;
        if (worker->parting) {
            berth_parted(worker);
            continue;
        }
        core_home(worker);
        if (worker->next.init > 0) {
            berth_leave(worker, &worker->next);
            berth_close(&worker->next);
            run_foresee(worker);
        }
    }
}

static void serve(struct worker *worker)
{
    struct request request = {.argv.arena = &texts, .env.arena = &texts, .files.arena = &texts, .fetch.arena = &texts};
    arena_open(&incoming, INCOMING); /* the launcher's is not ours: we are a fork of it */
    arena_open(&texts, REQUEST);
    core_take(worker);
    while (read_request(&request) == 0) {
        if (request.in < 0 && (request.in = (int)syscall(SYS_memfd_create, "stdin", 1)) < 0)
            give_up(STEP_MEMORY, "stdin");
        bool wanted = !request.cut;
        int gone = wanted ? run_one(worker, &request) : 0;
        code_take_back(worker);
        close_fd(&request.in);
        close_fd(&request.out);
        close_fd(&request.meet);
        if (!request.more) {
            list_clear(&request.argv);
            list_clear(&request.env);
            list_clear(&request.files);
            list_clear(&request.fetch);
            texts.used = 0;
        }
        if (gone)
            break;
        if (wanted)
            run_foresee(worker);
        if (!request.more)
            rest(worker);
    }
    berth_leave(worker, &worker->next);
    for (uint32_t kind = 0; kind < ZYGOTES; kind++)
        zygote_stop(worker, kind);
}

static void announce(const struct worker *worker)
{
    char layers[1024];
    bool inside = worker->config->level == LEVEL_NAMESPACES;
    int n = snprintf(layers, sizeof layers, "%s%s%sseccomp landlock rlimits no_new_privs capabilities%s%c%s%s",
             inside ? "user pid mount net ipc uts " : "",
             worker->cgroup.version == 1 ? "cgroup-v1 " : worker->cgroup.version == 2 ? "cgroup-v2 " : "",
             !inside && worker->change_identity ? "identity " : "",
             worker->cgroup.version ? "" : " memory-watch", 0, inside ? RUN_DIRECTORY : worker->temp_path,
             inside ? "" : "/run");
    if (send_record(parent_socket, TAG_READY, layers, (size_t)n) < 0 ||
        send_record(parent_socket, TAG_END, NULL, 0) < 0)
        _exit(1);
}

/* Nothing that the filter or the rules need may turn out missing in the middle of a run. */
static void check_mechanisms(struct worker *worker)
{
    int abi = landlock_abi();
    if (abi < 1)
        give_up(STEP_LANDLOCK, "the kernel has no Landlock (Linux 5.13, CONFIG_SECURITY_LANDLOCK, lsm=landlock)");
    if (worker->config->level == LEVEL_LANDLOCK && abi < 3) {
        errno = 0; /* without LANDLOCK_ACCESS_FS_TRUNCATE any file of the user could be cut */
        give_up(STEP_LANDLOCK, "the level landlock needs Landlock ABI 3 (Linux 6.2)");
    }
    if (worker->config->level == LEVEL_LANDLOCK)
        worker->seccomp_flags = SECCOMP_BARE | (abi < 6 ? SECCOMP_NO_SIGNAL_SCOPE : 0);
    seccomp_prepare(worker->seccomp_flags); /* here, once, rather than in every init */
    pid_t pid = fork(); /* the filter is for good: try it on a child */
    if (pid == 0) {
        int failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || seccomp_install(worker->seccomp_flags) < 0;
        _exit(failed ? errno : 0);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        give_up(STEP_MEMORY, "no process to try the filter on"); /* says nothing of the filter */
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
        give_up(STEP_SECCOMP, "the kernel refuses the filter");
    }
}

/* Not a layer, a second door: no user namespace may be made below ours at all. */
static void forbid_user_namespaces(void)
{
    int fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "0", 1) < 0)
            errno = 0;
        close(fd);
    }
}

static void keep_inside(struct config *config, struct cgroup *cgroup, int gate, bool mapped_two)
{
    char why[512] = "", go;
    struct worker worker = {.config = config, .parent = parent_socket, .cgroup = *cgroup, .zygotes = {{.socket = -1}, {.socket = -1}},
                            .temp = -1};
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (read_exactly(gate, &go, 1) < 0)
        _exit(1); /* the launcher could not write the maps, and has said so */
    close(gate);
    struct trees trees = {0};
    enum step step = root_collect(config, &trees, why, sizeof why);
    if (step != STEP_NONE)
        give_up(step, why);
    if (mapped_two && (syscall(SYS_setresgid, INSIDE_KEEPER, INSIDE_KEEPER, INSIDE_KEEPER) < 0 ||
                       syscall(SYS_setgroups, 0, NULL) < 0 ||
                       syscall(SYS_setresuid, INSIDE_KEEPER, INSIDE_KEEPER, INSIDE_KEEPER) < 0))
        give_up(STEP_IDENTITY, "");
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a change of identity clears it */
    worker.change_identity = mapped_two;
    worker.uid = worker.gid = INSIDE_PROGRAM;
    step = root_prepare(config, &trees, &worker.shown, why, sizeof why);
    free(trees.items);
    if (step != STEP_NONE)
        give_up(step, why);
    list_clear(&config->files); /* they are in the root now, and each page that we keep is copied to every init */
    malloc_trim(0);
    if (sethostname("codejury", 8) < 0)
        give_up(STEP_NAMESPACES, "hostname");
    forbid_user_namespaces();
    worker.watch.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    worker.watch.everyone = true;
    worker.watch.known[0] = getpid();
    worker.ruleset = landlock_ruleset_inside();
    check_mechanisms(&worker);
    if (worker.watch.proc < 0 || worker.ruleset < 0)
        give_up(STEP_LANDLOCK, "rules");
    if (seal_capabilities() < 0)
        give_up(STEP_CAPABILITIES, "");
    announce(&worker);
    serve(&worker);
    _exit(0);
}

static void keep_bare(struct config *config, const char *temp)
{
    struct worker worker = {.config = config, .parent = parent_socket, .zygotes = {{.socket = -1}, {.socket = -1}},
                            .ruleset = -1};
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        give_up(STEP_NAMESPACES, "no subreaper");
    snprintf(worker.temp_path, sizeof worker.temp_path, "%s", temp);
    worker.temp = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    worker.watch.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (worker.temp < 0 || worker.watch.proc < 0)
        give_up(STEP_RUN_FILE, temp);
    worker.watch.known[0] = getpid();
    worker.change_identity = config->uid >= 0;
    worker.uid = worker.gid = config->uid >= 0 ? (uint32_t)config->uid : getuid();
    check_mechanisms(&worker);
    if (seal_capabilities() < 0)
        give_up(STEP_CAPABILITIES, "");
    announce(&worker);
    serve(&worker);
    _exit(0);
}

/* ---- launching ---- */

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int failed = write(fd, text, strlen(text)) < 0, error = errno;
    close(fd);
    errno = error;
    return failed ? -1 : 0;
}

static int map_ids(pid_t pid, bool two, unsigned outside)
{
    char path[64], text[128];
    if (!two) {
        snprintf(path, sizeof path, "/proc/%d/setgroups", (int)pid);
        if (write_file(path, "deny") < 0)
            return -1;
    }
    for (int group = 0; group < 2; group++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, group ? "gid_map" : "uid_map");
        if (two)
            snprintf(text, sizeof text, "%u %u 1\n%u %u 1\n", INSIDE_KEEPER, outside, INSIDE_PROGRAM, outside + 1);
        else
            snprintf(text, sizeof text, "%u %u 1\n", INSIDE_PROGRAM, group ? getegid() : geteuid());
        if (write_file(path, text) < 0)
            return -1;
    }
    return 0;
}

/* What a keeper without namespaces leaves when it is killed: its descendants come to us, a subreaper too. */
static void sweep_bare(const char *temp)
{
    struct watch watch = {.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    watch_kill(&watch);
    int directory = open(temp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0)
        empty_directory(directory);
    rmdir(temp);
}

static void secure_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd < 3);
    if (fd > 2)
        close(fd);
}

/* Limits that a caller set for himself are not meant for us, nor for programs, which get their own. */
static void widen(int what)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)what, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit((__rlimit_resource_t)what, &limit);
    }
}

/* Version 2 also wants rights on what the old and the new group have in common (cgroups(7)): tried on a child. */
static bool may_join(const struct cgroup *cgroup)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < cgroup->joins; i++)
            if (write(cgroup->join[i], "0", 1) != 1)
                _exit(errno);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return false;
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    return errno == 0;
}

/* Until the keeper has ended, by itself or because its parent has. Not PR_SET_PDEATHSIG for the latter: it would come
 * with the end of the thread that started us. */
static int wait_for(pid_t keeper, int parent)
{
    int status, own = (int)syscall(SYS_pidfd_open, keeper, 0);
    struct pollfd on[2] = {{.fd = own, .events = POLLIN}, {.fd = parent, .events = POLLIN}};
    while (own >= 0 && poll(on, 2, -1) < 0 && errno == EINTR)
        ;
    if (on[1].revents)
        kill(keeper, SIGKILL);
    while (waitpid(keeper, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The C library has the kernel write down, at each change of core, where a thread is (rseq(2), glibc 2.35). Nobody here
 * asks, and after a fork each such note copies a page. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));

static void forget_cores(void)
{
    enum { LENGTH = 32, UNREGISTER = 1, SIGNATURE = 0x53053053 };
#if defined(SYS_rseq) && defined(__x86_64__)
    if (&__rseq_offset)
        syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, LENGTH, UNREGISTER, SIGNATURE);
#endif
}

int main(int argc, char **argv)
{
    struct config config = {0};
    struct cgroup cgroup = {0};
    char why[512] = "", temp[400] = "";
    if (argc != 2 || (parent_socket = atoi(argv[1])) < 3) {
        fprintf(stderr, "keeper: started by codejury, not by hand\n");
        return 2;
    }
    forget_cores();
    secure_streams();
    int parent = (int)syscall(SYS_pidfd_open, getppid(), 0); /* -1: its end of the socket must tell */
    default_signals();
    umask(022);
    widen(RLIMIT_FSIZE);
    widen(RLIMIT_NOFILE);
    fcntl(parent_socket, F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN); /* Ctrl-C goes to the whole foreground group: the parent decides what it means */
    setsid();
    read_config(&config);
    bool inside = config.level == LEVEL_NAMESPACES, two = config.uid >= 0; /* and the next one; without, we may map but ourselves */
    if (cgroup_make(&cgroup, &config, why, sizeof why) < 0) {
        int error = errno;
        cgroup_remove(&cgroup);
        errno = error;
        give_up(STEP_CGROUP_MAKE, why);
    }
    if (cgroup.joins && !may_join(&cgroup)) {
        int error = errno;
        cgroup_remove(&cgroup);
        errno = error;
        give_up(STEP_CGROUP_MAKE, "a process of ours may not be moved into it: start codejury inside the delegated group");
    }
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) < 0)
        give_up(STEP_MEMORY, "pipe");
    pid_t keeper;
    if (inside) {
        /* glibc's fork() would not do: its caches must not matter, and here they do not, for the child only
         * goes on in this file. */
        keeper = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
                                CLONE_NEWUTS | SIGCHLD, 0, 0, 0, 0);
        if (keeper == 0) {
            close(gate[1]);
            close_fd(&parent);
            keep_inside(&config, &cgroup, gate[0], two);
        }
    } else {
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        snprintf(temp, sizeof temp, "%s/codejury-%d-XXXXXX", config.temp ? config.temp : "/tmp", (int)getpid());
        if (!mkdtemp(temp))
            give_up(STEP_RUN_FILE, temp);
        chmod(temp, 0711); /* a program of another identity must pass through */
        keeper = fork();
        if (keeper == 0) {
            close_fd(&parent);
            keep_bare(&config, temp);
        }
    }
    if (keeper < 0) {
        int error = errno;
        cgroup_remove(&cgroup);
        if (*temp)
            rmdir(temp);
        errno = error;
        give_up(STEP_NAMESPACES, error == EPERM || error == ENOSPC || error == EUSERS
                                     ? "namespaces are not allowed here (sysctl user.max_*_namespaces, "
                                       "kernel.unprivileged_userns_clone, or a container's seccomp profile)"
                                     : "");
    }
    close(gate[0]);
    if (inside) {
        if (map_ids(keeper, two, (unsigned)config.uid) < 0) {
            send_failure(parent_socket, STEP_ID_MAP, errno, "");
            kill(keeper, SIGKILL);
        } else if (write(gate[1], "", 1) != 1) {
            kill(keeper, SIGKILL);
        }
    }
    close(gate[1]);
    close(parent_socket); /* so that the keeper's end is the parent's end of file */
    signal(SIGTERM, SIG_DFL);
    int status = wait_for(keeper, parent);
    if (*temp)
        sweep_bare(temp);
    cgroup_remove(&cgroup);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
