// attack: takes a datagram socket pair, which needs no socket(), and sends from it to the host's unix sockets.
// defence: seccomp refuses datagram pairs, connect and addresses; own root; empty network namespace; Landlock scope
// levels: full rootless landlock
// expect: ok
// args: {unix_dgram_path} {abstract_dgram_name}

#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static int held = 1;

static void judge(const char *how, long result, int peer) {
    char byte;
    // Some types drop the address and send to the other end of the pair, which proves nothing.
    if (result < 0 || recv(peer, &byte, 1, MSG_DONTWAIT) >= 0) return;
    dprintf(1, "BREACH %s reached the host\n", how);
    held = 0;
}

static void attack(const char *what, struct sockaddr_un *host, socklen_t size) {
    int types[] = {SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM}, pair[2];
    for (int i = 0; i < 3; i++) {
        char how[64];
        if (socketpair(AF_UNIX, types[i], 0, pair)) continue;
        struct iovec data = {"x", 1};
        struct msghdr message = {.msg_name = host, .msg_namelen = size, .msg_iov = &data, .msg_iovlen = 1};
        struct mmsghdr many = {.msg_hdr = message};
        snprintf(how, sizeof how, "%s, sendto, type %d", what, types[i]);
        judge(how, sendto(pair[0], "x", 1, 0, (void *)host, size), pair[1]);
        snprintf(how, sizeof how, "%s, sendmsg, type %d", what, types[i]);
        judge(how, sendmsg(pair[0], &message, 0), pair[1]);
        snprintf(how, sizeof how, "%s, sendmmsg, type %d", what, types[i]);
        judge(how, sendmmsg(pair[0], &many, 1, 0) == 1 ? 0 : -1, pair[1]);
        struct sockaddr nobody = {.sa_family = AF_UNSPEC};
        connect(pair[0], &nobody, sizeof nobody);
        snprintf(how, sizeof how, "%s, connect, type %d", what, types[i]);
        judge(how, connect(pair[0], (void *)host, size), pair[1]);
    }
}

int main(int argc, char **argv) {
    struct sockaddr_un path = {.sun_family = AF_UNIX}, abstract = {.sun_family = AF_UNIX};
    strncpy(path.sun_path, argv[1], sizeof path.sun_path - 1);
    strncpy(abstract.sun_path + 1, argv[2], sizeof abstract.sun_path - 2);
    attack("path", &path, sizeof path);
    attack("abstract", &abstract, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(argv[2]));
    if (held) puts("held");
    return 0;
}
