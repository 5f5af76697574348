// attack: moves its working directory away and puts a link to the host's /etc in its place, so that fetching follows it.
// defence: the working directory is held by descriptor since before the program began; nothing above it can be renamed
// levels: full rootless landlock
// expect: ok
// fetch: *
// fetched: nothing

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char here[4096], old[4200];
    if (!getcwd(here, sizeof here))
        return 1;
    snprintf(old, sizeof old, "%s-old", here);
    unlink("main");
    int moved = rename(here, old) == 0 && symlink("/etc", here) == 0;
    int beside = rename("../work", "../old") == 0 && symlink("/etc", "../work") == 0;
    chmod("..", 0);
    puts(moved || beside ? "left a link in its place" : "held"); /* what comes back decides */
    return 0;
}
