// attack: asks the kernel for the host's interfaces and audit state over netlink.
// defence: seccomp refuses socket(); empty network namespace
// levels: full rootless landlock
// expect: ok

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
    struct { struct nlmsghdr head; struct rtgenmsg body; } ask = {
        .head = {.nlmsg_len = sizeof ask, .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
    char answer[8192];
    int held = 1;
    for (int protocol = 0; protocol < 23; protocol++) {
        int fd = socket(AF_NETLINK, SOCK_RAW, protocol);
        if (fd < 0) continue;
        dprintf(1, "BREACH netlink protocol %d\n", protocol);
        held = 0;
        if (protocol == NETLINK_ROUTE && send(fd, &ask, sizeof ask, 0) > 0 && recv(fd, answer, sizeof answer, 0) > 0)
            dprintf(1, "BREACH the interfaces are listed\n");
    }
    if (held) puts("held");
    return 0;
}
