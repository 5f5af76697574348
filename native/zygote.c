/* Lock-down for a fork of the waiting Python interpreter: the library box.so, loaded by zygote.py with ctypes.
 *
 * Owns the zygote's end of its socket. The interpreter does nothing but wait, in box_wait() for the first order and in
 * box_serve() from then on: there it forks, the parent waits for the child, and the child takes its place in a berth and
 * goes on in script.c, which gets ready and waits for the word to go in zygote_start(). The lock-down itself is the
 * keeper's code, compiled into both.
 */
#include "box.h"
#include "script.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREAD_STACK (64u << 20)

enum { PIDFD, REPORT, RULESET, GO, DESCRIPTORS };

static struct zygote_order order;
static int descriptors[DESCRIPTORS];
static struct go go;
static char *texts;

/* Blocks for the next order; the working directory goes to `work` (512 bytes). -1: the keeper is gone. What the program
 * is to be called with is not in the order but in the word to go, which only the child hears: nothing of one run may be
 * found in the memory of the next. */
int box_wait(int socket, char *work)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof descriptors)];
    } control;
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    struct cmsghdr *head = n == sizeof order ? CMSG_FIRSTHDR(&message) : NULL;
    if (!head || head->cmsg_len != CMSG_LEN(sizeof descriptors))
        return -1;
    memcpy(descriptors, CMSG_DATA(head), sizeof descriptors);
    snprintf(work, 512, "%s", order.lockdown.work);
    seccomp_prepare(order.lockdown.seccomp_flags); /* here, once, rather than in every child */
    /* Children of this process are born into the run's pid namespace from here on. */
    if (order.lockdown.level == LEVEL_NAMESPACES && setns(descriptors[PIDFD], CLONE_NEWPID) < 0) {
        struct report report = {.kind = REPORT_FAILED, .step = STEP_RUN_ENTER, .error = errno};
        write_exactly(descriptors[REPORT], &report, sizeof report);
        return -1;
    }
    return 0;
}

/* The zygote was started with room for the largest stack, and glibc took that for the default of threads: more than
 * a small machine has memory, which its kernel would refuse. */
static void plain_thread_stacks(uint64_t most)
{
    pthread_attr_t attributes;
    size_t size = most < THREAD_STACK ? (size_t)most : THREAD_STACK;
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, size) == 0)
            pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
}

static int refused(enum step step)
{
    struct report report = {.kind = REPORT_FAILED, .step = step, .error = errno};
    write_exactly(descriptors[REPORT], &report, sizeof report);
    return -1;
}

/* In the child. 0: in its place. Otherwise the step was reported, and the child must end. */
static int enter(void)
{
    if (order.lockdown.level == LEVEL_NAMESPACES && setns(descriptors[PIDFD], CLONE_NEWNS | CLONE_NEWIPC) < 0)
        return refused(STEP_RUN_ENTER);
    order.lockdown.ruleset = descriptors[RULESET];
    enum step step = lockdown_place(&order.lockdown, descriptors[REPORT], descriptors[GO]);
    return step == STEP_NONE ? 0 : refused(step);
}

/* In the child: whether the word to go comes within so many milliseconds. */
int zygote_called(int within_ms)
{
    struct pollfd on = {.fd = descriptors[GO], .events = POLLIN};
    return poll(&on, 1, within_ms) > 0;
}

/* In the child: waits for the word to go. -1: none came, or a step failed, and the child must end; otherwise it is
 * locked down, and the program starts: 1 where it is called as most are, 0 where box_texts() has more to say. `code`: the
 * file for what it compiles to, or -1. */
int zygote_start(int *code)
{
    int given[GIVEN];
    if (take_go(descriptors[GO], &go, NULL, 0, &texts, given) < 0)
        return -1;
    plain_thread_stacks(go.bounds.stack_bytes);
    enum step step = lockdown_streams(given);
    for (int i = 0; i < STREAMS; i++)
        close(given[i]);
    *code = given[CODE];
    close(descriptors[GO]);
    if (step == STEP_NONE)
        step = lockdown_last(&order.lockdown, &go.bounds);
    if (step != STEP_NONE)
        return refused(step);
    struct report started = {.kind = REPORT_STARTED, .status = getpid()};
    if (order.lockdown.level == LEVEL_LANDLOCK && write_exactly(descriptors[REPORT], &started, sizeof started) < 0)
        return -1;
    close(descriptors[REPORT]); /* the keeper learns from nobody but init that the run has ended */
    return go.plain != 0;
}

/* What the program is called with: `argc` arguments, and then variables, each with its NUL. */
const char *box_texts(unsigned *argc, size_t *length)
{
    *argc = go.argc;
    *length = go.length;
    return texts;
}

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* In the parent: waits for the child and tells the keeper how it ended. */
static int reap(int socket, pid_t pid)
{
    struct rusage usage;
    struct zygote_answer answer = {0};
    for (int i = 0; i < DESCRIPTORS; i++)
        close(descriptors[i]);
    pid_t gone;
    do
        gone = wait4(pid, &answer.status, 0, &usage);
    while (gone < 0 && errno == EINTR);
    if (gone < 0)
        return -1;
    while (waitpid(-1, NULL, WNOHANG) > 0) /* nobody else should be here; nobody else may stay */
        ;
    answer.cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
    answer.maxrss_bytes = (uint64_t)usage.ru_maxrss << 10;
    return write_exactly(socket, &answer, sizeof answer);
}

/* After the first order. Never returns, unless in a child whose interpreter script.c does not know: then the caller is
 * to start a new one. Every page that the parent writes to after a fork is copied, so it runs no Python but the seeds'; and
 * it forks without os.fork()'s hooks, which re-make locks that a process with one thread has no trouble with, and touch
 * some two hundred pages. What matters of them is in `arrive`. */
void box_serve(int socket, const char *work, void *path, void *seed, void *arrive, void *rehearse, void *name, void *compile, void *unload,
               void *settle, void *threading, void *atexit, void *gc)
{
    struct script script = {path, rehearse, name, compile, unload, settle, threading, atexit, gc};
    char place[512];
    pid_t pid = -1;
    script_prepare(&script);
    while (python_call(seed) == 0 && (pid = fork()) > 0)
        if (reap(socket, pid) < 0 || box_wait(socket, place) < 0 || strcmp(place, work) != 0)
            break;
    if (pid != 0)
        _exit(1);
    if (enter() < 0 || python_call(arrive) < 0)
        _exit(125);
    script_run(&script);
}
