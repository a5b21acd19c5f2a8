#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

FILE *output_open(const output_options *options)
{
    FILE *out = stderr;
    if (options->path != NULL) {
        out = fopen(options->path, options->append ? "ae" : "we");
        if (out == NULL)
            cli_complain("-o", options->path, 1, "cannot write %s: %s", options->path, strerror(errno));
    } else if (options->descriptor >= 0) {
        int copy = dup(options->descriptor);
        out = copy >= 0 ? fdopen(copy, "w") : NULL;
        if (out == NULL) {
            char number[16];
            snprintf(number, sizeof number, "%d", options->descriptor);
            cli_complain("--log-fd", number, 1, "file descriptor %d is not open for writing",
                         options->descriptor);
            if (copy >= 0)
                close(copy);
        }
    }
    return out;
}

/* Standard streams stay open, and forget their failure: it is told of here, and not again in output_finish.
 */
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
        cli_show_error(error, NULL, NULL, NULL);
        return false;
    }
    if (failed != 0)
        fprintf(stderr, "p5scope: cannot write %s: %s\n", path != NULL ? path : "the report",
                strerror(reason));
    return failed == 0;
}

int output_finish(int status)
{
    bool failed = ferror(stdout) != 0;
    const char *reason =
        fflush(stdout) != 0 ? strerror(errno) : NULL; /* of what failed before, nobody knows it */
    if (!failed && reason == NULL)
        return status;
    fprintf(stderr, "p5scope: cannot write to standard output%s%s\n", reason != NULL ? ": " : "",
            reason != NULL ? reason : "");
    return status != CLI_OK ? status : CLI_FAILED;
}
