/* Records on the socket to the parent, and lists of them.
 *
 * Owns the framing. A record is (tag, length, bytes); a message is records up to TAG_END. What the
 * records mean is the business of keeper.c (configuration) and run.c (runs).
 */
#include "box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int read_exactly(int fd, void *to, size_t length)
{
    char *at = to;
    while (length) {
        ssize_t n = read(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

int write_exactly(int fd, const void *from, size_t length)
{
    const char *at = from;
    while (length) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += n;
        length -= (size_t)n;
    }
    return 0;
}

static int send_parts(int fd, struct iovec *parts, int count)
{
    while (count) {
        ssize_t n = writev(fd, parts, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        while (count && (size_t)n >= parts->iov_len) {
            n -= (ssize_t)parts->iov_len;
            parts++;
            count--;
        }
        if (count) { /* a long record went in part */
            parts->iov_base = (char *)parts->iov_base + n;
            parts->iov_len -= (size_t)n;
        }
    }
    return 0;
}

int send_records(int fd, const uint32_t *tags, const struct text *parts, int count)
{
    struct record heads[4];
    struct iovec all[8];
    for (int i = 0; i < count; i++) {
        heads[i] = (struct record){.tag = tags[i], .length = parts[i].length};
        all[2 * i] = (struct iovec){&heads[i], sizeof heads[i]};
        all[2 * i + 1] = (struct iovec){parts[i].data, parts[i].length};
    }
    return send_parts(fd, all, 2 * count);
}

int put_records(struct arena *to, const uint32_t *tags, const struct text *parts, int count)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].length > to->room)
            return -1;
        length += sizeof(struct record) + parts[i].length;
    }
    char *at = arena_take(to, length);
    if (!at)
        return -1;
    for (int i = 0; i < count; i++) {
        struct record head = {.tag = tags[i], .length = parts[i].length};
        at = mempcpy(at, &head, sizeof head);
        if (parts[i].length)
            at = mempcpy(at, parts[i].data, parts[i].length);
    }
    return 0;
}

int send_record2(int fd, uint32_t tag, const void *a, size_t a_length, const void *b, size_t b_length)
{
    struct record head = {.tag = tag, .length = a_length + b_length};
    struct iovec parts[3] = {{&head, sizeof head}, {(void *)a, a_length}, {(void *)b, b_length}};
    return send_parts(fd, parts, 3);
}

int send_record(int fd, uint32_t tag, const void *data, size_t length)
{
    return send_record2(fd, tag, data, length, NULL, 0);
}

int send_failure(int fd, enum step step, int error, const char *detail)
{
    struct failure failure = {.step = step, .error = error};
    char text[1024];
    int n = snprintf(text, sizeof text, "%s%c%s%s%s", step_name(step), 0, error ? strerror(error) : "",
                     detail && *detail ? (error ? ": " : "") : "", detail ? detail : "");
    if (n >= (int)sizeof text)
        n = sizeof text - 1;
    if (send_record2(fd, TAG_FAILED, &failure, sizeof failure, text, (size_t)n) < 0)
        return -1;
    return send_record(fd, TAG_END, NULL, 0);
}

const char *step_name(enum step step)
{
    switch (step) {
    case STEP_NONE: return "none";
    case STEP_CONFIG: return "config";
    case STEP_CGROUP_MAKE: return "cgroup-make";
    case STEP_CGROUP_LIMIT: return "cgroup-limit";
    case STEP_CGROUP_JOIN: return "cgroup-join";
    case STEP_NAMESPACES: return "namespaces";
    case STEP_ID_MAP: return "id-map";
    case STEP_IDENTITY: return "identity";
    case STEP_ROOT_PRIVATE: return "root-private";
    case STEP_ROOT_TMPFS: return "root-tmpfs";
    case STEP_ROOT_BIND: return "root-bind";
    case STEP_ROOT_FILE: return "root-file";
    case STEP_ROOT_PROC: return "root-proc";
    case STEP_ROOT_PIVOT: return "root-pivot";
    case STEP_RUN_NAMESPACES: return "run-namespaces";
    case STEP_RUN_TMPFS: return "run-tmpfs";
    case STEP_RUN_PROC: return "run-proc";
    case STEP_RUN_FILE: return "run-file";
    case STEP_RUN_ENTER: return "run-enter";
    case STEP_RUN_FORK: return "run-fork";
    case STEP_STDIO: return "stdio";
    case STEP_RLIMIT: return "rlimit";
    case STEP_CAPABILITIES: return "capabilities";
    case STEP_NO_NEW_PRIVS: return "no-new-privs";
    case STEP_LANDLOCK: return "landlock";
    case STEP_SECCOMP: return "seccomp";
    case STEP_EXEC: return "exec";
    case STEP_ZYGOTE: return "zygote";
    case STEP_ZYGOTE_LOST: return "zygote-lost";
    case STEP_MEMORY: return "memory";
    case STEP_INIT_LOST: return "init-lost";
    case STEP_FETCH: return "fetch";
    }
    return "unknown";
}

void arena_open(struct arena *arena, size_t room)
{
    void *base = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *arena = (struct arena){0};
    if (base == MAP_FAILED)
        return;
    madvise(base, room, MADV_DONTFORK);
    *arena = (struct arena){.base = base, .room = room};
}

char *arena_take(struct arena *arena, size_t length)
{
    if (!arena || length > arena->room - arena->used)
        return NULL;
    char *data = arena->base + arena->used;
    arena->used += length;
    return data;
}

bool arena_has(const struct arena *arena, const void *data)
{
    return arena && arena->base && (const char *)data >= arena->base && (const char *)data < arena->base + arena->room;
}

char *list_add(struct list *list, size_t length)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 16;
        struct text *items = realloc(list->items, room * sizeof *items);
        if (!items)
            return NULL;
        list->items = items;
        list->room = room;
    }
    if (length == SIZE_MAX)
        return NULL;
    char *data = arena_take(list->arena, length + 1);
    if (!data && !(data = malloc(length + 1)))
        return NULL;
    data[length] = 0;
    list->items[list->count++] = (struct text){data, length};
    return data;
}

void list_clear(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!arena_has(list->arena, list->items[i].data))
            free(list->items[i].data);
    list->count = 0;
}

char **list_argv(const struct list *list)
{
    char **argv = malloc((list->count + 1) * sizeof *argv);
    if (!argv)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        argv[i] = list->items[i].data;
    argv[list->count] = NULL;
    return argv;
}
