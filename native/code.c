/* What Python programs compile to, kept from one run of a program to the next.
 *
 * A program is mostly run on many inputs, and a long one takes longer to compile than to run. At the second run of the same
 * program its child compiles it into the file that is lent to it here, and seals that before the program begins; from
 * the third on the file is lent for reading. What is in it comes from the program's own text alone, by the same
 * interpreter, and goes to nobody else: a run finds nothing there of any other.
 *
 * Only inside namespaces, where a program has the same path in every run.
 */
#include "box.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGEST (256u << 10) /* of a program that is worth the memory */
#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

/* The file that is run: path, NUL, content. NULL: not to be told. */
static const struct text *text_of(const struct request *request)
{
    const struct text *found = NULL;
    for (size_t i = 0; request->argv.count && i < request->files.count; i++)
        if (!strcmp(request->files.items[i].data, request->argv.items[0].data)) {
            if (found)
                return NULL;
            found = &request->files.items[i];
        }
    return found && found->length <= LARGEST ? found : NULL;
}

static void forget(struct recurring *program)
{
    free(program->text);
    close_fd(&program->code);
    *program = (struct recurring){.code = -1};
}

/* The one that was asked for longest ago makes place. */
static struct recurring *place_for(struct worker *worker, const struct text *text)
{
    struct recurring *oldest = worker->programs;
    for (struct recurring *one = worker->programs; one < worker->programs + PROGRAMS; one++) {
        if (one->runs && one->length == text->length && !memcmp(one->text, text->data, text->length))
            return one;
        if (one->last < oldest->last)
            oldest = one;
    }
    if (oldest->runs)
        forget(oldest);
    oldest->code = -1;
    oldest->length = text->length;
    oldest->text = malloc(text->length);
    if (!oldest->text)
        return NULL;
    memcpy(oldest->text, text->data, text->length);
    return oldest;
}

/* With all its pages, so that they are ours and not the run's, whose memory is counted. */
static int empty_file(size_t length)
{
    int fd = (int)syscall(SYS_memfd_create, "code", 3 /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
    if (fd >= 0 && fallocate(fd, 0, 0, (off_t)(4 * length + 8192)) < 0)
        close_fd(&fd);
    return fd;
}

int code_lend(struct worker *worker, const struct request *request)
{
    const struct text *text = request->warm && worker->config->level == LEVEL_NAMESPACES ? text_of(request) : NULL;
    struct recurring *program = text ? place_for(worker, text) : NULL;
    worker->running = program;
    if (!program)
        return -1;
    program->last = ++worker->lent;
    if (program->runs < 3 && ++program->runs == 2)
        program->code = empty_file(program->length);
    return program->code;
}

void code_take_back(struct worker *worker)
{
    struct recurring *program = worker->running;
    if (program && program->runs == 2 && program->code >= 0 && (fcntl(program->code, F_GET_SEALS) & SEALS) != SEALS)
        close_fd(&program->code); /* it does not compile, or its child had no time to: as it is, then */
    worker->running = NULL;
}

void code_leave(struct worker *worker)
{
    for (struct recurring *one = worker->programs; one < worker->programs + PROGRAMS; one++)
        if (one->runs)
            close_fd(&one->code);
}
