/* pid 1 of a run's own namespaces: it makes the working directory, starts the program, and harvests.
 *
 * Owns the time between clone() into fresh pid and mount namespaces and the end of everything in them:
 * when it exits, the kernel kills and reaps whatever is left there (pid_namespaces(7)) and unmounts the working
 * directory. That is how nothing survives from one run to the next. The ipc namespace is the worker's: objects in it,
 * System V's and message queues, are what the filter lets nobody make.
 *
 *   REPORT_READY, then the keeper's word:
 *   to go        start_program() by vfork and exec, then wait for it
 *   to harvest   a fork of the zygote was the program, in these namespaces; it is over
 *
 * The program is pid 2, not 1: pid 1 ignores the signals it has no handler for, abort() among them.
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
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void report_failure(int fd, enum step step, int error)
{
    struct report report = {.kind = REPORT_FAILED, .step = step, .error = error};
    write_exactly(fd, &report, sizeof report);
}

static void fail(const struct cradle *cradle, enum step step)
{
    report_failure(cradle->report, step, errno);
    _exit(1);
}

static void mount_run(const struct cradle *cradle)
{
    if (mount("run", RUN_DIRECTORY, "tmpfs", MS_NOSUID | MS_NODEV, cradle->disk) < 0)
        fail(cradle, STEP_RUN_TMPFS);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        fail(cradle, STEP_RUN_PROC);
}

static int make_directories(const struct cradle *cradle)
{
    /* They belong to the program; fsuid is all that decides it (setfsuid(2)). */
    setfsgid(cradle->run_gid);
    setfsuid(cradle->run_uid);
    if (mkdir(WORK_DIRECTORY, 0755) < 0 || mkdir(RUN_TMP, 0777) < 0 || mkdir(RUN_DIRECTORY "/shm", 0777) < 0)
        fail(cradle, STEP_RUN_FILE);
    if (cradle->shown && root_link_shown(cradle->shown, RUN_TMP) < 0)
        fail(cradle, STEP_RUN_FILE);
    int work = open(WORK_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work < 0)
        fail(cradle, STEP_RUN_FILE);
    setfsuid(cradle->uid);
    setfsgid(cradle->gid);
    /* Changes of identity cleared it, and without it not even the zygote may enter our namespaces (ptrace(2), access
     * mode checks). Programs still may not look at us: we have capabilities, they have none. */
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return work;
}

/* The child of vfork() shares our memory until exec: it tells what failed, and leaves. */
pid_t start_program(const struct lockdown *lockdown, const struct bounds *bounds, char **argv, char **env, const int streams[3],
                    int report, enum step *step, int *error)
{
    volatile enum step failed = STEP_NONE;
    volatile int why = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        enum step at = lockdown_streams(streams);
        if (at == STEP_NONE)
            at = lockdown_place(lockdown, report, report);
        if (at == STEP_NONE)
            at = lockdown_last(lockdown, bounds);
        if (at == STEP_NONE) {
            fcntl(report, F_SETFD, FD_CLOEXEC);
            execve(argv[0], argv, env);
            at = STEP_EXEC;
        }
        failed = at;
        why = errno;
        _exit(127);
    }
    if (pid < 0) {
        failed = STEP_RUN_FORK;
        why = errno;
    }
    *step = failed;
    *error = why;
    return pid;
}

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* What the program left behind: nobody, then how full the disk was, then the files asked for. */
static void harvest(const struct cradle *cradle, int work, struct report *report, const struct go *go, char *patterns)
{
    struct statfs disk;
    struct rusage usage;
    struct list fetch = {0};
    if (fstatfs(work, &disk) == 0)
        report->disk_full = disk.f_blocks && (disk.f_bfree == 0 || disk.f_ffree == 0);
    syscall(SYS_kill, -1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
    if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
        report->cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
        report->maxrss_bytes = (uint64_t)usage.ru_maxrss << 10;
    }
    report->kind = REPORT_ENDED;
    if (write_exactly(cradle->report, report, sizeof *report) < 0)
        _exit(1);
    for (uint32_t i = 0; i < go->fetches; i++) {
        const char *pattern = next_text(&patterns);
        char *copy = list_add(&fetch, strlen(pattern));
        if (!copy)
            _exit(1);
        memcpy(copy, pattern, strlen(pattern));
    }
    if (fetch.count && workdir_fetch(work, &fetch, cradle->report, go->disk_bytes) < 0)
        _exit(1); /* the keeper misses the last record */
    _exit(0);
}

/* While a fork of the zygote runs, its orphans come to us. */
static void wait_for_word(const struct cradle *cradle)
{
    const uint64_t child = 1ull << (SIGCHLD - 1); /* the kernel's own form of a set */
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &child, NULL, sizeof child);
    int signals = (int)syscall(SYS_signalfd4, -1, &child, sizeof child, SFD_NONBLOCK | SFD_CLOEXEC);
    struct report ready = {.kind = REPORT_READY};
    if (signals < 0 || write_exactly(cradle->report, &ready, sizeof ready) < 0)
        _exit(1);
    for (;;) {
        struct pollfd on[2] = {{.fd = cradle->control, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        if (poll(on, 2, -1) < 0 && errno != EINTR)
            _exit(1);
        if (on[1].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof info) > 0)
                ;
            while (waitpid(-1, NULL, WNOHANG) > 0)
                ;
        }
        if (on[0].revents)
            break;
    }
    close(signals);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &child, NULL, sizeof child);
}

static void run_program(const struct cradle *cradle, const struct go *go, char **texts, const int streams[3], struct report *report)
{
    char *few[64], **argv = few;
    size_t count = (size_t)go->argc + go->envc + 2;
    if (count > sizeof few / sizeof *few && !(argv = calloc(count, sizeof *argv)))
        fail(cradle, STEP_MEMORY);
    char **env = argv + go->argc + 1;
    for (uint32_t i = 0; i < go->argc; i++)
        argv[i] = next_text(texts);
    for (uint32_t i = 0; i < go->envc; i++)
        env[i] = next_text(texts);
    argv[go->argc] = env[go->envc] = NULL;
    enum step step;
    int error;
    report->start_ns = now_ns();
    pid_t program = start_program(cradle->lockdown, &go->bounds, argv, env, streams, cradle->report, &step, &error);
    if (step != STEP_NONE) {
        report_failure(cradle->report, step, error);
        _exit(1);
    }
    for (int i = 0; i < 3; i++)
        close(streams[i]);
    pid_t gone;
    do
        gone = waitpid(-1, &report->status, 0);
    while (gone != program && (gone > 0 || errno == EINTR));
    report->end_ns = now_ns();
}

void init_main(const struct cradle *cradle)
{
    struct report report = {0};
    struct go go = {0};
    char room[1024], *texts;
    int streams[GIVEN];
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    mount_run(cradle);
    int work = make_directories(cradle);
    wait_for_word(cradle);
    if (take_go(cradle->control, &go, room, sizeof room, &texts, streams) < 0)
        _exit(0);
    if (streams[0] >= 0)
        run_program(cradle, &go, &texts, streams, &report);
    harvest(cradle, work, &report, &go, texts);
    _exit(0);
}
