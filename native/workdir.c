/* Files into a working directory, files out of it, and its removal.
 *
 * Owns path safety: paths come from callers (in) and from untrusted programs (out). Nothing is followed
 * out of the directory: openat2() with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS (Linux 5.6) both ways.
 */
#include "box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEEPEST = 64, MOST_FETCHED = 4096 };

static int open_beneath(int directory, const char *path, int flags, mode_t mode)
{
    struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC, .mode = flags & O_CREAT ? mode : 0,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(__NR_openat2, directory, path, &how, sizeof how);
}

/* mkdirat() knows no RESOLVE_BENEATH: a step upwards is refused by its name. Links there are none, for no program has
 * been in the directory yet. */
static int make_parents(int directory, const char *path, int64_t owner)
{
    char part[4096];
    const char *name = path;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - path);
        if (length == 0 || length >= sizeof part || (slash - name == 2 && !memcmp(name, "..", 2))) {
            errno = EINVAL;
            return -1;
        }
        name = slash + 1;
        memcpy(part, path, length);
        part[length] = 0;
        if (mkdirat(directory, part, 0755) < 0) {
            if (errno != EEXIST)
                return -1;
        } else if (owner >= 0 && fchownat(directory, part, (uid_t)owner, (gid_t)owner, AT_SYMLINK_NOFOLLOW) < 0) {
            return -1;
        }
    }
    return 0;
}

int workdir_lay(int directory, const struct list *files, int64_t owner)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->items[i].data;
        size_t path_length = strlen(path);
        const char *content = path + path_length + 1;
        if (path_length >= files->items[i].length) {
            errno = EINVAL;
            return -1;
        }
        int fd = open_beneath(directory, path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
        if (fd < 0 && errno == ENOENT && make_parents(directory, path, owner) == 0)
            fd = open_beneath(directory, path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
        if (fd < 0)
            return -1;
        int failed = owner >= 0 ? fchown(fd, (uid_t)owner, (gid_t)owner) : 0;
        if (!failed)
            failed = write_exactly(fd, content, files->items[i].length - path_length - 1);
        if (close(fd) < 0 || failed)
            return -1;
    }
    return 0;
}

static int send_file(int directory, const char *path, int to, uint64_t *budget)
{
    struct stat about;
    /* O_NONBLOCK: a FIFO under that name must not hold us; it is refused by its type just after. */
    int fd = open_beneath(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return 0; /* a link, or gone: not ours to follow */
    /* A sparse file may claim any size: what is more than the disk could hold is not handed back. */
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || (uint64_t)about.st_size > *budget) {
        close(fd);
        return 0;
    }
    *budget -= (uint64_t)about.st_size;
    char *content = malloc((size_t)about.st_size + 1);
    ssize_t length = 0, n = 1;
    while (content && length < about.st_size && (n = read(fd, content + length, (size_t)(about.st_size - length))) > 0)
        length += n;
    close(fd);
    int failed = !content || n < 0 ||
                 send_record2(to, TAG_FETCHED, path, strlen(path) + 1, content, (size_t)length) < 0;
    free(content);
    return failed ? -1 : 1;
}

static int fetch_below(int root, int directory, char *path, size_t length, int depth, const struct list *patterns, int to,
                       int *left, uint64_t *budget)
{
    DIR *entries = fdopendir(directory);
    if (!entries) {
        close(directory);
        return -1;
    }
    struct dirent *entry;
    int failed = 0;
    while (!failed && *left > 0 && (entry = readdir(entries))) {
        const char *name = entry->d_name;
        size_t name_length = strlen(name);
        if (!strcmp(name, ".") || !strcmp(name, "..") || length + name_length + 2 > 4096)
            continue;
        memcpy(path + length, name, name_length + 1);
        if (entry->d_type == DT_DIR && depth < DEEPEST) {
            int below = open_beneath(root, path, O_RDONLY | O_DIRECTORY, 0);
            if (below >= 0) {
                path[length + name_length] = '/';
                failed = fetch_below(root, below, path, length + name_length + 1, depth + 1, patterns, to, left, budget) < 0;
            }
        } else if (entry->d_type == DT_REG) {
            for (size_t i = 0; i < patterns->count; i++)
                if (fnmatch(patterns->items[i].data, path, 0) == 0) {
                    failed = send_file(root, path, to, budget) < 0;
                    (*left)--;
                    break;
                }
        }
    }
    closedir(entries);
    return failed ? -1 : 0;
}

int workdir_fetch(int directory, const struct list *patterns, int to, uint64_t budget)
{
    char path[4096 + 256];
    int left = MOST_FETCHED;
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0 || fetch_below(directory, copy, path, 0, 0, patterns, to, &left, &budget) < 0)
        return -1;
    return send_record(to, TAG_END, NULL, 0); /* without which what came is not whole */
}

/* One entry of `parent`, whatever modes a program left; a link is removed, not followed. Subdirectories
 * may come to stand beside it: see below. */
static int remove_entry(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return -1;
    fchmod(directory, 0700);
    /* Depth without recursion of descriptors: a program can nest deeper than we have descriptors, so a
     * subdirectory that is not empty is moved up next to `name` and removed from there. */
    DIR *entries = fdopendir(directory);
    if (!entries) {
        close(directory);
        return -1;
    }
    struct dirent *entry;
    char moved[64];
    static unsigned serial;
    while ((entry = readdir(entries))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (unlinkat(directory, entry->d_name, 0) == 0 || unlinkat(directory, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        if (fchmodat(directory, entry->d_name, 0700, 0) < 0)
            continue;
        int n = 0;
        do {
            char digits[16];
            int d = 0;
            unsigned value = serial++;
            do
                digits[d++] = (char)('0' + value % 10);
            while (value /= 10);
            memcpy(moved, ".gone-", 6);
            for (n = 6; d > 0;)
                moved[n++] = digits[--d];
            moved[n] = 0;
        } while (renameat(directory, entry->d_name, parent, moved) < 0 && errno == EEXIST);
    }
    closedir(entries);
    return unlinkat(parent, name, AT_REMOVEDIR);
}

int empty_directory(int directory)
{
    for (int left = 1, rounds = 0; left; rounds++) {
        int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *entries = copy < 0 ? NULL : fdopendir(copy);
        struct dirent *entry;
        if (!entries || rounds > 1000000)
            return -1;
        left = 0;
        while ((entry = readdir(entries)))
            if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
                left = 1;
                if (remove_entry(directory, entry->d_name) < 0 && errno != ENOENT && errno != ENOTEMPTY) {
                    closedir(entries);
                    return -1;
                }
            }
        closedir(entries);
    }
    return 0;
}

uint64_t tree_bytes(int directory, uint64_t *count, int depth)
{
    uint64_t bytes = 0;
    DIR *entries = depth > DEEPEST ? NULL : fdopendir(directory);
    if (!entries) {
        close(directory);
        return TOO_MUCH;
    }
    struct dirent *entry;
    while ((entry = readdir(entries))) {
        struct stat about;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        (*count)++;
        if (fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        bytes += (uint64_t)about.st_blocks * 512;
        if (S_ISDIR(about.st_mode)) {
            int below = openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below < 0 && errno == EACCES && fchmodat(directory, entry->d_name, 0700, 0) == 0)
                below = openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0)
                bytes += tree_bytes(below, count, depth + 1);
            else if (errno != ENOENT)
                bytes += TOO_MUCH; /* what cannot be looked into cannot be measured */
            if (bytes >= TOO_MUCH)
                break;
        }
    }
    closedir(entries);
    return bytes;
}
