// attack: offers a pipe, a directory and a file that nobody may read as results, so that the fetcher blocks or fails.
// defence: fetching takes regular files only, and opens without waiting
// levels: full rootless landlock
// expect: ok
// fetch: pipe* folder closed
// fetched: closed

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    mkfifo("pipe", 0666);
    mkdir("folder", 0);
    close(open("closed", O_CREAT | O_WRONLY, 0));
    mkdir("pipe-folder", 0755);
    mkfifo("pipe-folder/pipe", 0666);
    puts("held");
    return 0;
}
