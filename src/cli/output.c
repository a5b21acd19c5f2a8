/* Opens and closes the files and streams that reports are written to. Messages name the option and the reason. */
#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "p5tool/report.h"

/* Opens the file at `path` as `mode` says. *made (may be NULL) gets whether it was created. Returns its descriptor,
 * or a negative number after a message. */
static int open_for(const char *option, const char *path, p5_output_mode mode, bool *made)
{
    int file = p5_output_open(path, mode, made);
    if (file < 0)
        cli_complain(option, path, 1, "cannot write %s: %s", path, p5_output_reason(-file));
    return file;
}

/* Opens a stream for the file at `path`, which `append` leaves as it is; otherwise empties it. NULL after a message. */
static FILE *open_stream(const char *option, const char *path, bool append)
{
    int file = open_for(option, path, append ? P5_OUTPUT_APPEND : P5_OUTPUT_EMPTY, NULL);
    FILE *out = file >= 0 ? fdopen(file, append ? "a" : "w") : NULL;
    if (file >= 0 && out == NULL) {
        cli_complain(option, path, 1, "cannot write %s: %s", path, strerror(errno));
        close(file);
    }
    return out;
}

FILE *output_open_file(const char *option, const char *path)
{
    return open_stream(option, path, false);
}

bool output_reserve(output_reserved *reserved, const char *option, const char *path)
{
    *reserved = (output_reserved){.option = option, .path = path, .file = -1};
    if (path != NULL)
        reserved->file = open_for(option, path, P5_OUTPUT_KEEP, &reserved->made);
    return path == NULL || reserved->file >= 0;
}

FILE *output_begin(output_reserved *reserved)
{
    struct stat about;
    bool regular = fstat(reserved->file, &about) == 0 && S_ISREG(about.st_mode);
    FILE *out = regular && ftruncate(reserved->file, 0) != 0 ? NULL : fdopen(reserved->file, "w");
    if (out == NULL)
        cli_complain(reserved->option, reserved->path, 1, "cannot write %s: %s", reserved->path,
                     strerror(errno));
    else
        reserved->file = -1; /* the stream owns it */
    return out;
}

void output_release(output_reserved *reserved)
{
    if (reserved->path == NULL || reserved->file < 0)
        return;
    if (reserved->made)
        remove(reserved->path);
    close(reserved->file);
    reserved->file = -1;
}

FILE *output_open(const cli_options *line)
{
    if (line->output != NULL)
        return open_stream("-o", line->output, line->output_append);
    if (!line->used[OPTION_LOG_FD])
        return stderr;
    const int copy = dup((int)line->log_fd);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out == NULL) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)line->log_fd);
        cli_complain("--log-fd", number, 1, "file descriptor %s is not open for writing", number);
        if (copy >= 0)
            close(copy);
    }
    return out;
}

/* Closes `out`, or flushes a standard stream; returns 0 if everything was written. Clears the error of a standard
 * stream, because output_close reports it and output_finish must not report it again. */
static int end_stream(FILE *out)
{
    if (out != stderr && out != stdout)
        return fclose(out);
    int failed = fflush(out);
    clearerr(out);
    return failed;
}

bool output_close(FILE *out, const char *path, p5_status status, p5_error *error)
{
    int failed = end_stream(out);
    int reason = errno;
    if (status != P5_OK) {
        if (path != NULL && error->where[0] == '\0')
            snprintf(error->where, sizeof error->where, "%s", path);
        return cli_refuse_error(error, NULL, NULL, NULL);
    }
    if (failed != 0)
        fprintf(stderr, "p5scope: cannot write %s: %s\n", path != NULL ? path : "the report",
                strerror(reason));
    return failed == 0;
}

int output_finish(int status)
{
    bool failed = ferror(stdout) != 0;
    /* errno of an earlier failure is not known any more. */
    const char *reason = fflush(stdout) != 0 ? strerror(errno) : NULL;
    if (!failed && reason == NULL)
        return status;
    fprintf(stderr, "p5scope: cannot write to standard output%s%s\n", reason != NULL ? ": " : "",
            reason != NULL ? reason : "");
    return status != CLI_OK ? status : CLI_FAILED;
}
