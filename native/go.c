/* The word to go, from the keeper to whoever stands ready: init, or a fork of the zygote.
 *
 * Owns its form on the socket: struct go with the standard streams, and perhaps the code, as descriptors, then the texts. The far end is
 * our own code, before anything untrusted is started there.
 */
#include "box.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_TEXTS = 1 << 30 };

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(GIVEN * sizeof(int))];
};

int send_go(int to, struct go go, const struct list *argv, const struct list *env, const struct list *fetch, const int *given)
{
    const struct list *const lists[] = {argv, env, fetch};
    uint32_t *const counts[] = {&go.argc, &go.envc, &go.fetches};
    char *texts = NULL;
    for (int l = 0; l < 3; l++)
        for (size_t i = 0; lists[l] && i < lists[l]->count; i++, ++*counts[l])
            go.length += strlen(lists[l]->items[i].data) + 1;
    if (go.length && !(texts = malloc(go.length)))
        return -1;
    char *at = texts;
    for (int l = 0; l < 3; l++)
        for (size_t i = 0; lists[l] && i < lists[l]->count; i++)
            at = stpcpy(at, lists[l]->items[i].data) + 1;

    union control control;
    memset(&control, 0, sizeof control);
    struct iovec part = {&go, sizeof go};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (given) {
        size_t size = (given[CODE] >= 0 ? GIVEN : STREAMS) * sizeof(int);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(head), given, size);
    }
    ssize_t sent;
    do
        sent = sendmsg(to, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    int failed = sent != sizeof go || (go.length && write_exactly(to, texts, go.length) < 0);
    free(texts);
    return failed ? -1 : 0;
}

int take_go(int from, struct go *go, char *room, size_t room_size, char **texts, int given[GIVEN])
{
    union control control;
    struct iovec part = {go, sizeof *go};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (n < 0 && errno == EINTR);
    if (n != sizeof *go || go->length > MOST_TEXTS)
        return -1;
    for (int i = 0; i < GIVEN; i++)
        given[i] = -1;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len <= CMSG_LEN(GIVEN * sizeof(int)))
        memcpy(given, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    *texts = go->length <= room_size ? room : malloc(go->length);
    return go->length && (!*texts || read_exactly(from, *texts, go->length) < 0) ? -1 : 0;
}

char *next_text(char **texts)
{
    char *text = *texts;
    for (const volatile char *at = text; *at; at++) /* not strlen(): see struct cradle */
        ++*texts;
    ++*texts;
    return text;
}
