// attack: loads a program into the kernel, and makes a map there.
// defence: seccomp; no capabilities (CAP_BPF)
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int held = 1;
    struct bpf_insn code[] = {{.code = 0xb7 /* r0 = 0 */}, {.code = 0x95 /* exit */}};
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
    attr.insns = (unsigned long)code;
    attr.insn_cnt = 2;
    attr.license = (unsigned long)"GPL";
    if (syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr) >= 0) held = !dprintf(1, "BREACH a program in the kernel\n");
    memset(&attr, 0, sizeof attr);
    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = attr.value_size = 4;
    attr.max_entries = 1;
    if (syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr) >= 0) held = !dprintf(1, "BREACH a map in the kernel\n");
    if (held) puts("held");
    return 0;
}
