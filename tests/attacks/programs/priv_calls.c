// attack: makes the calls that only root may: ports, modules, host name, accounting, terminal, name space of devices.
// defence: seccomp; no capabilities
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, long result) {
    if (result < 0) return;
    dprintf(1, "BREACH %s\n", how);
    held = 0;
}

int main(void) {
    struct utsname names;
    uname(&names);
    // What is set is what was there, so that nothing changes where the door is open.
    judge("sethostname", syscall(SYS_sethostname, names.nodename, strlen(names.nodename)));
    judge("setdomainname", syscall(SYS_setdomainname, names.domainname, strlen(names.domainname)));
#ifdef SYS_iopl
    judge("iopl", syscall(SYS_iopl, 3));
    judge("ioperm", syscall(SYS_ioperm, 0x80, 1, 1));
#endif
    judge("acct", syscall(SYS_acct, 0));
    judge("init_module", syscall(SYS_init_module, "", 0, ""));
    judge("finit_module", syscall(SYS_finit_module, 0, "", 0));
    judge("delete_module", syscall(SYS_delete_module, "codejury_no_such", O_NONBLOCK));
    judge("fanotify_init", syscall(SYS_fanotify_init, 0, O_RDONLY));
    int fd = syscall(SYS_open_tree, AT_FDCWD, "/", 1);
    judge("open_tree", fd);
    if (held) puts("held");
    return 0;
}
