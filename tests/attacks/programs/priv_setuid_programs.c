// attack: starts the system's setuid programs and looks whether one of them gains privileges.
// defence: no_new_privs; nosuid mounts
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// True if the child has an effective uid or gid that we have not, or any capability that we have not.
static int gained(pid_t pid) {
    char path[64], line[256];
    int found = 0;
    unsigned long long mine = 0, its = 0;
    for (int who = 0; who < 2; who++) {
        snprintf(path, sizeof path, "/proc/%d/status", who ? pid : getpid());
        FILE *status = fopen(path, "r");
        // Where rules on /proc hide the child, the kernel's word must do: with this bit no exec gains anything.
        if (!status && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) return 1;
        while (status && fgets(line, sizeof line, status)) {
            int real, effective;
            if (who && sscanf(line, "Uid: %d %d", &real, &effective) == 2) found |= effective != geteuid();
            if (who && sscanf(line, "Gid: %d %d", &real, &effective) == 2) found |= effective != getegid();
            sscanf(line, "CapEff: %llx", who ? &its : &mine);
        }
        if (status) fclose(status);
    }
    return found || (its & ~mine);
}

int main(void) {
    const char *program[] = {"/usr/bin/su", "/usr/bin/sudo", "/usr/bin/passwd", "/usr/bin/chsh", "/usr/bin/chfn", "/usr/bin/newgrp", "/usr/bin/gpasswd",
                             "/usr/bin/mount", "/usr/bin/pkexec", "/usr/bin/chage", "/usr/bin/expiry", "/usr/bin/newuidmap", "/usr/bin/fusermount3"};
    int held = 1;
    for (int i = 0; i < 13; i++) {
        int in[2];
        if (access(program[i], X_OK) || pipe(in)) continue;
        pid_t pid = fork();
        if (pid == 0) {
            dup2(in[0], 0);  // never written to: a password prompt waits, and can be looked at
            int null = open("/dev/null", O_WRONLY);
            dup2(null, 1);
            dup2(null, 2);
            execl(program[i], program[i], (char *)0);
            _exit(127);
        }
        for (int look = 0; look < 30 && waitpid(pid, 0, WNOHANG) == 0; look++) {
            if (gained(pid)) {
                dprintf(1, "BREACH %s gained privileges\n", program[i]);
                held = 0;
                break;
            }
            usleep(1000);
        }
        kill(pid, SIGKILL);
        waitpid(pid, 0, 0);
        close(in[0]);
        close(in[1]);
    }
    if (held) puts("held");
    return 0;
}
