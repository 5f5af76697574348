/* A Python script to its end, as `python3 script.py` runs it: in box.so, called by the zygote's child.
 *
 * Owns the fidelity of warm runs. The interpreter's own functions do the work, so that errors read and exit codes
 * come out as they should; what differs is the end, where the interpreter tears down all that was ever imported. Here
 * the script's own modules go, with finalisers and open files, and the rest is left to the kernel.
 *
 * The script runs in a thread state of its own: no frame of the zygote lies below its first one. All that can be done
 * before the word to go is done before it.
 *
 * The functions are found in the process that loads us, whichever version of Python that is; no header of it is
 * needed. Objects are void pointers here.
 */
#include "box.h"
#include "script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PYTHON(type, name, ...) extern type name(__VA_ARGS__) __attribute__((weak))

PYTHON(void *, PyInterpreterState_Main, void);
PYTHON(void *, PyThreadState_New, void *);
PYTHON(void *, PyThreadState_Swap, void *);
PYTHON(void, PyThreadState_Delete, void *);
PYTHON(void *, PyImport_AddModule, const char *);
PYTHON(void *, PyModule_GetDict, void *);
PYTHON(char *, PyBytes_AsString, void *);
PYTHON(int, PyDict_DelItemString, void *, const char *);
PYTHON(void *, PyEval_EvalCode, void *, void *, void *);
PYTHON(void *, PyMarshal_ReadObjectFromString, const char *, long);
PYTHON(int, PyBytes_AsStringAndSize, void *, char **, long *);
PYTHON(void, PyErr_Restore, void *, void *, void *);
PYTHON(void *, PyRun_FileExFlags, FILE *, const char *, int, void *, void *, int, void *);
PYTHON(int, PyErr_ExceptionMatches, void *);
PYTHON(void, PyErr_Fetch, void **, void **, void **);
PYTHON(void, PyErr_NormalizeException, void **, void **, void **);
PYTHON(void, PyErr_PrintEx, int);
PYTHON(void, PyErr_Clear, void);
PYTHON(void, PyErr_WriteUnraisable, void *);
PYTHON(void *, PySys_GetObject, const char *);
PYTHON(void, PySys_WriteStderr, const char *, ...);
PYTHON(void *, PyObject_GetAttrString, void *, const char *);
PYTHON(void *, PyObject_CallMethod, void *, const char *, const char *, ...);
PYTHON(void *, PyObject_CallObject, void *, void *);
PYTHON(int, PyObject_IsTrue, void *);
PYTHON(int, PyObject_IsInstance, void *, void *);
PYTHON(long, PyLong_AsLong, void *);
PYTHON(int, PyFile_WriteObject, void *, void *, int);
PYTHON(void, Py_DecRef, void *);
PYTHON(long, PyObject_Size, void *);
PYTHON(int, Py_GetRecursionLimit, void);
PYTHON(void, Py_SetRecursionLimit, int);
extern void *PyExc_SystemExit __attribute__((weak));
extern void *PyExc_KeyboardInterrupt __attribute__((weak));
extern const unsigned long Py_Version __attribute__((weak)); /* 3.11 */
extern char PyLong_Type __attribute__((weak));
extern char _Py_NoneStruct __attribute__((weak));

enum { REHEARSED_AFTER_MS = 2, FILE_INPUT = 257, PRINT_RAW = 1, LEVELS = 1000 }; /* Py_file_input, Py_PRINT_RAW */
static void *const NONE = &_Py_NoneStruct;

int python_call(void *function)
{
    void *done = PyObject_CallObject(function, NULL);
    if (!done)
        PyErr_Clear();
    else
        Py_DecRef(done);
    return done ? 0 : -1;
}

/* As handle_system_exit() of pythonrun.c has it. Takes the exception that is set. */
static int exit_code(void)
{
    void *type, *value, *trace, *code;
    int status = 1;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    code = value ? PyObject_GetAttrString(value, "code") : NULL;
    if (!code)
        PyErr_Clear();
    if (code == NONE) {
        status = 0;
    } else if (code && PyObject_IsInstance(code, &PyLong_Type) == 1) {
        status = (int)PyLong_AsLong(code); /* too large: -1 */
        PyErr_Clear();
    } else {
        void *err = PySys_GetObject("stderr");
        if (code && err && err != NONE && PyFile_WriteObject(code, err, PRINT_RAW) < 0)
            PyErr_Clear();
        PySys_WriteStderr("\n");
    }
    Py_DecRef(code); /* and with the traceback go the frames, and what they hold open */
    Py_DecRef(type);
    Py_DecRef(value);
    Py_DecRef(trace);
    return status;
}

/* As flush_std_files() of pylifecycle.c. -1: something could not be flushed. */
static int flush(const char *name, int loud)
{
    int status = 0;
    void *stream = PySys_GetObject(name), *closed, *done;
    if (!stream || stream == NONE)
        return 0;
    closed = PyObject_GetAttrString(stream, "closed");
    if (!closed)
        PyErr_Clear();
    else if (PyObject_IsTrue(closed) == 1)
        return 0;
    PyErr_Clear();
    done = PyObject_CallMethod(stream, "flush", NULL);
    if (!done) {
        status = -1;
        if (loud)
            PyErr_WriteUnraisable(stream);
        else
            PyErr_Clear();
    }
    return status;
}

static void call_loudly(void *module, const char *name)
{
    if (module && !PyObject_CallMethod(module, name, NULL))
        PyErr_WriteUnraisable(module);
}

static void collect(void *gc)
{
    if (!PyObject_CallMethod(gc, "collect", NULL))
        PyErr_Clear();
}

static long size_of(void *module, const char *name)
{
    void *held = PyObject_GetAttrString(module, name);
    long size = held ? PyObject_Size(held) : -1;
    if (size < 0)
        PyErr_Clear();
    return size;
}

static long exits_known = -1;

/* Threads and exit handlers there are; -1 where the interpreter has other names for them (Python 3.13 and later). */
static long exits(const struct script *script)
{
    void *handlers = PyObject_CallMethod(script->atexit, "_ncallbacks", NULL);
    long count = handlers ? PyLong_AsLong(handlers) : -1;
    PyErr_Clear();
    long locks = size_of(script->threading, "_shutdown_locks"), atexits = size_of(script->threading, "_threading_atexits");
    return count < 0 || locks < 0 || atexits < 0 ? -1 : count + locks + atexits;
}

void script_prepare(const struct script *script) { exits_known = exits(script); }

/* The interpreter calls threading's end only where a script imported it; here it always is. Nobody notices but a thread
 * or an exit handler that was not here before the script. */
static bool has_threads(const struct script *script)
{
    long now = exits(script);
    return now < 0 || now != exits_known;
}

/* What the keeper lends us (code.c): an earlier run has left there what the program compiles to; or this one leaves it,
 * for later ones, and seals it. The code object of the first; NULL in the second case, and wherever anything is amiss:
 * then the program is run from its text. */
static void *code_from(int fd, void *compile)
{
    struct stat about;
    void *code = NULL, *dump;
    char *bytes;
    long length;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || fstat(fd, &about) < 0)
        return NULL;
    bool full = seals & F_SEAL_WRITE, left = false;
    struct { long length; char bytes[]; } *file =
        mmap(NULL, (size_t)about.st_size, full ? PROT_READ : PROT_READ | PROT_WRITE, full ? MAP_PRIVATE : MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        return NULL;
    long room = (long)about.st_size - (long)sizeof *file;
    if (full && file->length > 0 && file->length <= room) {
        code = PyMarshal_ReadObjectFromString(file->bytes, file->length);
    } else if (!full && (dump = PyObject_CallObject(compile, NULL))) {
        if (PyBytes_AsStringAndSize(dump, &bytes, &length) == 0 && length <= room) {
            file->length = length;
            memcpy(file->bytes, bytes, (size_t)length);
            left = true;
        }
        Py_DecRef(dump);
    }
    PyErr_Clear();
    munmap(file, (size_t)about.st_size);
    if (left)
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    return code;
}

/* As flush_io() of pythonrun.c: what PyRun_FileExFlags() ends with, whatever came of the program. */
static void flush_both(void)
{
    void *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    flush("stderr", 0);
    flush("stdout", 0);
    PyErr_Restore(type, value, trace);
}

/* The program as __main__, with these names. NULL: it raised something. */
static void *run_program(const char *path, int lent, void *compile, void *names)
{
    void *code = lent >= 0 ? code_from(lent, compile) : NULL;
    if (lent >= 0)
        close(lent);
    if (code) {
        void *result = PyEval_EvalCode(code, names, names);
        flush_both();
        Py_DecRef(code);
        return result;
    }
    FILE *file = fopen(path, "rb");
    if (!file) { /* laid for this run, and gone: say what python3 says */
        fprintf(stderr, "can't open file '%s': [Errno %d]\n", path, errno);
        _exit(2);
    }
    return PyRun_FileExFlags(file, path, FILE_INPUT, names, names, 1, NULL);
}

int script_run(const struct script *script)
{
    bool known = &Py_Version && Py_Version < 0x030d0000 /* it keeps a pointer to the main thread's state, which must not go */
                 && PyThreadState_New && PyRun_FileExFlags && PyErr_Fetch && PyInterpreterState_Main && &PyLong_Type;
    if (known) {
        /* The old state goes before the new one is made, so that the new one becomes this thread's own for
         * PyGILState_Ensure() too; another stands in meanwhile, for there must always be one. */
        void *interpreter = PyInterpreterState_Main(), *stand_in = PyThreadState_New(interpreter);
        PyThreadState_Delete(PyThreadState_Swap(NULL));
        PyThreadState_Swap(PyThreadState_New(interpreter));
        PyThreadState_Delete(stand_in);
        /* Not where runs come thick and fast: then nobody would gain by it. */
        if (!zygote_called(REHEARSED_AFTER_MS))
            python_call(script->rehearse);
    }
    char *path = PyBytes_AsString(script->path);
    int lent = -1, plain = zygote_start(&lent);
    if (plain < 0)
        _exit(125);
    if (!plain) {
        void *named = PyObject_CallObject(script->name, NULL);
        if (!named || !(path = PyBytes_AsString(named)))
            _exit(125);
    }
    if (!known)
        return -1;

    void *names = PyModule_GetDict(PyImport_AddModule("__main__"));
    int status = 0, interrupted = 0;
    void *result = run_program(path, lent, script->compile, names);
    if (!result && PyErr_ExceptionMatches(PyExc_SystemExit)) {
        status = exit_code();
    } else if (!result) {
        status = 1;
        interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
        PyErr_PrintEx(1);
    }
    if (PyDict_DelItemString(names, "__file__") < 0 || PyDict_DelItemString(names, "__cached__") < 0)
        PyErr_Clear();

    if (Py_GetRecursionLimit() < LEVELS / 10)
        Py_SetRecursionLimit(LEVELS / 10); /* what follows is ours, and needs a few levels of its own */
    if (has_threads(script))
        call_loudly(script->threading, "_shutdown"); /* waits for them */
    call_loudly(script->atexit, "_run_exitfuncs");
    int unflushed = flush("stdout", 1) | flush("stderr", 0);
    /* Twice, as the interpreter does: the first time, while all is still held, puts every file behind what buffers it,
     * so that the second time the buffers are flushed before the files are closed (gc.c, move_unreachable()). */
    collect(script->gc);
    void *modules = PyObject_CallObject(script->unload, NULL);
    if (modules)
        Py_DecRef(modules);
    else
        PyErr_Clear();
    collect(script->gc);
    python_call(script->settle); /* files that something preloaded still holds */
    flush("stdout", 0);
    flush("stderr", 0);
    if (interrupted) { /* so that whoever waits sees the signal (exit_sigint() of main.c) */
        signal(SIGINT, SIG_DFL);
        kill(getpid(), SIGINT);
    }
    _exit(unflushed ? 120 : status);
}
