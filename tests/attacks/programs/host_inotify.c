// attack: watches a directory of the host, to learn the names of files that others make there.
// defence: own root; at landlock seccomp, because Landlock has no right for it
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#include <libgen.h>
#include <stdio.h>
#include <sys/fanotify.h>
#include <fcntl.h>
#include <sys/inotify.h>

int main(int argc, char **argv) {
    int held = 1, notify = inotify_init1(IN_CLOEXEC);
    if (notify >= 0 && inotify_add_watch(notify, argv[1], IN_ALL_EVENTS) >= 0) {
        dprintf(1, "BREACH watches a host file\n");
        held = 0;
    }
    if (notify >= 0 && inotify_add_watch(notify, dirname(argv[1]), IN_ALL_EVENTS) >= 0) {
        dprintf(1, "BREACH watches a host directory\n");
        held = 0;
    }
    int fan = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY);
    if (fan >= 0 && fanotify_mark(fan, FAN_MARK_ADD, FAN_OPEN | FAN_EVENT_ON_CHILD, AT_FDCWD, argv[1]) == 0) {
        dprintf(1, "BREACH watches a host file by fanotify\n");
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
