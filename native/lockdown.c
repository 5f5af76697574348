/* The last steps before untrusted code, in their one right order.
 *
 * Owns the order. First the place, which is the same for every run: the control group before the identity
 * that could not write to it; capabilities after everything that needs them; Landlock needs no_new_privs. Then what
 * is the run's own: its streams; rlimits after the identity, so that RLIMIT_NPROC counts the right user, and no
 * capability is left to mind them; the filter is last, because it forbids most of what came before.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_close_range
#define __NR_close_range 436
#endif

int landlock_own_proc(int ruleset);
int landlock_enforce(int ruleset);

static int close_between(unsigned first, unsigned last)
{
    return first > last ? 0 : (int)syscall(__NR_close_range, first, last, 0);
}

enum step lockdown_streams(const int streams[3])
{
    /* dup2() to 0, 1, 2 in turn is safe: our own descriptors are never below 3. */
    return dup2(streams[0], 0) < 0 || dup2(streams[1], 1) < 0 || dup2(streams[2], 2) < 0 ? STEP_STDIO : STEP_NONE;
}

void default_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 65; number++)
        if (number != SIGKILL && number != SIGSTOP)
            signal(number, SIG_DFL);
}

enum step lockdown_place(const struct lockdown *how, int keep, int keep_too)
{
    enum step step;
    unsigned low = (unsigned)(keep < keep_too ? keep : keep_too), high = (unsigned)(keep < keep_too ? keep_too : keep);

    setsid(); /* no terminal, a process group of its own */
    if (chdir(how->work) < 0)
        return STEP_RUN_ENTER;
    for (int i = 0; i < how->joins; i++)
        if (write(how->join[i], "0", 1) != 1)
            return STEP_CGROUP_JOIN;
    if ((step = lockdown_identity(how)) != STEP_NONE)
        return step;
    if (drop_capabilities() < 0)
        return STEP_CAPABILITIES;
    if (how->level == LEVEL_LANDLOCK && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return STEP_IDENTITY; /* here, because a change of identity clears it; inside, the namespace does this */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return STEP_NO_NEW_PRIVS;
    /* A change of identity cleared it, and a program may not read its own /proc/self without. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return STEP_IDENTITY;
    if (how->level == LEVEL_LANDLOCK && landlock_own_proc(how->ruleset) < 0)
        return STEP_LANDLOCK;
    if (landlock_enforce(how->ruleset) < 0)
        return STEP_LANDLOCK;
    if (close_between(3, low - 1) < 0 || close_between(low + 1, high - 1) < 0 || close_between(high + 1, ~0u) < 0)
        return STEP_STDIO;
    return STEP_NONE;
}

enum step lockdown_last(const struct lockdown *how, const struct bounds *bounds)
{
    enum step step = lockdown_bounds(bounds);
    if (step != STEP_NONE)
        return step;
    if (!how->keep_signals) { /* what the keeper ignores would stay ignored over exec; handlers do not */
        static const uint64_t DEFAULT[4]; /* struct sigaction as the kernel has it */
        syscall(SYS_rt_sigaction, SIGPIPE, DEFAULT, NULL, sizeof(uint64_t));
        syscall(SYS_rt_sigaction, SIGINT, DEFAULT, NULL, sizeof(uint64_t));
    }
    if (seccomp_install(how->seccomp_flags) < 0)
        return STEP_SECCOMP;
    return STEP_NONE;
}
