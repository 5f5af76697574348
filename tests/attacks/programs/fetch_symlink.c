// attack: offers symbolic links to host files as results, so that whoever fetches them reads the host.
// defence: fetching follows no links and takes regular files only
// levels: full rootless landlock
// expect: ok
// args: {secret_file}
// fetch: leak* folder/* nested/*/*
// fetched: nothing

#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    symlink(argv[1], "leak-absolute");
    symlink("/etc/shadow", "leak-shadow");
    symlink("/proc/self/environ", "leak-environ");
    char up[4096];
    snprintf(up, sizeof up, "../../../../../../../..%s", argv[1]);
    symlink(up, "leak-relative");
    symlink("/dev/zero", "leak-zero");  // one that never ends
    symlink("leak-loop", "leak-loop");
    mkdir("nested", 0755);
    symlink(dirname(argv[1]), "folder");  // the directory itself is the link
    symlink("../folder", "nested/inner");
    puts("held");
    return 0;
}
