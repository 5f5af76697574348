/* The waiting interpreters of a worker, from the keeper's side: started when first wanted, ordered from, stopped.
 *
 * Owns their life. An interpreter that does not answer is gone, and the next one who wants it has a new one started.
 * What an order carries is the same for every run: nothing of one run may be found in the memory of the next.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

#define ZYGOTE_START_MS 120000  /* importing numpy on a loaded machine is slow; nobody waits for it twice */
#define ZYGOTE_RENEWED_AFTER 5000
#define LARGEST_STACK (16ull << 30)

void zygote_stop(struct worker *worker, uint32_t kind)
{
    struct zygote *zygote = &worker->zygotes[kind];
    if (zygote->socket < 0)
        return;
    close_fd(&zygote->socket);
    if (zygote->pid > 0)
        kill(zygote->pid, SIGKILL);
    while (zygote->pid > 0 && waitpid(zygote->pid, NULL, 0) < 0 && errno == EINTR)
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
        stack.rlim_cur = stack.rlim_max < LARGEST_STACK ? stack.rlim_max : LARGEST_STACK; /* room, not use */
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

/* Waits until the interpreter is up, or gone, or nobody wants it any more. Modules may print at import, more than a pipe
 * holds: it is read, and its end is kept, for those are the words of one that fails to come up. Its own end counts, not
 * that of its socket and its words alone, which a child that a module left behind may hold open. */
static bool is_up(const struct worker *worker, const struct zygote *zygote, int words, char *why, size_t why_size)
{
    struct zygote_answer hello;
    char text[4096];
    size_t kept = 0;
    uint64_t end = now_ns() + ZYGOTE_START_MS * 1000000ull, now;
    int pidfd = (int)syscall(SYS_pidfd_open, zygote->pid, 0); /* -1: the socket must tell */
    bool up = false;
    fcntl(words, F_SETFL, O_NONBLOCK);
    while ((now = now_ns()) < end) {
        struct pollfd on[4] = {{.fd = zygote->socket, .events = POLLIN}, {.fd = words, .events = POLLIN},
                               {.fd = pidfd, .events = POLLIN}, {.fd = worker->parent, .events = POLLRDHUP}};
        int ready = poll(on, 4, (int)((end - now) / 1000000u) + 1);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0)
            continue;
        up = on[0].revents & POLLIN && read_exactly(zygote->socket, &hello, sizeof hello) == 0;
        if (up || on[3].revents)
            break;
        ssize_t n = on[1].revents ? read(words, text, sizeof text) : 0;
        if (n > 0) {
            size_t new = (size_t)n < why_size - 1 ? (size_t)n : why_size - 1;
            size_t old = kept + new < why_size ? kept : why_size - 1 - new;
            memmove(why, why + kept - old, old);
            memcpy(why + old, text + (size_t)n - new, new);
            kept = old + new;
            why[kept] = 0;
        } else if (on[0].revents || on[2].revents) {
            break; /* it is gone, and has said all */
        }
    }
    close_fd(&pidfd);
    if (up)
        *why = 0;
    for (char *at = why; *at; at++)
        if (*at == '\n')
            *at = ' ';
    return up;
}

static enum step zygote_start(struct worker *worker, uint32_t kind, char *why, size_t why_size)
{
    if (kind >= ZYGOTES || kind >= worker->config->preloads.count) {
        errno = EPROTO;
        return STEP_ZYGOTE;
    }
    int ends[2], words[2], in = (int)syscall(SYS_memfd_create, "stdin", 1 /* MFD_CLOEXEC */);
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
    bool up = is_up(worker, &worker->zygotes[kind], words[0], why, why_size);
    if (!up) {
        errno = 0;
        zygote_stop(worker, kind);
    } else {
        worker->watch.known[1 + kind] = pid;
    }
    close(words[0]);
    return up ? STEP_NONE : STEP_ZYGOTE;
}

enum step zygote_ready(struct worker *worker, uint32_t kind, char *why, size_t why_size)
{
    struct zygote *zygote = &worker->zygotes[kind % ZYGOTES];
    if (zygote->socket >= 0 && zygote->runs >= ZYGOTE_RENEWED_AFTER)
        zygote_stop(worker, kind); /* a new hash seed from time to time */
    return zygote->socket >= 0 ? STEP_NONE : zygote_start(worker, kind, why, why_size);
}

int zygote_order(struct worker *worker, uint32_t kind, const struct lockdown *lockdown, const int descriptors[4])
{
    struct zygote *zygote = &worker->zygotes[kind];
    struct zygote_order order = {.lockdown = *lockdown};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(4 * sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(4 * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), descriptors, 4 * sizeof(int));
    if (sendmsg(zygote->socket, &message, MSG_NOSIGNAL) != sizeof order)
        return -1;
    zygote->runs++;
    return 0;
}

int zygote_result(struct worker *worker, uint32_t kind, struct zygote_answer *answer)
{
    if (worker->zygotes[kind].socket >= 0 && read_exactly(worker->zygotes[kind].socket, answer, sizeof *answer) == 0)
        return 0;
    zygote_stop(worker, kind);
    return -1;
}
