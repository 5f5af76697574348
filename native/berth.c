/* A run's place, made ready before anybody asks for it.
 *
 * Owns what a run is made of: the pipes that its words come by, its namespaces with the init in them, and, where the
 * last runs were Python's, a fork of the waiting interpreter that has everything of the lock-down behind it but what
 * depends on the run. All that costs most of a short run's time, so it is done between two runs:
 *
 *   berth_make()  pipes, init in fresh namespaces, working directory     any program
 *   berth_hear()  init has said that they are there                      (it need not be waited for at once)
 *   berth_man()   a fork of the zygote in them                           a Python program of that kind
 *   (run.c)       files, limits, the word to go (go.c)
 *   berth_leave() everybody in it is gone; berth_close()
 *   berth_part()  the same, when all but init are gone: the kernel takes the namespaces apart (it waits for a grace
 *                 period of RCU to unmount) while the next berth is made; berth_parted() before its word to go
 *
 * Nobody untrusted has ever been in a berth before the word to go: it is made when everybody of the last run but its
 * init is gone, and serves one run.
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
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* The first words of each stream of a run go where no fork gets them. */
enum { FIRST_WORDS = 16384, STREAMS_OF_A_RUN = 3 };
static struct arena first;
static char *spare[STREAMS_OF_A_RUN];
static int spares;

static char *take_spare(void)
{
    if (!first.room) {
        arena_open(&first, STREAMS_OF_A_RUN * FIRST_WORDS);
        for (char *data; first.room && (data = arena_take(&first, FIRST_WORDS));)
            spare[spares++] = data;
    }
    return spares ? spare[--spares] : NULL;
}

static void free_words(char *data)
{
    if (arena_has(&first, data))
        spare[spares++] = data;
    else
        free(data);
}

static bool grow(struct stream *stream)
{
    size_t room = stream->room ? stream->room * 2 : FIRST_WORDS;
    if (stream->limit != UNLIMITED && room > stream->limit + 1)
        room = stream->limit + 1; /* one more than allowed tells that there was more */
    if (room <= stream->room)
        return false;
    bool is_first = arena_has(&first, stream->data);
    char *data = stream->data ? NULL : take_spare();
    if (!data && !(data = realloc(is_first ? NULL : stream->data, room)))
        return false;
    if (is_first) {
        memcpy(data, stream->data, stream->length);
        free_words(stream->data);
    }
    stream->data = data;
    stream->room = room;
    return true;
}

bool drain(struct stream *stream)
{
    for (;;) {
        if (stream->length == stream->room && !grow(stream)) {
            stream->lost = true; /* for want of our own memory: no fault of the program */
            return true;
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

static int open_stream(struct stream *stream, int *far_end)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *stream = (struct stream){.fd = ends[0], .limit = UNLIMITED};
    *far_end = ends[1];
    return 0;
}

void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

enum step berth_open(struct worker *worker, struct berth *berth)
{
    *berth = (struct berth){.out = {.fd = -1}, .err = {.fd = -1}, .reports = {.fd = -1}, .out_end = -1, .err_end = -1,
                            .report_end = -1, .control = -1, .go = -1, .pidfd = -1, .work = -1};
    if (open_stream(&berth->out, &berth->out_end) < 0 || open_stream(&berth->err, &berth->err_end) < 0 ||
        open_stream(&berth->reports, &berth->report_end) < 0)
        return STEP_MEMORY;
    /* so that a program that is somebody else may open /dev/stdout, which asks the pipe's owner */
    if (worker->change_identity && (fchown(berth->out_end, worker->uid, worker->gid) < 0 ||
                                    fchown(berth->err_end, worker->uid, worker->gid) < 0))
        return STEP_STDIO;
    struct lockdown *how = &berth->lockdown;
    bool bare = worker->config->level == LEVEL_LANDLOCK;
    *how = (struct lockdown){
        .level = worker->config->level,
        .seccomp_flags = worker->seccomp_flags,
        .ruleset = worker->ruleset,
        .joins = worker->cgroup.joins,
        .change_identity = worker->change_identity,
        .uid = worker->uid,
        .gid = worker->gid,
    };
    memcpy(how->join, worker->cgroup.join, sizeof how->join);
    snprintf(how->work, sizeof how->work, "%s%s", bare ? worker->temp_path : WORK_DIRECTORY, bare ? "/run/work" : "");
    return STEP_NONE;
}

/* What init says when all is in place, or what kept it from it. */
static enum step hear(struct berth *berth, int *error)
{
    struct report report = {0};
    struct pollfd on[2] = {{.fd = berth->reports.fd, .events = POLLIN}, {.fd = berth->pidfd, .events = POLLIN}};
    while (poll(on, 2, -1) < 0 && errno == EINTR)
        ;
    ssize_t n = read(berth->reports.fd, &report, sizeof report); /* one write, so one read */
    if (n != sizeof report)
        return STEP_INIT_LOST;
    *error = report.error;
    return report.kind == REPORT_READY ? STEP_NONE : (enum step)report.step;
}

static const char *disk_options(struct worker *worker, uint64_t bytes)
{
    if (*worker->disk && worker->disk_bytes == bytes)
        return worker->disk;
    char size[80] = "nr_inodes=1000000";
    if (bytes != UNLIMITED) /* a page for each of the three directories, and the inodes that so much space can fill */
        snprintf(size, sizeof size, "size=%llu,nr_inodes=%llu", (unsigned long long)bytes + 16384,
                 (unsigned long long)(bytes >> 12) + 1024);
    snprintf(worker->disk, sizeof worker->disk, "mode=755,uid=%u,gid=%u,%s", worker->uid, worker->gid, size);
    worker->disk_bytes = bytes;
    return worker->disk;
}

enum step berth_make(struct worker *worker, struct berth *berth, const struct limits *limits, int *error)
{
    int ends[2], pidfd = -1;
    enum step step = berth_open(worker, berth);
    if (step == STEP_NONE && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        step = STEP_MEMORY;
    if (step != STEP_NONE) {
        *error = errno;
        return step;
    }
    cgroup_rest(&worker->cgroup, limits->memory_bytes);
    berth->control = ends[0];
    berth->disk_bytes = limits->disk_bytes;
    struct cradle cradle = {.lockdown = &berth->lockdown, .report = berth->report_end, .control = ends[1],
                            .disk = disk_options(worker, limits->disk_bytes), .shown = worker->shown,
                            .run_uid = worker->uid, .run_gid = worker->gid, .uid = geteuid(), .gid = getegid()};
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | CLONE_PIDFD | SIGCHLD, 0, &pidfd, 0, 0);
    if (pid == 0) {
        close(berth->control);
        code_leave(worker);
        init_main(&cradle);
    }
    *error = errno;
    close(ends[1]);
    if (pid < 0)
        return STEP_RUN_NAMESPACES;
    berth->init = pid;
    berth->pidfd = pidfd;
    worker->watch.known[3] = pid;
    return STEP_NONE;
}

enum step berth_hear(struct worker *worker, struct berth *berth, int *error)
{
    char path[64];
    enum step step = berth->heard ? STEP_NONE : hear(berth, error);
    if (step != STEP_NONE || berth->heard)
        return step;
    berth->heard = true;
    snprintf(path, sizeof path, "%d/root" WORK_DIRECTORY, (int)berth->init);
    berth->work = openat(worker->watch.proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *error = errno;
    return berth->work < 0 ? STEP_RUN_FILE : STEP_NONE;
}

enum step berth_man(struct worker *worker, struct berth *berth, uint32_t kind, char *why, size_t why_size)
{
    int ends[2];
    enum step step = zygote_ready(worker, kind, why, why_size);
    if (step != STEP_NONE)
        return step;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return STEP_MEMORY;
    berth->lockdown.keep_signals = 1;
    int failed = zygote_order(worker, kind, &berth->lockdown,
                              (const int[]){berth->pidfd >= 0 ? berth->pidfd : berth->report_end, berth->report_end,
                                            berth->lockdown.ruleset, ends[1]});
    int error = errno;
    close(ends[1]);
    berth->go = ends[0];
    errno = error;
    if (failed)
        return STEP_ZYGOTE_LOST;
    berth->ordered = true;
    berth->kind = kind;
    return STEP_NONE;
}

void berth_part(struct worker *worker, struct berth *berth)
{
    berth_parted(worker);
    kill(berth->init, SIGKILL);
    worker->parting = berth->init;
    berth->init = 0;
    worker->watch.known[3] = 0;
}

void berth_parted(struct worker *worker)
{
    while (worker->parting && waitpid(worker->parting, NULL, 0) < 0 && errno == EINTR)
        ;
    worker->parting = 0;
}

void berth_leave(struct worker *worker, struct berth *berth)
{
    struct zygote_answer unused;
    if (berth->init <= 0)
        return;
    kill(berth->init, SIGKILL);
    if (berth->ordered) /* init cannot be reaped before the zygote has reaped its child */
        zygote_result(worker, berth->kind, &unused);
    /* Nor before we have, where the zygote was killed: its children are ours then, for we are pid 1 to it. */
    pid_t gone;
    do {
        gone = waitpid(-1, NULL, 0);
        if (gone > 0 && gone == worker->parting)
            worker->parting = 0;
        for (int kind = 0; kind < ZYGOTES; kind++)
            if (gone > 0 && gone == worker->zygotes[kind].pid)
                worker->zygotes[kind].pid = 0; /* its socket tells the next one who wants it */
    } while (gone != berth->init && (gone > 0 || errno == EINTR));
    berth->ordered = false;
    berth->init = 0;
    worker->watch.known[3] = 0;
}

void berth_close(struct berth *berth)
{
    int *const all[] = {&berth->out.fd, &berth->err.fd, &berth->reports.fd, &berth->out_end, &berth->err_end,
                        &berth->report_end, &berth->control, &berth->go, &berth->pidfd, &berth->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close_fd(all[i]);
    free_words(berth->out.data);
    free_words(berth->err.data);
    free_words(berth->reports.data);
    berth->out.data = berth->err.data = berth->reports.data = NULL;
}
