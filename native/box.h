/* The box: what every native file shares.
 *
 *   keeper.c      main(): launcher outside, keeper inside; talks to the Python parent
 *   run.c         one run from request to result: start, drain, limit, end
 *   berth.c       a run's place, made ready before anybody asks for it
 *   nursery.c     the waiting interpreters of a worker, from the keeper's side
 *   cores.c       which core a worker has
 *   init.c        pid 1 of a run's own namespaces: working directory, program, harvest
 *   lockdown.c    the last steps before untrusted code, in their one right order
 *   root.c        the prepared root: which directories exist inside, and how
 *   workdir.c     laying files into a working directory, fetching them, removing it
 *   cgroup.c      control groups, v1 and v2
 *   seccomp.c     the system call filter
 *   landlock.c    the file system rules
 *   limits.c      rlimits, identities, capabilities, no_new_privs
 *   watch.c       what a process tree uses, read from /proc
 *   wire.c        records on the socket to the parent
 *   go.c          the word to those who stand ready: what to run, with which streams, within which bounds
 *   zygote.c      lock-down for a fork of the waiting Python interpreter (library box.so)
 *   script.c      ... and the script that it then runs
 *
 * Invariant: between the first step of a run and exec (or the first line of a Python program)
 * every failed step is reported with its own code and nothing untrusted is started.
 */
#ifndef CODEJURY_BOX_H
#define CODEJURY_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One code a set-up step. The name goes to the user: step_name() in wire.c. */
enum step {
    STEP_NONE = 0,
    STEP_CONFIG = 10,      /* the parent's configuration cannot be read */
    STEP_CGROUP_MAKE = 20, /* a control group cannot be made or opened */
    STEP_CGROUP_LIMIT,     /* a limit cannot be written to it */
    STEP_CGROUP_JOIN,      /* the program cannot be put into it */
    STEP_NAMESPACES = 30,  /* clone() refused the worker's namespaces */
    STEP_ID_MAP,           /* uid_map or gid_map cannot be written */
    STEP_IDENTITY,         /* set*id() failed */
    STEP_ROOT_PRIVATE = 40,/* the mount tree cannot be made private */
    STEP_ROOT_TMPFS,       /* no tmpfs for the prepared root */
    STEP_ROOT_BIND,        /* a system directory cannot be bound read-only */
    STEP_ROOT_FILE,        /* a file or directory of the prepared root */
    STEP_ROOT_PROC,        /* no fresh /proc */
    STEP_ROOT_PIVOT,       /* pivot_root() */
    STEP_RUN_NAMESPACES = 50, /* clone() refused the run's namespaces */
    STEP_RUN_TMPFS,        /* no tmpfs for the working directory */
    STEP_RUN_PROC,         /* no /proc for the run */
    STEP_RUN_FILE,         /* a file cannot be laid into the working directory */
    STEP_RUN_ENTER,        /* setns() into the run's namespaces */
    STEP_RUN_FORK,         /* no process for the program */
    STEP_STDIO,            /* the standard streams cannot be connected */
    STEP_RLIMIT = 60,
    STEP_CAPABILITIES,
    STEP_NO_NEW_PRIVS,
    STEP_LANDLOCK,
    STEP_SECCOMP,
    STEP_EXEC = 70,        /* the program itself cannot be started */
    STEP_ZYGOTE,           /* the waiting interpreter cannot be started */
    STEP_ZYGOTE_LOST,      /* it died under a run */
    STEP_MEMORY,           /* no memory or descriptors for a worker's own needs */
    STEP_INIT_LOST,        /* the run's init ended without a report */
    STEP_FETCH,            /* files could not be handed back whole */
};

enum level { LEVEL_NAMESPACES = 1, LEVEL_LANDLOCK = 2 };

/* ---- wire.c: records. Each is a header and `length` bytes; a message ends with TAG_END. ---- */

struct record {
    uint32_t tag;
    uint32_t unused;
    uint64_t length;
};

enum tag {
    TAG_END = 0,
    /* configuration */
    TAG_LEVEL = 1,     /* u32 */
    TAG_BIND,          /* path, readable inside at the same place */
    TAG_SYMLINK,       /* target NUL path */
    TAG_FILE_AT,       /* path NUL content */
    TAG_DEVICE,        /* path of a device node */
    TAG_CGROUP,        /* "v2" | "memory" | "pids" | "cpuacct", NUL, directory of the parent group */
    TAG_TEMP,          /* directory for working directories (landlock level) */
    TAG_ZYGOTE_ARG,    /* argv of a waiting interpreter; what it preloads and its socket come last */
    TAG_ZYGOTE_ENV,
    TAG_UID,           /* u32: take this identity and the next one (started by root); at the level landlock, for programs */
    TAG_WORKER,        /* u32: which core it begins on, counted round */
    TAG_PRELOAD,       /* modules of one waiting interpreter; the n-th record makes kind n */
    /* a run */
    TAG_ARG = 32,
    TAG_ENV,
    TAG_FILE,          /* path NUL content */
    TAG_STDIN,
    TAG_FETCH,         /* pattern */
    TAG_LIMITS,        /* struct limits */
    TAG_WARM,          /* u32: ARGs are script and arguments for the zygote of this kind */
    TAG_STREAMS,       /* u32: STREAM_* that came as descriptors with this message, in that order */
    TAG_MORE,          /* the next request is this one with another STDIN, which is all that it says; the answers may wait
                          for each other, so that the parent is woken once for many short runs; a long one is the last */
    /* answers */
    TAG_READY = 64,    /* layers, separated by spaces, NUL, the directory above work and tmp */
    TAG_FAILED,        /* struct failure, then text */
    TAG_RESULT,        /* struct result */
    TAG_STDOUT,
    TAG_STDERR,
    TAG_FETCHED,       /* path NUL content */
};

enum { STREAM_IN = 1, STREAM_OUT = 2, STREAM_MEET = 4 /* a socket to the keeper of the other of two */ };

struct failure {
    uint32_t step;
    int32_t error;
};

#define UNLIMITED UINT64_MAX

struct limits {
    uint64_t cpu_ns, wall_ns, memory_bytes, output_bytes, disk_bytes, processes, open_files;
};

enum killed_by { KILLED_NOT = 0, KILLED_CPU, KILLED_WALL, KILLED_MEMORY, KILLED_OUTPUT, KILLED_OVERLOAD, KILLED_DISK,
                 KILLED_PROCESSES };

enum { RESULT_STDOUT_CUT = 1, RESULT_STDERR_CUT = 2, RESULT_OOM = 4, RESULT_PROCESSES_MET = 8, RESULT_DISK_FULL = 16,
       RESULT_ROW_ENDED = 32 /* no answers come to what was to follow: this one was not short */ };

struct result {
    uint32_t killed_by;
    uint32_t flags;
    int32_t exit_code; /* -1 when a signal ended the program */
    int32_t signal;    /* 0 when it exited */
    uint64_t cpu_ns, wall_ns, waited_ns, memory_bytes;
};

struct text {
    char *data;
    size_t length;
};

/* Memory that forks do not get: what a process writes to after a fork is copied, a page at a time, unless it is this. */
struct arena {
    char *base;
    size_t used, room;
};
void arena_open(struct arena *arena, size_t room); /* nothing fails: without it, there is no room in it */
char *arena_take(struct arena *arena, size_t length); /* NULL: it is full */
bool arena_has(const struct arena *arena, const void *data);

struct list {
    struct text *items;
    size_t count, room;
    struct arena *arena; /* where texts lie as long as there is room; NULL: nowhere but on the heap */
};

int read_exactly(int fd, void *to, size_t length);
int write_exactly(int fd, const void *from, size_t length);
int send_record(int fd, uint32_t tag, const void *data, size_t length);
int send_record2(int fd, uint32_t tag, const void *a, size_t a_length, const void *b, size_t b_length);
int send_records(int fd, const uint32_t *tags, const struct text *parts, int count); /* at most 4 */
int put_records(struct arena *to, const uint32_t *tags, const struct text *parts, int count); /* -1: no room */
int send_failure(int fd, enum step step, int error, const char *detail);
const char *step_name(enum step step);
char *list_add(struct list *list, size_t length); /* room for `length` bytes and a NUL; NULL: no memory */
void list_clear(struct list *list);
char **list_argv(const struct list *list); /* NULL-terminated, to be freed */

/* ---- configuration of a worker ---- */

struct config {
    enum level level;
    uint32_t worker;
    int64_t uid; /* that this worker may take, and the next one too; -1: as we are */
    struct list binds, symlinks, files, devices, cgroups, zygote_argv, zygote_env, preloads;
    char *temp;
};

/* ---- cgroup.c ---- */

struct cgroup {
    int version; /* 0: none */
    int join[3]; /* descriptors a program writes "0" to */
    int joins;
    int memory_limit, memory_swap_limit, memory_peak, memory_usage, memory_events, memory_reclaim, pids_limit, pids_events, cpu;
    bool peak_resets;
    uint64_t memory_base, peak_before, cpu_before, oom_before, pids_before, sampled; /* this run's */
    uint64_t memory_written, pids_written;
    char *made[4]; /* directories, removed by the launcher */
    int made_count;
};

int cgroup_make(struct cgroup *group, const struct config *config, char *why, size_t why_size);
void cgroup_remove(struct cgroup *group);
void cgroup_rest(struct cgroup *group, uint64_t memory_bytes); /* between two runs: nobody of either is in it */
bool cgroup_rested(const struct cgroup *group, uint64_t memory_bytes); /* ... well enough for such a limit */
int cgroup_begin(struct cgroup *group, const struct limits *limits);
uint64_t cgroup_cpu_ns(struct cgroup *group);
uint64_t cgroup_memory_sample(struct cgroup *group);
bool cgroup_out_of_memory(struct cgroup *group);
void cgroup_end(struct cgroup *group, struct result *result);

/* ---- root.c ---- */

#define BOX_DIRECTORY "/box"          /* in the prepared root; the rules allow writing below it */
#define RUN_DIRECTORY "/box/run"      /* a fresh tmpfs is mounted here for each run */
#define WORK_DIRECTORY "/box/run/work"
#define RUN_TMP "/box/run/tmp"

struct tree { int fd; const char *path; bool is_directory; };
struct trees { struct tree *items; size_t count; };
enum step root_collect(const struct config *config, struct trees *trees, char *why, size_t why_size);
/* `shown`: names of what of the host's /tmp is there, for root_link_shown(); NULL: nothing. */
enum step root_prepare(const struct config *config, const struct trees *trees, char **shown, char *why, size_t why_size);
int root_link_shown(const char *names, const char *tmp);

/* ---- landlock.c, seccomp.c, limits.c, lockdown.c: also in box.so ---- */

int landlock_abi(void);
/* Rules for a prepared root: read everything, write below BOX_DIRECTORY and to devices. */
int landlock_ruleset_inside(void);
/* Rules for a bare host: read what `paths` names, write to devices and below the `writable` directories. */
int landlock_ruleset_bare(const struct list *paths, const struct list *devices, const char *const *writable);

enum { SECCOMP_BARE = 1, /* no namespaces around the program */ SECCOMP_NO_SIGNAL_SCOPE = 2 };
void seccomp_prepare(unsigned flags); /* builds the filter ahead of time */
int seccomp_install(unsigned flags);

/* Where a program is put: the same for every run of a worker. */
struct lockdown {
    uint32_t level;
    uint32_t seccomp_flags;
    int32_t ruleset;
    int32_t join[3];
    int32_t joins;
    int32_t change_identity; /* become `uid`, `gid` */
    int32_t keep_signals;    /* a fork of the zygote: Python's own dispositions are what a program expects */
    uint32_t uid, gid;
    char work[512];
};

/* What it may use, as rlimits: a run's own. UNLIMITED leaves as is. */
struct bounds {
    uint64_t cpu_s, stack_bytes, open_files, processes, file_bytes;
};

/* Which step failed (STEP_NONE: all done); errno tells why. In this order, and the program after them. */
enum step lockdown_streams(const int streams[3]);
enum step lockdown_place(const struct lockdown *how, int keep, int keep_too); /* closes all but 0, 1, 2 and these */
enum step lockdown_last(const struct lockdown *how, const struct bounds *bounds);
enum step lockdown_bounds(const struct bounds *bounds);
enum step lockdown_identity(const struct lockdown *how);
void default_signals(void);
int seal_capabilities(void);
int drop_capabilities(void);
int raise_ambient_capabilities(void);

/* ---- workdir.c ---- */

int workdir_lay(int directory, const struct list *files, int64_t owner); /* -1: whoever we are */
int workdir_fetch(int directory, const struct list *patterns, int to, uint64_t budget); /* sends TAG_FETCHED records */
int empty_directory(int directory);
#define TOO_MUCH (UINT64_MAX / 4)
uint64_t tree_bytes(int directory, uint64_t *entries, int depth); /* TOO_MUCH: it hides from us */

/* ---- watch.c ---- */

struct sighting { pid_t tid; uint64_t ran_ns, delay_ns, ahead_ns; }; /* ahead: counted before the wait was over */

struct watch {
    int proc;           /* /proc of the keeper's pid namespace */
    bool everyone;      /* every pid there but `known` belongs to the run; else: descendants of the keeper */
    pid_t known[4];     /* the keeper, the zygotes, the run's init */
    pid_t group;        /* bare: the run's process group, which nobody in it can leave; 0: not yet known */
    struct sighting *seen;
    size_t seen_count, seen_room;
    uint64_t cpu_ns, memory_bytes, processes, threads;
};

int watch_tree(struct watch *watch, pid_t *pids, size_t room); /* how many pids the run has */
void watch_usage(struct watch *watch, bool with_memory);       /* fills cpu_ns, memory_bytes, processes */
/* The longest wait of one thread in the `since` nanoseconds since the last call; whether others than the tree wanted a
 * core. */
uint64_t watch_waited_ns(struct watch *watch, uint64_t since, bool *foreign);
void watch_hidden(struct watch *watch, const char *below, uint64_t *memory, uint64_t *unlinked);
void watch_each_thread(struct watch *watch, void (*call)(pid_t tid));
void watch_forget(struct watch *watch);
bool watch_kill(struct watch *watch);                          /* until nobody is left; false: somebody is */
uint64_t watch_waited_cpu_ns(struct watch *watch, pid_t pid);  /* of the children that it has reaped */

/* ---- init.c ---- */

struct report { /* init, or the program before exec, to the keeper; fixed size, so one write is one report */
    uint32_t kind;
    int32_t step, error;
    int32_t status;     /* wait status of the program */
    uint32_t disk_full;
    uint32_t unused;
    uint64_t cpu_ns;    /* of children that were waited for */
    uint64_t maxrss_bytes;
    uint64_t start_ns, end_ns;
};
enum { REPORT_FAILED = 1, REPORT_READY, REPORT_ENDED, REPORT_STARTED /* bare, warm: `status` is its pid */ };

struct request {
    struct list argv, env, files, fetch;
    struct limits limits;
    int in;     /* memfd, or what the parent gave */
    int out;    /* what the parent gave; -1: ours */
    int meet;   /* to the keeper of the one that it talks to; -1: alone, or both have begun */
    bool warm, more, cut; /* more to come; what comes is not to be run */
    uint32_t kind; /* which zygote */
};

/* ---- go.c: also in box.so ---- */

struct go {
    struct bounds bounds;
    uint64_t disk_bytes;
    uint32_t argc, envc, fetches;
    uint32_t plain;  /* no arguments, and no variables but the usual ones: no texts follow */
    uint64_t length; /* of the texts, each with its NUL */
};

enum { STREAMS = 3, CODE = 3, GIVEN = 4 };

/* `go` with the bounds set; lists may be NULL; given: in, out, err, code or -1; NULL: none go along. */
int send_go(int to, struct go go, const struct list *argv, const struct list *env, const struct list *fetch, const int *given);
/* 0; -1: no word will come. The texts are in the room given, or in memory that is asked for where they do not fit. */
int take_go(int from, struct go *go, char *room, size_t room_size, char **texts, int given[GIVEN]);
char *next_text(char **texts);

/* What init is born with; all that is the run's own comes with the word to go. Init lives for one run, and each page of
 * code or data that it comes to costs it a page fault: what can be worked out before is, by the keeper. */
struct cradle {
    const struct lockdown *lockdown;
    const char *disk;  /* options of its file system */
    const char *shown; /* in its /tmp; mostly NULL */
    int report, control;
    uint32_t run_uid, run_gid, uid, gid;
};

void init_main(const struct cradle *cradle) __attribute__((noreturn));
pid_t start_program(const struct lockdown *lockdown, const struct bounds *bounds, char **argv, char **env, const int streams[3],
                    int report, enum step *step, int *error);
void report_failure(int fd, enum step step, int error);

/* ---- berth.c ---- */

struct stream {
    int fd;
    char *data;
    size_t length, room;
    uint64_t limit;
    bool cut;  /* at the limit */
    bool lost; /* no memory for what came */
};

struct berth {
    struct stream out, err, reports;
    int out_end, err_end, report_end; /* the far ends */
    int control;         /* to init: the word to go (cold), to hand back files (warm) */
    int go;              /* to the zygote's child */
    pid_t init;          /* 0: nobody is here */
    int pidfd;           /* of init */
    bool heard;          /* init has said that all is in place */
    int work;            /* the working directory, opened before any program could put something in its place */
    uint64_t disk_bytes; /* that it has room for */
    bool ordered;        /* a zygote's child stands ready too */
    uint32_t kind;       /* ... of this kind */
    struct lockdown lockdown;
};

struct worker;
bool drain(struct stream *stream); /* takes what is there now; false at end of file */
void close_fd(int *fd);
enum step berth_open(struct worker *worker, struct berth *berth); /* the streams alone */
enum step berth_make(struct worker *worker, struct berth *berth, const struct limits *limits, int *error);
enum step berth_hear(struct worker *worker, struct berth *berth, int *error); /* ... that all is in place */
enum step berth_man(struct worker *worker, struct berth *berth, uint32_t kind, char *why, size_t why_size);
void berth_leave(struct worker *worker, struct berth *berth); /* nobody is there any more */
void berth_part(struct worker *worker, struct berth *berth);  /* only init is, and on its way out: it is not waited for */
void berth_parted(struct worker *worker);                     /* it is gone too */
void berth_close(struct berth *berth);

/* ---- nursery.c ---- */

#define ZYGOTES 2
#define ZYGOTES_OWN 2 /* of its variables the last ones, which are not for programs */

struct zygote {
    int socket;          /* -1: not running */
    pid_t pid;
    uint64_t runs;
};

/* What travels to the zygote with descriptors [pidfd, report, ruleset, go]: nothing of a run. */
struct zygote_order {
    struct lockdown lockdown;
};
struct zygote_answer {
    int32_t status, unused;
    uint64_t cpu_ns, maxrss_bytes;
};

enum step zygote_ready(struct worker *worker, uint32_t kind, char *why, size_t why_size);
void zygote_stop(struct worker *worker, uint32_t kind);
int zygote_order(struct worker *worker, uint32_t kind, const struct lockdown *lockdown, const int descriptors[4]);
int zygote_result(struct worker *worker, uint32_t kind, struct zygote_answer *answer); /* -1: it is gone */

/* ---- run.c ---- */

#define PROGRAMS 8

struct recurring { /* of code.c: one that may come again */
    char *text;  /* its path, NUL, its content */
    size_t length;
    uint64_t last; /* when it came, in a count of its own */
    uint32_t runs; /* 0: none; 3: three or more */
    int code;      /* what it compiles to, or -1 */
};

struct worker {
    const struct config *config;
    int parent;              /* socket to Python */
    struct cgroup cgroup;
    struct watch watch;
    int ruleset;
    unsigned seccomp_flags;
    bool change_identity;
    uint32_t uid, gid;
    char *shown;             /* root_prepare() */
    struct zygote zygotes[ZYGOTES];
    struct berth next;       /* for the next run, whatever it will be */
    uint64_t disk_bytes;     /* of the last one made, and what that is as options of its file system */
    char disk[160];
    pid_t parting;           /* the last run's init, whose namespaces are being taken apart; 0: nobody */
    struct {                 /* ... by what the last ones were */
        struct limits limits;
        bool warm;
        uint32_t kind;
        unsigned alike;      /* in a row */
    } last;
    int temp;                /* landlock level: the worker's directory on the host */
    char temp_path[400];
    uint64_t runs;
    int core, home;          /* the worker's, and where it began; -1: there is but one */
    uint64_t core_seen_ns, core_waited_ns;
    struct arena held;       /* answers that wait for the next */
    uint64_t held_ns;        /* since when */
    struct recurring programs[PROGRAMS], *running;
    uint64_t lent;
};

int run_one(struct worker *worker, struct request *request); /* -1: the parent is gone */
void run_foresee(struct worker *worker);

/* ---- code.c ---- */

int code_lend(struct worker *worker, const struct request *request); /* before a run: its file, which stays ours; or -1 */
void code_take_back(struct worker *worker);                          /* after it */
void code_leave(struct worker *worker);                              /* in a child: what the runs of others left */

/* ---- cores.c ---- */

void core_take(struct worker *worker);
void core_review(struct worker *worker);
void core_home(struct worker *worker);
void core_free(const struct worker *worker);  /* the keeper alone may go anywhere */
void core_bind(struct worker *worker);        /* ... and is bound again */
void core_move(struct worker *worker, uint64_t waited, uint64_t since);

uint64_t now_ns(void);

#endif
