/* Assembles cases with the GNU assembler from PATH, once for each file and trip count. A *case* is a piece of
 * assembly whose loop makes N trips; N is a symbol that the assembler gets on its command line. A *workplace*
 * is the temporary folder in which the assembler works (workplace.h). object.c then gives the object
 * addresses, as a linker would. */
#define _GNU_SOURCE /* prlimit */
#include "p5tool/report.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "report/case/object.h"
#include "report/case/syntax.h"
#include "report/case/workplace.h"

extern char **environ;

enum {
    TEXT_ADDRESS = 0x100000, /* of the code: above the low megabyte, in unused memory */
    LARGEST_FILE = 64 << 20, /* bytes of a source or object that is read */
    LONGEST_ASSEMBLY = 30,   /* seconds of processor time */
    LONGEST_TEMPORARY = 40   /* characters of TMPDIR, so that workplace.folder has room for it */
};

p5_status workplace_open(workplace *place, p5_error *error)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0' || strlen(folder) > LONGEST_TEMPORARY)
        folder = "/tmp";
    snprintf(place->folder, sizeof place->folder, "%.40s/p5scope.XXXXXX", folder);
    if (mkdtemp(place->folder) == NULL)
        return error_set(error, P5_ERR_IO, "cannot make a temporary folder in %s: %s", folder,
                         strerror(errno));
    snprintf(place->object, sizeof place->object, "%s/case.o", place->folder);
    snprintf(place->messages, sizeof place->messages, "%s/messages", place->folder);
    snprintf(place->source, sizeof place->source, "%s/case.s", place->folder);
    snprintf(place->intel, sizeof place->intel, "%s/intel.s", place->folder);
    return P5_OK;
}

void workplace_close(const workplace *place)
{
    unlink(place->object);
    unlink(place->messages);
    unlink(place->source);
    unlink(place->intel);
    rmdir(place->folder);
}

/* Writes the file that selects Intel syntax. The assembler reads several files as one; this one comes before the
 * user's. */
p5_status workplace_write_intel(const workplace *place, p5_error *error)
{
    return case_write_file(place->intel, ".intel_syntax noprefix\n", error);
}

p5_status case_read_file(const char *path, uint8_t **bytes, size_t *size, p5_error *error)
{
    const bool pipes = false;
    if (file_read(path, LARGEST_FILE, pipes, bytes, size, NULL) == P5_OK)
        return P5_OK;
    return error_set(error, P5_ERR_IO, "cannot read %s", path);
}

p5_status case_write_file(const char *path, const char *text, p5_error *error)
{
    FILE *file = fopen(path, "we");
    bool good = file != NULL && fputs(text, file) >= 0;
    good = (file == NULL || fclose(file) == 0) && good;
    return good ? P5_OK : error_set(error, P5_ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

/* Limits the assembler, which can be told by a line of a case to read without end or to write gigabytes. A case that is
 * larger than these limits could not be run. */
static void limit_resources(pid_t child)
{
    const struct rlimit file = {LARGEST_FILE, LARGEST_FILE};
    const struct rlimit seconds = {LONGEST_ASSEMBLY, LONGEST_ASSEMBLY};
    const struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    const struct rlimit no_core = {0, 0};
    prlimit(child, RLIMIT_CORE, &no_core, NULL);
    prlimit(child, RLIMIT_FSIZE, &file, NULL);
    prlimit(child, RLIMIT_CPU, &seconds, NULL);
    prlimit(child, RLIMIT_AS, &memory, NULL);
}

p5_status workplace_run(const workplace *place, int *status, p5_error *error, const char *program, ...)
{
    enum { MOST_WORDS = 16 };
    char *words[MOST_WORDS + 1] = {(char *)(uintptr_t)program};
    va_list more;
    va_start(more, program);
    for (size_t i = 1; i < MOST_WORDS && words[i - 1] != NULL; i++)
        words[i] = va_arg(more, char *);
    va_end(more);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, place->messages, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child;
    int failure = posix_spawnp(&child, program, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        error_set(error, P5_ERR_IO, "cannot start '%s': %s", program, strerror(failure));
        error_hint(error, "the GNU assembler and linker (package binutils) have to be in PATH");
        return P5_ERR_IO;
    }
    limit_resources(child);
    while (waitpid(child, status, 0) < 0)
        if (errno != EINTR)
            return error_set(error, P5_ERR_IO, "lost '%s': %s", program, strerror(errno));
    if (WIFSIGNALED(*status))
        return error_set(
            error, P5_ERR_RANGE,
            "'%s' was ended by signal %d: it may take %d MB of output and %d seconds of processor time",
            program, WTERMSIG(*status), LARGEST_FILE >> 20, LONGEST_ASSEMBLY);
    return P5_OK;
}

/* Checks a case before it is assembled. A case is in Intel syntax unless it has a syntax directive: rejects
 * AT&T syntax without one, and forms that the GNU assembler would misread. `name` is the user's name of the
 * file. */
static p5_status check_text(const char *name, const char *text, p5_error *error)
{
    if (!p5_code_is_att(text))
        return code_check(name, text, false, error);
    error_set(error, P5_ERR_SYNTAX, "this is AT&T syntax, and a case is in Intel's: destination first");
    error_hint(error, "'.att_syntax prefix' in its first line makes it one in AT&T syntax");
    error_at(error, name, 0, 0);
    return P5_ERR_SYNTAX;
}

/* Assembles the file at `path` into place->object with the symbol N = `trips`; *status gets the assembler's
 * exit status. */
static p5_status run_assembler(const workplace *place, const char *path, unsigned trips, int *status,
                               p5_error *error)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "N=%u", trips);
    /* .include and .incbin look for files in the case's folder. */
    char folder[4096];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "-I%.*s", slash != NULL ? (int)(slash - path) + 1 : 1,
             slash != NULL ? path : ".");
    char file[4096]; /* a name that begins with - must not look like an option */
    snprintf(file, sizeof file, "%s%s", path[0] == '-' ? "./" : "", path);
    p5_status written = workplace_write_intel(place, error);
    if (written != P5_OK)
        return written;
    return workplace_run(place, status, error, "as", "--32", folder, "--defsym", symbol, "-o", place->object,
                         place->intel, file, NULL);
}

/* Returns TEXT of a message "FILE:LINE: KIND: TEXT" of the assembler, and sets *number to LINE; 0: it has none. `kind`
 * is ": KIND: ". Returns NULL for a line of another form. Overwrites part of the line. */
static const char *message_text(char *line, const char *kind, unsigned *number)
{
    char *found = strstr(line, kind);
    if (found == NULL)
        return NULL;
    *found = '\0';
    const char *colon = strrchr(line, ':');
    *number = colon != NULL ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    return found + strlen(kind);
}

p5_status workplace_message(const workplace *place, const char *name, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    const p5_status status = case_read_file(place->messages, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    unsigned number = 0;
    const char *message = NULL;
    char *rest, *line = strtok_r((char *)bytes, "\n", &rest);
    for (; line != NULL && message == NULL; line = strtok_r(NULL, "\n", &rest)) {
        message = message_text(line, ": Error: ", &number);
        if (message == NULL)
            message = message_text(line, ": Fatal error: ", &number);
    }
    error_set_at(error, P5_ERR_FORMAT, (error_place){name, number, 0}, "%s",
                 message != NULL ? message : "the assembler failed without a message");
    free(bytes);
    return P5_ERR_FORMAT;
}

/* Makes an error of the assembler's first warning that it has truncated a number, because the code is then not
 * what the user wrote. Returns P5_OK if there is none. */
static p5_status refuse_shortened(const workplace *place, const char *name, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    p5_status status = case_read_file(place->messages, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    char *rest, *line = strtok_r((char *)bytes, "\n", &rest);
    for (; line != NULL && status == P5_OK; line = strtok_r(NULL, "\n", &rest)) {
        unsigned number;
        const char *message = message_text(line, ": Warning: ", &number);
        if (message != NULL &&
            (strstr(message, " shortened to ") != NULL || strstr(message, " truncated to ") != NULL))
            status = error_set_at(error, P5_ERR_FORMAT, (error_place){name, number, 0}, "%s", message);
    }
    free(bytes);
    return status;
}

/* Checks and assembles the file at `path`, which the user knows as `name`, and makes a program of it. */
static p5_status assemble(const workplace *place, const char *name, const char *path, unsigned trips,
                          p5_case_program **program, p5_error *error)
{
    int exit_status;
    uint8_t *text;
    size_t size;
    p5_status status = case_read_file(path, &text, &size, error);
    if (status != P5_OK)
        return status;
    status = check_text(name, (const char *)text, error);
    if (status == P5_OK && (status = run_assembler(place, path, trips, &exit_status, error)) == P5_OK) {
        status =
            exit_status != 0 ? workplace_message(place, name, error) : refuse_shortened(place, name, error);
        if (status == P5_OK)
            status = workplace_program(place, name, NULL, program, error);
        if (error != NULL && (status == P5_ERR_FORMAT || status == P5_ERR_NAME))
            p5_code_locate((const char *)text, error);
    }
    free(text);
    return status;
}

p5_status workplace_program(const workplace *place, const char *name, const char *function,
                            p5_case_program **program, p5_error *error)
{
    uint8_t *bytes;
    size_t size = 0;
    p5_case_program *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the case's program");
    p5_status status = case_read_file(place->object, &bytes, &size, error);
    if (status == P5_OK) {
        status = case_object_place(bytes, size, TEXT_ADDRESS, function, made, error);
        if (status != P5_OK)
            error_at(error, name, 0, 0);
        free(bytes);
    }
    if (status == P5_OK)
        *program = made;
    else
        free(made);
    return status;
}

/* Assembles the file at `path` or, if `text` is not NULL, this text; the user knows it as `path` in either case. */
static p5_status assemble_in_workplace(const char *path, const char *text, unsigned trips,
                                       p5_case_program **program, p5_error *error)
{
    workplace place = {.folder = ""};
    *program = NULL;
    p5_status status = workplace_open(&place, error);
    if (status != P5_OK)
        return status;
    if (text != NULL)
        status = case_write_file(place.source, text, error);
    if (status == P5_OK)
        status = assemble(&place, path, text != NULL ? place.source : path, trips, program, error);
    workplace_close(&place);
    return status;
}

p5_status p5_case_assemble(const char *path, unsigned trips, p5_case_program **program, p5_error *error)
{
    return assemble_in_workplace(path, NULL, trips, program, error);
}

p5_status p5_case_assemble_text(const char *name, const char *text, unsigned trips, p5_case_program **program,
                                p5_error *error)
{
    return assemble_in_workplace(name, text, trips, program, error);
}

p5_case_program *case_program_with_text(const p5_case_program *of, uint8_t *text, size_t size,
                                        uint32_t exit_address)
{
    p5_case_program *made = calloc(1, sizeof *made);
    uint8_t *data = malloc(of->data_size + 1);
    if (made == NULL || data == NULL) {
        free(made);
        free(data);
        return NULL;
    }
    *made = *of;
    made->undefined = NULL;
    made->undefined_count = 0;
    made->labels = NULL;
    made->label_count = 0;
    made->text = text;
    made->text_size = size;
    made->exit_address = exit_address;
    made->data = data;
    if (of->data_size > 0)
        memcpy(data, of->data, of->data_size);
    return made;
}

void p5_case_program_free(p5_case_program *program)
{
    if (program == NULL)
        return;
    case_object_free(program);
    free(program);
}

void p5_case_program_image(const p5_case_program *program, p5_case_image *image)
{
    memset(image, 0, sizeof *image);
    image->text = program->text;
    image->text_size = program->text_size;
    image->text_address = program->text_address;
    image->data = program->data;
    image->data_size = program->data_size;
    image->data_address = program->data_address;
    image->bss_size = program->bss_size;
    image->bss_address = program->bss_address;
    image->entry = program->text_address;
    image->exit_address = program->exit_address;
}

const char *case_program_undefined(const p5_case_program *program, uint32_t address)
{
    const uint32_t index = (address - CASE_UNDEFINED) / CASE_UNDEFINED_BYTES;
    return address >= CASE_UNDEFINED && index < program->undefined_count ? program->undefined[index] : NULL;
}

bool case_program_label(const p5_case_program *program, const char *name, uint32_t *address)
{
    for (size_t i = 0; i < program->label_count; i++)
        if (strcmp(program->labels[i].name, name) == 0) {
            *address = program->labels[i].address;
            return true;
        }
    return false;
}
