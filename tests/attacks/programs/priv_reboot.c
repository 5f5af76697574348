// attack: reboots the host, or loads another kernel for the next boot.
// defence: seccomp; no capabilities (CAP_SYS_BOOT)
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <linux/reboot.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int held = 1;
    // Whether Ctrl-Alt-Del reboots: the same call and the same privilege as the reboot itself, without its effect.
    if (syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_CAD_OFF, 0) == 0) held = !dprintf(1, "BREACH reboot\n");
    // No segments: unloads what was loaded.
    if (syscall(SYS_kexec_load, 0, 0, 0, 0) == 0) held = !dprintf(1, "BREACH kexec_load\n");
#ifdef SYS_kexec_file_load
    if (syscall(SYS_kexec_file_load, -1, -1, 0, 0, 4 /* KEXEC_FILE_UNLOAD */ | 1) == 0) held = !dprintf(1, "BREACH kexec_file_load\n");
#endif
    if (held) puts("held");
    return 0;
}
