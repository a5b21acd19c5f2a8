/* Calls a function of an object or assembly file in a loop, so that a compiler's output becomes a case: a
 * program whose cost per trip of a loop is measured. The loop (the harness) and the file are linked into one
 * object, which is placed like that of any other case.
 *
 * A call must cost the same whatever is measured, so that the same loop around an empty function, a single
 * RET, can be subtracted exactly:
 *
 *   - The harness has a page of its own before the file's code, and its CALL and JNZ are always at the same
 *     offsets, so arguments move neither the function nor the branches. On the P55C CALL and JNZ are in
 *     different dwords, hence in different entries of the branch target buffer. A function whose branches
 *     need all ways of their sets in the buffer is measured with the harness at two places (`elsewhere`);
 *     where they share a set it costs more.
 *   - CLD before CALL and CPUID before JNZ do not pair (they are of class NP). On the P54C, where the pair
 *     before a branch is its key, the keys of CALL, of the function's first branch and of JNZ therefore
 *     belong to the harness.
 *   - CPUID waits for everything that the function has begun (241428, serializing instructions), so that no
 *     part of the function overlaps the harness.
 *   - Stack pointer, direction flag and arguments are set for every call, because a function may pop its
 *     arguments (stdcall) or change them. The loop's counter is in memory, where no function changes it. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory_text.h"
#include "p5tool/machine.h"
#include "report/case/object.h"
#include "report/case/syntax.h"
#include "report/case/workplace.h"

enum { LONGEST_PATH = 4096 }; /* bytes of a path, with its NUL */

/* Files in the workplace's folder in addition to those of workplace.h. */
enum {
    LOOP, /* the harness */
    LOOP_OBJECT,
    SCRIPT,      /* of the linker */
    USER_SOURCE, /* the empty function */
    USER_OBJECT, /* the user's source or the empty function, assembled */
    PARTS
};
static const char *const part_names[PARTS] = {"loop.s", "loop.o", "script", "user.s", "user.o"};

typedef struct parts {
    char path[PARTS][96];
    char user[LONGEST_PATH]; /* the object that has the function: the user's own, or path[USER_OBJECT] */
} parts;

/* Puts the harness (.text.p5scope) before the user's code, and the buffers that arguments point to after the
 * user's data and zeroed data. */
static const char link_script[] = "SECTIONS {\n"
                                  " .text : { *(.text.p5scope) *(.text .text.*) }\n"
                                  " .data : { *(.data .data.* .rodata .rodata.*) *(.p5scope.contents) }\n"
                                  " .bss : { *(.bss .bss.* COMMON) *(.p5scope.buffers) }\n"
                                  " /DISCARD/ : { *(.eh_frame .comment .note .note.* .debug*) }\n"
                                  "}\n";

/* ESP before CALL. The arguments are at this address, the loop's counter after them, and the return address
 * before them; with up to three arguments all of them share a line of the data cache. */
enum { FRAME = P5_CASE_STACK_TOP - 7 * 16 };
/* Offsets in the harness, and sizes of instructions, in bytes. */
enum {
    RETURN_AT = 256,                      /* the end of CALL, hence its return address */
    RETURN_ELSEWHERE_AT = RETURN_AT + 96, /* with `elsewhere`: another set of the branch target buffer */
    CALL_BYTES = 5,
    CLD_BYTES = 1,
    MOV_ESP_BYTES = 5,
    ARGUMENT_BYTES = 8
};

uint32_t case_function_stack_end(const p5_case_function *f)
{
    return FRAME + 4 * (uint32_t)f->argument_count;
}

static bool is_buffer(const p5_case_argument *argument)
{
    return argument->buffer_bytes != 0 || argument->file != NULL;
}

/* Writes instructions that store the arguments; each has ARGUMENT_BYTES. */
static void put_arguments(FILE *out, const p5_case_function *f)
{
    for (size_t i = 0; i < f->argument_count; i++)
        if (is_buffer(&f->arguments[i]))
            fprintf(out, "{disp8} mov dword ptr [esp + %zu], offset p5scope_buffer_%zu\n", 4 * i, i);
        else
            fprintf(out, "{disp8} mov dword ptr [esp + %zu], 0x%x\n", 4 * i, f->arguments[i].value);
}

/* Writes `text` as a string of the assembler. */
static void put_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            fprintf(out, "\\%03o", (unsigned char)*text);
        else
            putc(*text, out);
    putc('"', out);
}

/* Writes the buffers whose addresses are arguments. */
static void put_buffers(FILE *out, const p5_case_function *f)
{
    fputs(".section .p5scope.buffers, \"aw\", @nobits\n.balign 4096\n", out);
    for (size_t i = 0; i < f->argument_count; i++)
        if (f->arguments[i].buffer_bytes != 0)
            fprintf(out, ".balign 32\np5scope_buffer_%zu: .skip %u\n", i, f->arguments[i].buffer_bytes);
    fputs(".section .p5scope.contents, \"aw\"\n", out);
    for (size_t i = 0; i < f->argument_count; i++)
        if (f->arguments[i].file != NULL) {
            fprintf(out, ".balign 32\np5scope_buffer_%zu: .incbin ", i);
            put_string(out, f->arguments[i].file);
            putc('\n', out);
        }
}

/* Writes loads from the stack lines that the calls use; they execute once, before the loop. A write miss allocates
 * no line in the cache, so without these loads, arguments that the function does not read would go to the bus in
 * each call. */
static void put_touches(FILE *out, const p5_case_function *f)
{
    enum { LINE = 32 };
    const unsigned end = case_function_stack_end(f); /* the counter */
    for (unsigned at = FRAME & ~(LINE - 1u); at <= end; at += LINE)
        fprintf(out, "mov eax, [0x%x]\n", at);
}

/* Returns the source of the harness, which makes `trips` calls; NULL if memory is out. The caller frees it.
 * Padding at its start makes CALL end at a fixed offset. Around an empty function FST replaces FSTP: it takes
 * the same clocks and leaves the value that FLD1 has pushed. */
static char *loop_text(const p5_case_function *f, unsigned trips)
{
    memory_text text;
    if (!memory_text_open(&text))
        return NULL;
    FILE *out = text.out;
    const unsigned counter = case_function_stack_end(f);
    const int before = MOV_ESP_BYTES + ARGUMENT_BYTES * (int)f->argument_count + CLD_BYTES + CALL_BYTES;
    const char *pop_result = !f->x87_result ? "" : f->empty ? "fst st(0)\n" : "fstp st(0)\n";
    fputs(".intel_syntax noprefix\n.section .text.p5scope, \"ax\"\n.balign 4096\n", out);
    put_touches(out, f);
    fprintf(out,
            "%smov dword ptr [0x%x], %u\njmp p5scope_trip\n"
            ".org %d\np5scope_trip:\nmov esp, 0x%x\n",
            f->x87_result && f->empty ? "fld1\n" : "", counter, trips,
            (f->elsewhere ? RETURN_ELSEWHERE_AT : RETURN_AT) - before, FRAME);
    put_arguments(out, f);
    fprintf(out,
            "cld\ncall \"" CASE_FUNCTION_SYMBOL "\"\n"
            "%sxor eax, eax\ncpuid\ndec dword ptr [0x%x]\njnz.d32 p5scope_trip\n"
            ".globl \"" CASE_EXIT_SYMBOL "\"\n\"" CASE_EXIT_SYMBOL "\": ud2\n.balign 4096\n",
            pop_result, counter);
    put_buffers(out, f);
    return memory_text_end(&text);
}

/* Assembles the file `source` into `object`, in Intel or AT&T syntax. `name` is the user's name of the
 * source. */
static p5_status assemble(const workplace *place, const char *source, const char *object, bool intel,
                          const char *name, p5_error *error)
{
    int exit_status = 0;
    p5_status status = intel ? workplace_write_intel(place, error) : P5_OK;
    if (status == P5_OK)
        status = intel ? workplace_run(place, &exit_status, error, "as", "--32", "-o", object, place->intel,
                                       source, NULL)
                       : workplace_run(place, &exit_status, error, "as", "--32", "-o", object, source, NULL);
    if (status != P5_OK)
        return status;
    return exit_status == 0 ? P5_OK : workplace_message(place, name, error);
}

/* Checks that an ELF file is an object for i386 that is not linked yet. */
static p5_status check_object(const uint8_t *bytes, size_t size, const char *path, p5_error *error)
{
    Elf32_Ehdr header; /* e_type and e_machine have the same offsets in 64-bit objects */
    if (size < sizeof header)
        return error_set_at(error, P5_ERR_FORMAT, (error_place){.where = path}, "the object ends too early");
    memcpy(&header, bytes, sizeof header);
    if (header.e_machine != EM_386 || header.e_ident[EI_CLASS] != ELFCLASS32)
        return error_set_at(error, P5_ERR_FORMAT, (error_place){.where = path},
                            "it is no i386 object (compile with -m32)");
    if (header.e_type != ET_REL)
        return error_set_at(error, P5_ERR_FORMAT, (error_place){.where = path},
                            "it is linked already: a program or a library (give the object, .o)");
    return P5_OK;
}

/* Refuses sources of other languages, and assembly that the GNU assembler would misread. `att`: the text is
 * in AT&T syntax or begins in it. */
static p5_status check_source(const char *path, const char *text, bool att, p5_error *error)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".rs"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(ending, endings[i]) != 0)
            continue;
        error_set_at(error, P5_ERR_FORMAT, (error_place){.where = path},
                     "it is neither an object nor assembly");
        error_hint(error, "compile it and give the object: gcc -m32 -march=pentium -O2 -c");
        return P5_ERR_FORMAT;
    }
    p5_status status = code_check(path, text, att, error);
    if (status != P5_OK)
        error_hint(error, "write GNU syntax, or assemble it yourself (nasm -f elf32) and give the object");
    return status;
}

/* Provides the user's file as the object p->user. A source is assembled in the syntax that it declares or,
 * without a declaration, in the one that it looks like. */
static p5_status user_object(const workplace *place, parts *p, const p5_case_function *f, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    p5_status status = case_read_file(f->path, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    bool object = size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
    const char *text = (const char *)bytes;
    bool declares = !object && (strstr(text, ".intel_syntax") != NULL || strstr(text, ".att_syntax") != NULL);
    bool intel = !object && !declares && !p5_code_is_att(text);
    status = object ? check_object(bytes, size, f->path, error) : check_source(f->path, text, !intel, error);
    if (status != P5_OK || object)
        free(bytes);
    if (status != P5_OK)
        return status;
    if (object) {
        if (strlen("./") + strlen(f->path) + 1 > sizeof p->user)
            return error_set(error, P5_ERR_RANGE, "the file's name is too long");
        char *to = p->user; /* a name that begins with - must not look like an option */
        strcpy(f->path[0] == '-' ? stpcpy(to, "./") : to, f->path);
        return P5_OK;
    }
    status = assemble(place, f->path, p->user, intel, f->path, error);
    if (status == P5_ERR_FORMAT && intel && !declares) { /* AT&T syntax without registers, as in INCL X? */
        p5_error other = {0};
        if (assemble(place, f->path, p->user, false, f->path, &other) == P5_OK)
            status = P5_OK;
    }
    if (status == P5_ERR_FORMAT && error != NULL)
        p5_code_locate(text, error);
    free(bytes);
    return status;
}

/* Assembles a single RET in place of the file's code. */
static p5_status empty_object(const workplace *place, const parts *p, p5_error *error)
{
    p5_status status =
        case_write_file(p->path[USER_SOURCE],
                        ".globl \"" CASE_FUNCTION_SYMBOL "\"\n\"" CASE_FUNCTION_SYMBOL "\": ret\n", error);
    return status == P5_OK ? assemble(place, p->path[USER_SOURCE], p->path[USER_OBJECT], false, "ret", error)
                           : status;
}

/* Links the harness and the user's object into place->object, still relocatable; only the user's object if
 * its code is to be listed. C++ puts inline functions in section groups, which the linker has to resolve here
 * because nobody links the result again. */
static p5_status link_parts(const workplace *place, const parts *p, const p5_case_function *f,
                            p5_error *error)
{
    int exit_status = 0;
    const char *first = f->listed ? p->user : p->path[LOOP_OBJECT];
    const char *second = f->listed ? NULL : p->user; /* NULL ends the arguments */
    p5_status status =
        workplace_run(place, &exit_status, error, "ld", "-r", "--force-group-allocation", "-m", "elf_i386",
                      "-T", p->path[SCRIPT], "-o", place->object, first, second, NULL);
    if (status != P5_OK || exit_status == 0)
        return status;
    return workplace_message(place, f->path, error);
}

/* Assembles the harness into p->path[LOOP_OBJECT]. */
static p5_status loop_object(const workplace *place, const parts *p, const p5_case_function *f,
                             unsigned trips, p5_error *error)
{
    char *text = loop_text(f, trips);
    p5_status status = text == NULL ? error_set(error, P5_ERR_MEMORY, "out of memory") : P5_OK;
    if (status == P5_OK)
        status = case_write_file(p->path[LOOP], text, error);
    free(text);
    return status == P5_OK ? assemble(place, p->path[LOOP], p->path[LOOP_OBJECT], false, f->path, error)
                           : status;
}

/* Checks that the files whose contents are arguments exist and are not too large for the memory of a case. */
static p5_status check_contents(const p5_case_function *f, p5_error *error)
{
    enum { LARGEST = 16 << 20 };
    for (size_t i = 0; i < f->argument_count; i++) {
        const char *file = f->arguments[i].file;
        struct stat status;
        if (file == NULL)
            continue;
        if (access(file, R_OK) != 0 || stat(file, &status) != 0)
            return error_set(error, P5_ERR_IO, "cannot read %s: %s", file, strerror(errno));
        if (!S_ISREG(status.st_mode) || status.st_size == 0 || status.st_size > LARGEST)
            return error_set(error, P5_ERR_RANGE,
                             "the contents of an argument come from a file of 1 byte to 16 MB: %s", file);
    }
    return P5_OK;
}

/* Makes the program of harness and function. With `listed` there is no harness. */
static p5_status build(const workplace *place, parts *p, const p5_case_function *f, unsigned trips,
                       p5_case_program **program, p5_error *error)
{
    p5_status status = check_contents(f, error);
    if (status == P5_OK)
        status = case_write_file(p->path[SCRIPT], link_script, error);
    if (status == P5_OK && !f->listed)
        status = loop_object(place, p, f, trips, error);
    if (status == P5_OK)
        status = f->empty ? empty_object(place, p, error) : user_object(place, p, f, error);
    if (status == P5_OK)
        status = link_parts(place, p, f, error);
    if (status == P5_OK)
        status = workplace_program(place, f->path, f->name != NULL ? f->name : "", program, error);
    return status;
}

bool p5_file_has_functions(const char *path)
{
    uint8_t *bytes;
    size_t size;
    if (case_read_file(path, &bytes, &size, NULL) != P5_OK)
        return false;
    const char *text = (const char *)bytes;
    /* lines of case files (file.c) */
    const bool directives = strncmp(text, "#!", 2) == 0 || strstr(text, "\n#!") != NULL;
    const bool functions = (size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) ||
                           (!directives && strstr(text, ".glob") != NULL);
    free(bytes);
    return functions;
}

p5_status p5_case_assemble_function(const p5_case_function *f, unsigned trips, p5_case_program **program,
                                    p5_error *error)
{
    workplace place = {.folder = ""};
    parts p;
    *program = NULL;
    p5_status status = workplace_open(&place, error);
    if (status != P5_OK)
        return status;
    for (unsigned i = 0; i < PARTS; i++)
        snprintf(p.path[i], sizeof p.path[i], "%s/%s", place.folder, part_names[i]);
    strcpy(p.user, p.path[USER_OBJECT]);
    status = build(&place, &p, f, trips, program, error);
    for (unsigned i = 0; i < PARTS; i++)
        unlink(p.path[i]);
    workplace_close(&place);
    return status;
}
