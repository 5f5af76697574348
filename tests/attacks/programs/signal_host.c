// attack: signals a process of the host by every call that can carry a signal.
// defence: pid namespace; at landlock the signal scope of Landlock (Linux 6.12)
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, long result) {
    if (result != 0) return;
    dprintf(1, "BREACH %s reached the host's process\n", how);
    held = 0;
}

int main(int argc, char **argv) {
    pid_t pid = atoi(argv[1]);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = SIGURG;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    // SIGURG does nothing by default: a hole shows, and the witness lives on.
    judge("kill", kill(pid, SIGURG));
    judge("tkill", syscall(SYS_tkill, pid, SIGURG));
    judge("tgkill", syscall(SYS_tgkill, pid, pid, SIGURG));
    judge("rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, pid, SIGURG, &info));
    judge("rt_tgsigqueueinfo", syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGURG, &info));
    int pidfd = syscall(SYS_pidfd_open, pid, 0);
    if (pidfd >= 0) judge("pidfd_send_signal", syscall(SYS_pidfd_send_signal, pidfd, SIGURG, 0, 0));
    // A pipe can be told whom to signal when it turns readable. Success here is not proof of
    // delivery, so the signal is a deadly one and the runner looks whether its witness still lives.
    int ends[2];
    if (pipe(ends) == 0 && fcntl(ends[0], F_SETOWN, pid) == 0) {
        fcntl(ends[0], F_SETSIG, SIGKILL);
        fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
        write(ends[1], "x", 1);
    }
    if (held) puts("held");
    return 0;
}
