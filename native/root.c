/* The prepared root of a worker: made once, used by all its runs.
 *
 *   /              tmpfs, read-only when done
 *   /usr, ...      the host's directories named by the configuration: read-only, nosuid, nodev, at the same paths
 *   /etc/...       a few small files, written here, not the host's
 *   /dev/null ...  the harmless devices, each bound
 *   /proc          of the worker's pid namespace; each run mounts its own over it
 *   /box           empty; a run's tmpfs is mounted at /box/run
 *   /tmp           -> /box/run/tmp         /dev/shm -> /box/run/shm
 *   /shown         what of the host's /tmp is shown (an environment that was made there); in each run's /tmp a link
 *                  leads to it, so that the rest of it is the run's own
 *
 * Owns the mount tree. It is made in two steps, for started by root the keeper changes its identity in between:
 * collecting needs the rights of the one who started us (an interpreter may live in a home directory that is
 * closed to others), building needs an identity that exists inside. In a user namespace binds must be recursive (the host's submounts are locked
 * together, mount_namespaces(7)), so read-only must be recursive too: mount_setattr(), Linux 5.12.
 */
#include "box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif
#ifndef __NR_open_tree
#define __NR_open_tree 428
#define __NR_move_mount 429
#endif
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#define MOVE_MOUNT_F_EMPTY_PATH 4
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

struct attributes { /* struct mount_attr */
    uint64_t set, clear, propagation, userns;
};
#define ATTRIBUTE_RDONLY 1u
#define ATTRIBUTE_NOSUID 2u
#define ATTRIBUTE_NODEV 4u
#define ATTRIBUTE_NOEXEC 8u

/* Every kernel and container has /proc, and nothing that we bind lies below it: the new root is built there. */
#define SCAFFOLD "/proc"

#define TMP "/tmp"
#define SHOWN_DIRECTORY "/shown"

/* Where in the scaffold that is built which the host has at `path`. */
static void place(char target[4096], const char *path)
{
    bool in_tmp = !strncmp(path, TMP "/", sizeof TMP);
    snprintf(target, 4096, SCAFFOLD "%s%s", in_tmp ? SHOWN_DIRECTORY : "", in_tmp ? path + sizeof TMP - 1 : path);
}

static int restrict_mount(const char *path, uint64_t set, unsigned flags)
{
    struct attributes attributes = {.set = set};
    return (int)syscall(__NR_mount_setattr, AT_FDCWD, path, flags, &attributes, sizeof attributes);
}

static int make_parents(const char *path)
{
    char part[4096];
    size_t skip = strlen(SCAFFOLD) + 1;
    for (const char *slash = strchr(path + skip, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - path);
        if (length >= sizeof part)
            return -1;
        memcpy(part, path, length);
        part[length] = 0;
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int make_file(const char *path, const char *content, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    int failed = write_exactly(fd, content, length);
    return close(fd) < 0 || failed ? -1 : 0;
}

/* A copy of the mounts at `source`, restricted, not yet anywhere: open_tree(2), Linux 5.2. */
static int clone_tree(const char *source, uint64_t set)
{
    int tree = (int)syscall(__NR_open_tree, AT_FDCWD, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree < 0)
        return -1;
    struct attributes attributes = {.set = set};
    if (syscall(__NR_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) < 0)
        return -1;
    return tree;
}

enum step root_collect(const struct config *config, struct trees *trees, char *why, size_t why_size)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return STEP_ROOT_PRIVATE;
    const struct list *const lists[] = {&config->binds, &config->devices};
    const uint64_t sets[] = {ATTRIBUTE_RDONLY | ATTRIBUTE_NOSUID | ATTRIBUTE_NODEV, ATTRIBUTE_NOSUID | ATTRIBUTE_NOEXEC};
    trees->items = calloc(config->binds.count + config->devices.count, sizeof *trees->items);
    if (!trees->items)
        return STEP_MEMORY;
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const char *path = lists[l]->items[i].data;
            struct stat about;
            int tree = clone_tree(path, sets[l]);
            if (tree < 0 && errno == ENOENT)
                continue; /* gone since the parent looked: then it is not there inside either */
            if (tree < 0 || fstat(tree, &about) < 0) {
                snprintf(why, why_size, "%s", path);
                return STEP_ROOT_BIND;
            }
            trees->items[trees->count++] = (struct tree){tree, path, S_ISDIR(about.st_mode)};
        }
    return STEP_NONE;
}

static int attach(const struct tree *tree)
{
    char target[4096];
    place(target, tree->path);
    if (make_parents(target) < 0)
        return -1;
    if (tree->is_directory ? mkdir(target, 0755) < 0 && errno != EEXIST : make_file(target, "", 0) < 0)
        return -1;
    return (int)syscall(__NR_move_mount, tree->fd, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH);
}

static enum step fill(const struct config *config, const struct trees *trees, char *why, size_t why_size)
{
    char path[4096];
    for (size_t i = 0; i < trees->count; i++) {
        if (attach(&trees->items[i]) < 0) {
            snprintf(why, why_size, "%s", trees->items[i].path);
            return STEP_ROOT_BIND;
        }
        close(trees->items[i].fd);
    }
    /* Before the links: a file may lie where one of them would lead out. */
    for (size_t i = 0; i < config->files.count; i++) {
        const char *name = config->files.items[i].data;
        size_t length = strlen(name);
        place(path, name);
        if (make_parents(path) < 0 || make_file(path, name + length + 1, config->files.items[i].length - length - 1) < 0) {
            snprintf(why, why_size, "%s", name);
            return STEP_ROOT_FILE;
        }
    }
    for (size_t i = 0; i < config->symlinks.count; i++) {
        const char *target = config->symlinks.items[i].data;
        place(path, target + strlen(target) + 1);
        if (make_parents(path) < 0 || (symlink(target, path) < 0 && errno != EEXIST)) {
            snprintf(why, why_size, "%s", path + strlen(SCAFFOLD));
            return STEP_ROOT_FILE;
        }
    }
    static const char *const DIRECTORIES[] = {SCAFFOLD BOX_DIRECTORY, SCAFFOLD RUN_DIRECTORY, SCAFFOLD "/proc"};
    for (size_t i = 0; i < sizeof DIRECTORIES / sizeof *DIRECTORIES; i++)
        if (mkdir(DIRECTORIES[i], 0755) < 0 && errno != EEXIST)
            return STEP_ROOT_FILE;
    /* Where all of /tmp is shown, it stays a read-only directory: TMPDIR does not point to it. */
    if (symlink(RUN_TMP, SCAFFOLD TMP) < 0 && errno != EEXIST)
        return STEP_ROOT_FILE;
    return STEP_NONE;
}

/* The names in SHOWN_DIRECTORY, each with its NUL, and an empty one; NULL: there is none. */
static int list_shown(char **names)
{
    DIR *directory = opendir(SCAFFOLD SHOWN_DIRECTORY);
    struct dirent *entry;
    size_t length = 0;
    *names = NULL;
    if (!directory)
        return errno == ENOENT ? 0 : -1;
    while (errno = 0, (entry = readdir(directory))) {
        size_t size = strlen(entry->d_name) + 1;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        char *more = realloc(*names, length + size + 1);
        if (!more)
            break;
        *names = more;
        memcpy(more + length, entry->d_name, size);
        length += size;
        more[length] = 0;
    }
    int failed = errno;
    closedir(directory);
    errno = failed;
    return failed ? -1 : 0;
}

int root_link_shown(const char *names, const char *tmp)
{
    for (char from[512], to[512]; *names; names += strlen(names) + 1) {
        snprintf(from, sizeof from, SHOWN_DIRECTORY "/%s", names);
        snprintf(to, sizeof to, "%s/%s", tmp, names);
        if (symlink(from, to) < 0)
            return -1;
    }
    return 0;
}

enum step root_prepare(const struct config *config, const struct trees *trees, char **shown, char *why, size_t why_size)
{
    enum step step;
    umask(022);
    if (mount("codejury", SCAFFOLD, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m,nr_inodes=4096,mode=755") < 0)
        return STEP_ROOT_TMPFS;
    if ((step = fill(config, trees, why, why_size)) != STEP_NONE)
        return step;
    /* Outside of runs too: the waiting interpreters start there. */
    if (list_shown(shown) < 0 || (*shown && (mkdir(SCAFFOLD RUN_TMP, 0755) < 0 || root_link_shown(*shown, SCAFFOLD RUN_TMP) < 0)))
        return STEP_ROOT_FILE;
    if (mount("proc", SCAFFOLD "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return STEP_ROOT_PROC;
    /* The old root is stacked on the new one and taken off from there: no directory for it is needed (pivot_root(2)). */
    if (chdir(SCAFFOLD) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        return STEP_ROOT_PIVOT;
    if (restrict_mount("/", ATTRIBUTE_RDONLY | ATTRIBUTE_NOSUID | ATTRIBUTE_NODEV, 0) < 0)
        return STEP_ROOT_PIVOT;
    return STEP_NONE;
}
