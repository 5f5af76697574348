/* The system call filter: an allow-list.
 *
 * Owns which system calls exist for a program. What is not listed answers ENOSYS, so that runtimes
 * fall back as they do on an old kernel (glibc from clone3 to clone, for one). Entry through another
 * architecture's table (int 0x80, x32) ends the process.
 *
 * The filter is a binary search over ranges of numbers, not a list: the kernel emulates it once for
 * each system call number when it is installed (seccomp_cache_prepare, Linux 5.11), and compiles every
 * instruction; both are paid in every run.
 *
 * What is left out on purpose: namespaces, mounts, ptrace and its kin, keys, bpf, perf, userfaultfd,
 * io_uring, file handles, SysV and POSIX message IPC (it outlives processes), memfd_create (memory that
 * no resident-set watch sees), sockets (socketpair stays), scheduling classes and priorities (a starved
 * program would stretch its wall clock), clocks, modules, quotas, swap.
 */
#include "box.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "seccomp.c knows x86_64 and aarch64"
#endif

/* Newer than the headers of the oldest distribution we build on; the numbers are the same everywhere. */
#define NR_FUTEX_WAITV 449
#define NR_CACHESTAT 451
#define NR_FCHMODAT2 452
#define NR_MAP_SHADOW_STACK 453
#define NR_FUTEX_WAKE 454
#define NR_FUTEX_WAIT 455
#define NR_FUTEX_REQUEUE 456

enum action {
    DENY, /* ENOSYS */
    ALLOW,
    REFUSE,  /* EPERM */
    PRETEND, /* success, nothing done */
    SOCKET,  /* EACCES: as a firewall would say */
    CLONE,   /* no new namespaces */
    PRCTL,
    IOCTL,
    SELF,    /* first argument must be 0: the caller itself */
    PAIR,    /* AF_UNIX only */
    PERSONALITY,
    SIGNAL,  /* first argument must be the caller's own pid */
    FCNTL,   /* no owner for SIGIO but oneself */
    METADATA,/* modes and times: allowed inside; outside Landlock does not guard them, and nothing is done */
    INSIDE,  /* allowed inside only */
    AFFINITY,/* outside of oneself only */
    GROUP,   /* outside a run is one process group, so that one signal reaches all of it: nothing is done */
    OWNER,   /* allowed inside only, where it changes nothing without capabilities */
    PIDFD,   /* descriptors say nothing of whose they are: not without a scope */
};

struct rule {
    int number;
    enum action action;
};

#define A(name) {__NR_##name, ALLOW},

static const struct rule RULES[] = {
    /* files */
    A(read) A(write) A(readv) A(writev) A(pread64) A(pwrite64) A(preadv) A(pwritev) A(preadv2) A(pwritev2) A(openat)
    A(openat2) A(close) A(close_range) A(fstat) A(statx) A(lseek) A(dup) A(dup3) A(pipe2) A(flock) A(fsync)
    A(fdatasync) A(ftruncate) A(truncate) A(fallocate) A(getdents64) A(getcwd) A(chdir) A(fchdir) A(renameat2)
    A(mkdirat) A(unlinkat) A(symlinkat) A(linkat) A(readlinkat) A(mknodat)
    A(faccessat) A(faccessat2) A(umask) A(statfs) A(fstatfs) A(sendfile) A(copy_file_range) A(splice)
    A(tee) A(vmsplice) A(readahead) A(fadvise64) A(sync_file_range) A(getxattr) A(lgetxattr) A(fgetxattr)
    A(listxattr) A(llistxattr) A(flistxattr)
    {__NR_inotify_init1, INSIDE}, {__NR_inotify_add_watch, INSIDE}, {__NR_inotify_rm_watch, INSIDE},
    {NR_CACHESTAT, ALLOW}, {NR_FCHMODAT2, METADATA}, {__NR_fchmod, METADATA}, {__NR_fchmodat, METADATA},
    {__NR_fchown, OWNER}, {__NR_fchownat, OWNER}, {__NR_utimensat, METADATA},
    {__NR_sync, PRETEND}, {__NR_syncfs, PRETEND}, /* would flush every file system of the host */
    {__NR_ioctl, IOCTL}, {__NR_fcntl, FCNTL},
    /* waiting */
    A(ppoll) A(pselect6) A(epoll_create1) A(epoll_ctl) A(epoll_pwait) A(eventfd2) A(signalfd4) A(timerfd_create)
    A(timerfd_settime) A(timerfd_gettime) A(nanosleep) A(clock_nanosleep)
#ifdef __NR_epoll_pwait2
    A(epoll_pwait2)
#endif
    /* memory */
    A(mmap) A(munmap) A(mprotect) A(mremap) A(madvise) A(brk) A(msync) A(mincore) A(mlock) A(mlock2) A(munlock)
    A(mlockall) A(munlockall) A(membarrier) A(get_mempolicy) A(set_mempolicy) A(mbind) A(pkey_alloc) A(pkey_free)
    A(pkey_mprotect) {NR_MAP_SHADOW_STACK, ALLOW},
    /* processes and threads */
    {__NR_clone, CLONE}, A(execve) A(execveat) A(exit) A(exit_group) A(wait4) A(waitid) A(getpid) A(getppid) A(gettid)
    A(getpgid) {__NR_setpgid, GROUP}, A(getsid) {__NR_setsid, GROUP}, A(set_tid_address) A(set_robust_list) A(futex) A(rseq) A(sched_yield)
    A(sched_getaffinity) A(sched_getparam) A(sched_getscheduler) A(sched_get_priority_max) A(sched_get_priority_min)
    A(sched_rr_get_interval) A(sched_getattr) A(getpriority) A(getcpu) A(getrusage) A(times) A(getrlimit)
    A(setrlimit) A(pidfd_open)
    {NR_FUTEX_WAITV, ALLOW}, {NR_FUTEX_WAKE, ALLOW}, {NR_FUTEX_WAIT, ALLOW}, {NR_FUTEX_REQUEUE, ALLOW},
    {__NR_prlimit64, SELF}, {__NR_prctl, PRCTL}, {__NR_personality, PERSONALITY},
    /* runtimes set priorities of their threads and complain, on stdout even, when refused: nothing is done */
    {__NR_sched_setscheduler, PRETEND}, {__NR_sched_setparam, PRETEND}, {__NR_sched_setattr, PRETEND},
    {__NR_setpriority, PRETEND}, {__NR_ioprio_set, PRETEND}, {__NR_ptrace, REFUSE},
    /* signals: the SIGNAL ones are plainly allowed where a namespace or a Landlock scope bounds them */
    {__NR_kill, SIGNAL}, {__NR_tkill, SIGNAL}, {__NR_tgkill, SIGNAL}, {__NR_rt_sigqueueinfo, SIGNAL},
    {__NR_rt_tgsigqueueinfo, SIGNAL}, {__NR_pidfd_send_signal, PIDFD}, {__NR_sched_setaffinity, AFFINITY},
    A(rt_sigaction) A(rt_sigprocmask) A(rt_sigpending) A(rt_sigsuspend) A(rt_sigtimedwait) A(rt_sigreturn)
    A(sigaltstack) A(restart_syscall)
    /* time */
    A(clock_gettime) A(clock_getres) A(gettimeofday) A(timer_create) A(timer_settime) A(timer_gettime)
    A(timer_getoverrun) A(timer_delete) A(setitimer) A(getitimer)
    /* identity: without capabilities these change nothing, and runtimes call them */
    A(getuid) A(geteuid) A(getgid) A(getegid) A(getresuid) A(getresgid) A(getgroups) A(setuid) A(setgid) A(setreuid)
    A(setregid) A(setresuid) A(setresgid) A(capget) A(setfsuid) A(setfsgid)
    /* the system */
    A(uname) A(sysinfo) A(getrandom)
    /* pairs of sockets, and what is done with them */
    {__NR_socket, SOCKET}, {__NR_connect, SOCKET}, {__NR_bind, SOCKET}, {__NR_listen, SOCKET}, {__NR_accept, SOCKET},
    {__NR_accept4, SOCKET}, {__NR_socketpair, PAIR}, A(sendto) A(recvfrom) A(sendmsg) A(recvmsg) A(sendmmsg)
    A(recvmmsg) A(shutdown) A(getsockname) A(getpeername) A(getsockopt) A(setsockopt)
#ifdef __x86_64__
    A(open) A(creat) A(stat) A(lstat) A(newfstatat) A(access) A(dup2) A(pipe) A(poll) A(select) A(epoll_create)
    A(epoll_wait) A(eventfd) A(signalfd) A(rename) A(renameat) A(mkdir) A(rmdir) A(unlink) A(symlink)
    A(link) A(readlink) A(mknod) A(getdents) A(fork)
    A(vfork) A(getpgrp) A(alarm) A(pause) A(time) A(arch_prctl)
    {__NR_chmod, METADATA}, {__NR_chown, OWNER}, {__NR_lchown, OWNER}, {__NR_utime, METADATA},
    {__NR_utimes, METADATA}, {__NR_futimesat, METADATA}, {__NR_inotify_init, INSIDE},
#else
    A(newfstatat) A(renameat)
#endif
};

#undef A

enum { NUMBERS = 512, ROOM = 1536 };

struct program {
    struct sock_filter code[ROOM];
    unsigned length;
};

static void emit(struct program *p, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
    if (p->length < ROOM)
        p->code[p->length] = (struct sock_filter){code, jt, jf, k};
    p->length++;
}

#define LOAD(p, field) emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offsetof(struct seccomp_data, field))
#define LOAD_ARGUMENT(p, n) emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offsetof(struct seccomp_data, args[n]))
#define LOAD_ARGUMENT_HIGH(p, n) \
    emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offsetof(struct seccomp_data, args[n]) + 4)
#define RETURN(p, value) emit(p, BPF_RET | BPF_K, 0, 0, value)
#define ERROR(number) (SECCOMP_RET_ERRNO | (number))

/* Answer `met` when the accumulator equals one of the values, else `otherwise`. */
static void emit_values(struct program *p, const uint32_t *values, size_t count, uint32_t met, uint32_t otherwise)
{
    for (size_t i = 0; i < count; i++)
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(count - i), 0, values[i]);
    RETURN(p, otherwise);
    RETURN(p, met);
}

static void allow_values(struct program *p, const uint32_t *values, size_t count, uint32_t otherwise)
{
    emit_values(p, values, count, SECCOMP_RET_ALLOW, otherwise);
}

static void refuse_values(struct program *p, const uint32_t *values, size_t count)
{
    emit_values(p, values, count, ERROR(EPERM), SECCOMP_RET_ALLOW);
}

#define NEW_NAMESPACES 0x7e020000u /* user, pid, net, mount, uts, ipc, cgroup; time is clone3's alone */
/* A sibling instead of a child: its parent would be the zygote, which waits for nobody but its own fork, and the
 * run's pid namespace could not end before it had. */
#define SIBLING 0x8000u /* CLONE_PARENT */

/* What an action comes to at this level. Fewer kinds are fewer ranges, and a shorter filter is compiled faster, which
 * is paid in every run too. */
static enum action at_level(enum action action, unsigned flags)
{
    int bare = flags & SECCOMP_BARE, scoped = !(flags & SECCOMP_NO_SIGNAL_SCOPE);
    switch (action) {
    case METADATA:
    case GROUP: return bare ? PRETEND : ALLOW;
    case OWNER: return bare ? REFUSE : ALLOW;
    case INSIDE: return bare ? DENY : ALLOW;
    case AFFINITY: return bare ? SELF : ALLOW;
    case PIDFD: return scoped ? ALLOW : DENY;
    case SIGNAL:
    case FCNTL: return scoped ? ALLOW : action;
    default: return action;
    }
}

static void emit_action(struct program *p, enum action action, unsigned flags)
{
    /* prctl options that programs and runtimes use and that touch nobody else (prctl(2)) */
    static const uint32_t OPTIONS[] = {
        PR_SET_PDEATHSIG /* not outside, where ours must stay */, PR_SET_NAME, PR_GET_NAME, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_CAPBSET_READ,
        PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_SET_THP_DISABLE,
        PR_GET_THP_DISABLE, PR_GET_SECCOMP, PR_GET_KEEPCAPS, PR_GET_SECUREBITS, PR_GET_CHILD_SUBREAPER,
        PR_GET_TID_ADDRESS, PR_GET_TSC, 0x53564d41 /* PR_SET_VMA */, 47 /* PR_CAP_AMBIENT */,
    };
    switch (action) {
    case CLONE:
        LOAD_ARGUMENT(p, 0);
        emit(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, NEW_NAMESPACES | SIBLING);
        RETURN(p, ERROR(EPERM));
        RETURN(p, SECCOMP_RET_ALLOW);
        return;
    case PRCTL: {
        LOAD_ARGUMENT(p, 0);
        size_t first = flags & SECCOMP_BARE ? 1 : 0;
        allow_values(p, OPTIONS + first, sizeof OPTIONS / sizeof *OPTIONS - first, ERROR(EPERM));
        return;
    }
    case IOCTL: { /* typing into a terminal: TIOCSTI, TIOCLINUX; the kernel looks at the low half only */
        static const uint32_t REFUSED[] = {0x5412, 0x541c, 0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */};
        LOAD_ARGUMENT(p, 1);
        refuse_values(p, REFUSED, sizeof REFUSED / sizeof *REFUSED);
        return;
    }
    case FCNTL: {
        static const uint32_t REFUSED[] = {8 /* F_SETOWN */, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */};
        LOAD_ARGUMENT(p, 1);
        refuse_values(p, REFUSED, sizeof REFUSED / sizeof *REFUSED);
        return;
    }
    case SELF: {
        static const uint32_t ZERO[] = {0};
        LOAD_ARGUMENT(p, 0);
        allow_values(p, ZERO, 1, ERROR(EPERM));
        return;
    }
    case PAIR: { /* streams; a datagram socket can be pointed at any address, even one of a pair */
        static const uint32_t KINDS[] = {1 /* SOCK_STREAM */, 5 /* SOCK_SEQPACKET */};
        LOAD_ARGUMENT(p, 0);
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1 /* AF_UNIX */);
        RETURN(p, ERROR(EACCES));
        LOAD_ARGUMENT(p, 1);
        emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xf);
        allow_values(p, KINDS, 2, ERROR(EACCES));
        return;
    }
    case PERSONALITY: {
        static const uint32_t PLAIN[] = {0, 0xffffffff /* ask only */};
        LOAD_ARGUMENT(p, 0);
        allow_values(p, PLAIN, 2, ERROR(EPERM));
        return;
    }
    case SIGNAL: {
        /* No namespace and no Landlock scope (before Linux 6.12) keeps it from the user's other
         * processes: only its own pid, which is the caller's at the time the filter is made. */
        uint32_t self[] = {(uint32_t)getpid()};
        LOAD_ARGUMENT(p, 0);
        allow_values(p, self, 1, ERROR(EPERM));
        return;
    }
    default: RETURN(p, ERROR(ENOSYS)); /* the others are gone since at_level(), or need no more than the number */
    }
}

struct range {
    uint32_t first;
    enum action action;
};

/* What needs no more than the number is answered at the end, once for all who come to it: every instruction is compiled
 * in each run. */
static bool answer_of(enum action action, uint32_t *answer)
{
    switch (action) {
    case DENY: *answer = ERROR(ENOSYS); return true;
    case ALLOW: *answer = SECCOMP_RET_ALLOW; return true;
    case REFUSE: *answer = ERROR(EPERM); return true;
    case PRETEND: *answer = ERROR(0); return true;
    case SOCKET: *answer = ERROR(EACCES); return true;
    default: return false;
    }
}

struct jump { /* from where, on which branch, and to what: known when all is emitted */
    unsigned from;
    bool met;
    uint32_t answer;
};

struct jumps {
    struct jump items[2 * NUMBERS];
    size_t count;
};

static void aim(struct program *p, unsigned from, bool met)
{
    unsigned distance = p->length - from - 1;
    if (distance > 255 || from >= ROOM) /* further than a jump reaches */
        p->length = ROOM + 1;
    else if (met)
        p->code[from].jt = (uint8_t)distance;
    else
        p->code[from].jf = (uint8_t)distance;
}

/* A row of ranges of which every other one is a single number, and those between are all of one kind: each number costs
 * one comparison in it, and the rest none. A range by itself is a row too. */
struct row {
    const struct range *ranges;
    size_t count;
};

enum { LONGEST_ROW = 9 }; /* it is gone through in order: longer ones make a tree that is too deep */

static size_t rows_of(struct row *rows, const struct range *ranges, size_t count)
{
    size_t found = 0;
    for (size_t at = 0; at < count; at += rows[found++].count) {
        size_t length = 1;
        while (length < LONGEST_ROW && at + length + 1 < count && ranges[at + length + 1].action == ranges[at].action &&
               ranges[at + length + 1].first == ranges[at + length].first + 1)
            length += 2;
        rows[found] = (struct row){ranges + at, length};
    }
    return found;
}

static bool leads_to_answer(struct jumps *jumps, unsigned from, bool met, enum action action)
{
    uint32_t answer;
    if (!answer_of(action, &answer))
        return false;
    jumps->items[jumps->count++] = (struct jump){from, met, answer};
    return true;
}

static void emit_row(struct program *p, struct jumps *jumps, const struct row *row, unsigned flags)
{
    unsigned start = p->length;
    enum action rest = row->ranges[0].action;
    for (size_t i = 1; i < row->count; i += 2)
        emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, row->ranges[i].first);
    if (row->count == 1 || !leads_to_answer(jumps, p->length - 1, false, rest))
        emit_action(p, rest, flags);
    for (size_t i = 1; i < row->count; i += 2) {
        unsigned from = start + (unsigned)(i / 2);
        if (!leads_to_answer(jumps, from, true, row->ranges[i].action)) {
            aim(p, from, true);
            emit_action(p, row->ranges[i].action, flags);
        }
    }
}

static void emit_search(struct program *p, struct jumps *jumps, const struct row *rows, size_t count, unsigned flags)
{
    if (count == 1) {
        emit_row(p, jumps, rows, flags);
        return;
    }
    size_t middle = count / 2;
    unsigned start = p->length;
    emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 0, rows[middle].ranges[0].first);
    for (int met = 0; met < 2; met++) {
        const struct row *part = met ? rows + middle : rows;
        size_t length = met ? count - middle : middle;
        if (length == 1 && part->count == 1 && leads_to_answer(jumps, start, met, part->ranges[0].action))
            continue;
        aim(p, start, met);
        emit_search(p, jumps, part, length, flags);
    }
}

static void emit_answers(struct program *p, const struct jumps *jumps)
{
    for (size_t i = 0; i < jumps->count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i; k++)
            is_new = is_new && jumps->items[k].answer != jumps->items[i].answer;
        if (!is_new)
            continue;
        for (size_t k = i; k < jumps->count && p->length <= ROOM; k++)
            if (jumps->items[k].answer == jumps->items[i].answer)
                aim(p, jumps->items[k].from, jumps->items[k].met);
        RETURN(p, jumps->items[i].answer);
    }
}

static void build(struct program *p, unsigned flags)
{
    static enum action actions[NUMBERS];
    static struct jumps jumps;
    struct range ranges[NUMBERS + 1];
    struct row rows[NUMBERS + 1];
    size_t count = 0;
    jumps.count = 0;
    for (size_t i = 0; i < NUMBERS; i++)
        actions[i] = DENY;
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
        actions[RULES[i].number] = at_level(RULES[i].action, flags);
    for (uint32_t n = 0; n < NUMBERS; n++)
        if (!count || actions[n] != ranges[count - 1].action)
            ranges[count++] = (struct range){n, actions[n]};
    if (ranges[count - 1].action != DENY)
        ranges[count++] = (struct range){NUMBERS, DENY};

    p->length = 0;
    LOAD(p, arch);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE);
    RETURN(p, SECCOMP_RET_KILL_PROCESS);
    LOAD(p, nr);
#ifdef X32_BIT
    emit(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
    RETURN(p, SECCOMP_RET_KILL_PROCESS);
#endif
    emit_search(p, &jumps, rows, rows_of(rows, ranges, count), flags);
    emit_answers(p, &jumps);
}

static struct program program;
static unsigned built_for = ~0u;

void seccomp_prepare(unsigned flags)
{
    /* The SIGNAL rules hold the caller's pid: those are made anew for each program. */
    if (built_for != flags || (flags & SECCOMP_NO_SIGNAL_SCOPE)) {
        build(&program, flags);
        built_for = flags;
    }
}

int seccomp_install(unsigned flags)
{
    seccomp_prepare(flags);
    if (program.length > ROOM) {
        errno = E2BIG;
        return -1;
    }
    struct sock_fprog filter = {.len = (unsigned short)program.length, .filter = program.code};
    return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}
