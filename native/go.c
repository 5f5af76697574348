/* The word to go, from the keeper to whoever stands ready: init, or a fork of the zygote.
 *
 * Owns its form on the socket: struct go with the standard streams as descriptors, then the texts. The far end is
 * our own code, before anything untrusted is started there.
 */
#include "box.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAMS = 3, MOST_TEXTS = 1 << 30 };

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(STREAMS * sizeof(int))];
};

int send_go(int to, struct go go, const struct list *argv, const struct list *env, const struct list *fetch, const int *streams)
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
    if (streams) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(STREAMS * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(head), streams, STREAMS * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(to, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    int failed = sent != sizeof go || (go.length && write_exactly(to, texts, go.length) < 0);
    free(texts);
    return failed ? -1 : 0;
}

int take_go(int from, struct go *go, char **texts, int streams[3])
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
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(STREAMS * sizeof(int)))
        memcpy(streams, CMSG_DATA(head), STREAMS * sizeof(int));
    else
        streams[0] = streams[1] = streams[2] = -1;
    *texts = NULL;
    if (go->length && (!(*texts = malloc(go->length)) || read_exactly(from, *texts, go->length) < 0))
        return -1;
    return 0;
}

char *next_text(char **texts)
{
    char *text = *texts;
    *texts += strlen(text) + 1;
    return text;
}
