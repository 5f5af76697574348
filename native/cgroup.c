/* Control groups, versions 1 and 2: memory and processes of a tree bounded, CPU time counted.
 *
 * Owns the group of one worker, made once and used for run after run:
 *
 *   v1   <memory>/codejury-<launcher>   <pids>/codejury-<launcher>   <cpuacct>/codejury-<launcher>
 *   v2   <parent>/codejury-<launcher>
 *
 * All files are opened by the launcher, on the host and with its rights, and used through descriptors:
 * the keeper inside its namespaces could open none of them. Peaks and counters are read as differences,
 * because the group lives on.
 *
 * A program joins by writing "0" itself. In v1 it writes to `tasks`, which moves one thread and takes no
 * global lock (kernel/cgroup/cgroup.c, cgroup_procs_write_start); `cgroup.procs` waits for an RCU grace
 * period of milliseconds, and v2 offers nothing else.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEAST_RECLAIMED (4ull << 20)
#define MOST_LEFT_CHARGED (128ull << 20)
#define SLACK (2ull << 20)
#define ROOM_TO_GET_READY (64ull << 20)

/* How much page cache of earlier runs is let be: an eighth of the limit blurs the peak by no more than that. */
static uint64_t bearable(uint64_t limit)
{
    return limit / 8 < LEAST_RECLAIMED ? LEAST_RECLAIMED : limit / 8 > MOST_LEFT_CHARGED ? MOST_LEFT_CHARGED : limit / 8;
}

static int open_in(const char *directory, const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return open(path, flags | O_CLOEXEC);
}

static uint64_t read_number(int fd)
{
    char text[64];
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return 0;
    text[n] = 0;
    return strtoull(text, NULL, 10);
}

/* "key number" lines: memory.events, memory.oom_control, pids.events, cpu.stat */
static uint64_t read_field(int fd, const char *key)
{
    char text[2048];
    size_t length = strlen(key);
    ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (n <= 0)
        return 0;
    text[n] = 0;
    for (char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (!strncmp(line, key, length) && line[length] == ' ')
            return strtoull(line + length + 1, NULL, 10);
    return 0;
}

static int write_number(int fd, uint64_t value, bool v2)
{
    char text[32];
    int n = value == UNLIMITED ? snprintf(text, sizeof text, "%s", v2 ? "max" : "-1")
                               : snprintf(text, sizeof text, "%" PRIu64, value);
    return pwrite(fd, text, (size_t)n, 0) == n ? 0 : -1;
}

static char *make_group(struct cgroup *group, const char *parent, char *why, size_t why_size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/codejury-%d", parent, (int)getpid());
    if (mkdir(path, 0755) < 0 && errno != EEXIST) {
        snprintf(why, why_size, "mkdir in %s", parent);
        return NULL;
    }
    return group->made[group->made_count++] = strdup(path);
}

static int need(int fd, const char *name, char *why, size_t why_size)
{
    if (fd < 0)
        snprintf(why, why_size, "%s", name);
    return fd;
}

int cgroup_make(struct cgroup *group, const struct config *config, char *why, size_t why_size)
{
    int *const all[] = {&group->memory_limit, &group->memory_swap_limit, &group->memory_peak, &group->memory_usage,
                        &group->memory_events, &group->memory_reclaim, &group->pids_limit, &group->pids_events, &group->cpu};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = -1;
    group->version = 0;
    group->memory_written = group->pids_written = 0; /* no limit is ever 0: the first run writes both */
    for (size_t i = 0; i < config->cgroups.count; i++) {
        const char *kind = config->cgroups.items[i].data, *parent = kind + strlen(kind) + 1;
        char *made = make_group(group, parent, why, why_size);
        if (!made)
            return -1;
        bool v2 = !strcmp(kind, "v2");
        group->version = v2 ? 2 : 1;
        if ((group->join[group->joins++] = need(open_in(made, v2 ? "cgroup.procs" : "tasks", O_WRONLY), "tasks", why,
                                                why_size)) < 0)
            return -1;
        if (v2 || !strcmp(kind, "memory")) {
            group->memory_limit = need(open_in(made, v2 ? "memory.max" : "memory.limit_in_bytes", O_RDWR),
                                       "the memory controller", why, why_size);
            group->memory_usage = open_in(made, v2 ? "memory.current" : "memory.usage_in_bytes", O_RDONLY);
            group->memory_swap_limit = open_in(made, v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", O_RDWR);
            group->memory_events = open_in(made, v2 ? "memory.events" : "memory.oom_control", O_RDONLY);
            group->memory_reclaim = open_in(made, v2 ? "memory.reclaim" : "memory.force_empty", O_WRONLY);
            /* memory.peak can be reset since Linux 6.12, each descriptor on its own */
            group->memory_peak = open_in(made, v2 ? "memory.peak" : "memory.max_usage_in_bytes", O_RDWR);
            if (group->memory_peak < 0)
                group->memory_peak = open_in(made, "memory.peak", O_RDONLY);
            else
                group->peak_resets = pwrite(group->memory_peak, "0", 1, 0) == 1;
            if (group->memory_limit < 0 || group->memory_usage < 0 || group->memory_events < 0)
                return -1;
        }
        /* without a limit on swap a limit on memory is none */
        if (!v2 && group->memory_limit >= 0 && group->memory_swap_limit < 0) {
            int swappiness = open_in(made, "memory.swappiness", O_WRONLY);
            if (swappiness >= 0) {
                if (write(swappiness, "0", 1) < 0)
                    errno = 0;
                close(swappiness);
            }
        }
        if (v2 || !strcmp(kind, "pids")) {
            group->pids_limit = need(open_in(made, "pids.max", O_RDWR), "the pids controller", why, why_size);
            group->pids_events = open_in(made, "pids.events", O_RDONLY);
            if (group->pids_limit < 0)
                return -1;
        }
        if (v2 || !strcmp(kind, "cpuacct"))
            if ((group->cpu = need(open_in(made, v2 ? "cpu.stat" : "cpuacct.usage", O_RDONLY), "CPU accounting", why,
                                   why_size)) < 0)
                return -1;
    }
    return 0;
}

void cgroup_remove(struct cgroup *group)
{
    for (int i = 0; i < group->made_count; i++)
        /* a process that has just been reaped may still be counted for a moment */
        for (int tries = 0; rmdir(group->made[i]) < 0 && errno == EBUSY && tries < 500; tries++) {
            struct timespec pause = {0, 2000000};
            nanosleep(&pause, NULL);
        }
}

uint64_t cgroup_cpu_ns(struct cgroup *group)
{
    uint64_t now = group->version == 2 ? read_field(group->cpu, "usage_usec") * 1000 : read_number(group->cpu);
    return now > group->cpu_before ? now - group->cpu_before : 0;
}

static uint64_t oom_kills(struct cgroup *group) { return read_field(group->memory_events, "oom_kill"); }

static uint64_t pids_refused(struct cgroup *group) { return read_field(group->pids_events, "max"); }

/* memory and memory+swap are ordered (v1): widen the outer first, narrow it last; swap is 0 in v2 */
static int write_memory_limit(struct cgroup *group, uint64_t limit)
{
    bool v2 = group->version == 2;
    if (!v2 && group->memory_swap_limit >= 0)
        write_number(group->memory_swap_limit, UNLIMITED, false);
    if (write_number(group->memory_limit, limit, v2) < 0)
        return -1;
    if (group->memory_swap_limit >= 0)
        write_number(group->memory_swap_limit, v2 ? 0 : limit, v2);
    group->memory_written = limit;
    return 0;
}

void cgroup_rest(struct cgroup *group, uint64_t memory_bytes)
{
    bool v2 = group->version == 2;
    if (!group->version)
        return;
    /* What runs leave charged is page cache of files that they were first to read. It goes when memory is needed, so
     * it takes nothing from the next run, but it blurs the peak: past a bound it is given back. */
    group->memory_base = read_number(group->memory_usage);
    if (group->memory_base > bearable(memory_bytes) && group->memory_reclaim >= 0) {
        if (write_number(group->memory_reclaim, v2 ? group->memory_base : 0, v2) < 0)
            errno = 0; /* not all of it: fine */
        group->memory_base = read_number(group->memory_usage);
    }
    /* Who gets ready here is not to be killed for the last run's small limit. */
    if (group->memory_written && group->memory_written < ROOM_TO_GET_READY)
        write_memory_limit(group, ROOM_TO_GET_READY);
}

bool cgroup_rested(const struct cgroup *group, uint64_t memory_bytes)
{
    return !group->version || group->memory_base <= bearable(memory_bytes);
}

int cgroup_begin(struct cgroup *group, const struct limits *limits)
{
    if (!group->version)
        return 0;
    /* A little of it is the kernel's own and does not go: that much more is allowed, and no more, or a run could
     * leave a larger limit to the next one. */
    uint64_t limit = limits->memory_bytes;
    if (limit != UNLIMITED)
        limit = (limit + (group->memory_base < SLACK ? group->memory_base : SLACK) + 0xfffff) & ~0xfffffull;
    if (limit != group->memory_written && write_memory_limit(group, limit) < 0)
        return -1;
    if (limits->processes != group->pids_written) {
        if (write_number(group->pids_limit, limits->processes, true) < 0)
            return -1;
        group->pids_written = limits->processes;
    }
    if (group->peak_resets)
        group->peak_resets = pwrite(group->memory_peak, "0", 1, 0) == 1;
    group->peak_before = read_number(group->memory_peak);
    group->cpu_before = 0;
    group->cpu_before = cgroup_cpu_ns(group);
    group->oom_before = oom_kills(group);
    group->pids_before = pids_refused(group);
    group->sampled = 0;
    return 0;
}

/* The kernel has killed somebody for the limit: maybe not the one that the others wait for. */
bool cgroup_out_of_memory(struct cgroup *group) { return oom_kills(group) > group->oom_before; }

uint64_t cgroup_memory_sample(struct cgroup *group)
{
    uint64_t now = read_number(group->memory_usage);
    now = now > group->memory_base ? now - group->memory_base : 0;
    if (now > group->sampled)
        group->sampled = now;
    return now;
}

void cgroup_end(struct cgroup *group, struct result *result)
{
    if (!group->version)
        return;
    uint64_t peak = read_number(group->memory_peak);
    result->cpu_ns = cgroup_cpu_ns(group);
    uint64_t own = peak > group->memory_base ? peak - group->memory_base : 0;
    if (!group->peak_resets) { /* an old kernel: a new peak, or the samples; and never less than getrusage says */
        own = peak > group->peak_before ? own : group->sampled;
        own = own > result->memory_bytes ? own : result->memory_bytes;
    }
    result->memory_bytes = own;
    if (oom_kills(group) > group->oom_before)
        result->flags |= RESULT_OOM;
    if (pids_refused(group) > group->pids_before)
        result->flags |= RESULT_PROCESSES_MET;
}
