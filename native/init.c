/* pid 1 of a run's own namespaces: it lays the working directory, starts the program, and harvests.
 *
 * Owns the time between clone() into fresh pid, mount and ipc namespaces and the end of everything in them:
 * when it exits, the kernel kills and reaps whatever is left there (pid_namespaces(7)), unmounts the
 * working directory and drops the ipc objects. That is how nothing survives from one run to the next.
 *
 *   cold   start_program() by vfork and exec, then wait for it
 *   warm   REPORT_READY; the zygote forks the program into these namespaces; wait for the keeper's word
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

static void fail(const struct launch *launch, enum step step)
{
    report_failure(launch->report, step, errno);
    _exit(1);
}

static void mount_run(const struct launch *launch)
{
    char options[160];
    const struct limits *limits = &launch->request->limits;
    uint64_t bytes = limits->disk_bytes;
    int n = bytes == UNLIMITED ? snprintf(options, sizeof options, "mode=755,nr_inodes=1000000")
                               /* a page for each of the three directories, and the inodes that so much space can fill */
                               : snprintf(options, sizeof options, "mode=755,size=%llu,nr_inodes=%llu",
                                          (unsigned long long)bytes + 16384,
                                          (unsigned long long)(bytes >> 12) + 1024);
    snprintf(options + n, sizeof options - (size_t)n, ",uid=%u,gid=%u", launch->run_uid, launch->run_gid);
    if (mount("run", RUN_DIRECTORY, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
        fail(launch, STEP_RUN_TMPFS);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        fail(launch, STEP_RUN_PROC);
}

static int lay_run(const struct launch *launch)
{
    /* Files belong to the program; fsuid is all that decides it (setfsuid(2)), and 0 keeps our capabilities. */
    setfsgid(launch->run_gid);
    setfsuid(launch->run_uid);
    if (mkdir(WORK_DIRECTORY, 0755) < 0 || mkdir(RUN_DIRECTORY "/tmp", 0777) < 0 || mkdir(RUN_DIRECTORY "/shm", 0777) < 0)
        fail(launch, STEP_RUN_FILE);
    int work = open(WORK_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (work < 0 || workdir_lay(work, &launch->request->files) < 0)
        fail(launch, STEP_RUN_FILE);
    setfsuid(geteuid());
    setfsgid(getegid());
    /* Changes of identity cleared it, and without it not even the zygote may enter our namespaces (ptrace(2), access
     * mode checks). Programs still may not look at us: we have capabilities, they have none. */
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return work;
}

/* The child of vfork() shares our memory until exec: it reports through the pipe and leaves. */
pid_t start_program(const struct launch *launch, enum step *step, int *error)
{
    char **argv = list_argv(&launch->request->argv), **env = list_argv(&launch->request->env);
    if (!argv || !env) {
        *step = STEP_MEMORY;
        return -1;
    }
    volatile enum step failed = STEP_NONE;
    volatile int why = 0;
    pid_t pid = vfork();
    if (pid == 0) {
        enum step at = lockdown(launch->lockdown, launch->request->in, launch->out, launch->err, launch->report);
        if (at == STEP_NONE) {
            fcntl(launch->report, F_SETFD, FD_CLOEXEC);
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
    free(argv);
    free(env);
    *step = failed;
    *error = why;
    return pid;
}

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* What the program left behind: nobody, then how full the disk was, then the files asked for. */
static void harvest(const struct launch *launch, int work, struct report *report)
{
    struct statfs disk;
    struct rusage usage;
    if (fstatfs(work, &disk) == 0)
        report->disk_full = disk.f_blocks && (disk.f_bfree == 0 || disk.f_ffree == 0);
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
    if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
        report->cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
        report->maxrss_bytes = (uint64_t)usage.ru_maxrss << 10;
    }
    report->kind = REPORT_ENDED;
    if (write_exactly(launch->report, report, sizeof *report) == 0 && launch->request->fetch.count &&
        workdir_fetch(work, &launch->request->fetch, launch->report, launch->request->limits.disk_bytes) < 0)
        _exit(1); /* the keeper misses the last record */
    _exit(0);
}

static void wait_for_word(const struct launch *launch)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    struct report ready = {.kind = REPORT_READY};
    if (write_exactly(launch->report, &ready, sizeof ready) < 0)
        _exit(1);
    for (;;) {
        struct pollfd on[2] = {{.fd = launch->control, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        if (poll(on, 2, -1) < 0 && errno != EINTR)
            _exit(1);
        if (on[1].revents) {
            struct signalfd_siginfo info;
            while (read(signals, &info, sizeof info) > 0)
                ;
            while (waitpid(-1, NULL, WNOHANG) > 0) /* orphans come to us */
                ;
        }
        if (on[0].revents)
            return;
    }
}

void init_main(const struct launch *launch)
{
    struct report report = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    mount_run(launch);
    int work = lay_run(launch);
    if (launch->request->warm) {
        wait_for_word(launch);
        harvest(launch, work, &report);
    }
    enum step step;
    int error;
    report.start_ns = now_ns();
    pid_t program = start_program(launch, &step, &error);
    if (step != STEP_NONE) {
        report_failure(launch->report, step, error);
        _exit(1);
    }
    close(launch->out);
    close(launch->err);
    pid_t gone;
    do
        gone = waitpid(-1, &report.status, 0);
    while (gone != program && (gone > 0 || errno == EINTR));
    report.end_ns = now_ns();
    harvest(launch, work, &report);
    _exit(0);
}
