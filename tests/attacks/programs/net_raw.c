// attack: opens raw and packet sockets, to read and forge traffic.
// defence: seccomp refuses socket(); no capabilities (CAP_NET_RAW); empty network namespace
// levels: full rootless landlock
// expect: ok

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
    int held = 1;
    int kind[][3] = {{AF_INET, SOCK_RAW, IPPROTO_ICMP}, {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, {AF_INET, SOCK_RAW, IPPROTO_RAW},
                     {AF_INET6, SOCK_RAW, IPPROTO_ICMPV6}, {AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)}, {AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP)}};
    for (int i = 0; i < 6; i++)
        if (socket(kind[i][0], kind[i][1], kind[i][2]) >= 0) {
            dprintf(1, "BREACH socket family %d type %d\n", kind[i][0], kind[i][1]);
            held = 0;
        }
    if (held) puts("held");
    return 0;
}
