// attack: talks to the hypervisor over vsock, which is not bound to a network namespace.
// defence: seccomp refuses socket(); no /dev/vsock
// levels: full rootless landlock
// expect: ok

#include <sys/socket.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(void) {
    int held = 1;
    unsigned cid;
    // The open socket is the breach: nobody need listen on the other side of it here.
    if (socket(AF_VSOCK, SOCK_STREAM, 0) >= 0 || socket(AF_VSOCK, SOCK_DGRAM, 0) >= 0) {
        dprintf(1, "BREACH a vsock socket\n");
        held = 0;
    }
    int fd = open("/dev/vsock", O_RDONLY);
    if (fd >= 0 && ioctl(fd, IOCTL_VM_SOCKETS_GET_LOCAL_CID, &cid) == 0) {
        dprintf(1, "BREACH /dev/vsock\n");
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
