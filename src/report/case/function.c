/* A function of an object or assembly file, called in a loop: what a compiler makes becomes a case. The loop,
 * the file and a label behind it are linked into one object, which is placed like any other case. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "report/case/workplace.h"

/* The loop's files beside those of the workplace. */
enum { LONGEST_PATH = 4096 };

enum { LOOP, LOOP_OBJECT, END, END_OBJECT, SCRIPT, USER_OBJECT, PARTS };
static const char *const part_names[PARTS] = {"loop.s", "loop.o", "end.s", "end.o", "script", "user.o"};

typedef struct parts {
    char path[PARTS][96];
    char user[LONGEST_PATH]; /* its own object, or ours of it */
} parts;

static const char link_script[] = "SECTIONS {\n"
                                  " .text : { *(.text.p5scope_loop) *(.text .text.*) *(.text.p5scope_end) }\n"
                                  " .data : { *(.data .data.* .rodata .rodata.*) }\n"
                                  " .bss : { *(.bss .bss.* COMMON) }\n"
                                  " /DISCARD/ : { *(.eh_frame .comment .note .note.* .debug*) }\n"
                                  "}\n";

static p5_status write_text(const char *path, const char *text, p5_error *error)
{
    FILE *file = fopen(path, "we");
    bool good = file != NULL && fputs(text, file) >= 0;
    good = (file == NULL || fclose(file) == 0) && good;
    return good ? P5_OK : error_set(error, P5_ERR_IO, "cannot write %s", path);
}

/* cdecl: arguments on the stack, EBX is the function's to keep. */
static char *loop_text(const p5_case_function *f, unsigned trips)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out,
            ".intel_syntax noprefix\n.section .text.p5scope_loop, \"ax\"\n.globl _start\n_start:\n"
            "and esp, -16\nsub esp, %zu\nmov ebx, %u\n.balign 32\np5scope_trip:\n",
            (4 * f->argument_count + 15) / 16 * 16, trips);
    for (size_t i = 0; i < f->argument_count; i++)
        if (f->arguments[i].buffer_bytes != 0)
            fprintf(out, "mov dword ptr [esp + %zu], offset p5scope_buffer_%zu\n", 4 * i, i);
        else
            fprintf(out, "mov dword ptr [esp + %zu], 0x%x\n", 4 * i, f->arguments[i].value);
    /* a name that is an instruction's or a register's is still a symbol in quotes */
    fprintf(out, "call \"%s\"\n%sdec ebx\njnz p5scope_trip\njmp p5scope_end\n.bss\n", f->name,
            f->x87_result ? "fstp st(0)\n" : "");
    for (size_t i = 0; i < f->argument_count; i++)
        if (f->arguments[i].buffer_bytes != 0)
            fprintf(out, ".balign 32\np5scope_buffer_%zu: .skip %u\n", i, f->arguments[i].buffer_bytes);
    return fclose(out) == 0 ? text : NULL;
}

static p5_status assemble(const workplace *place, const char *source, const char *object, bool intel,
                          const char *name, p5_error *error)
{
    int exit_status = 0;
    p5_status status =
        intel ? workplace_run(place, &exit_status, error, "as", "--32", "-msyntax=intel", "-mnaked-reg", "-o",
                              object, source, NULL)
              : workplace_run(place, &exit_status, error, "as", "--32", "-o", object, source, NULL);
    if (status != P5_OK)
        return status;
    return exit_status == 0 ? P5_OK : workplace_message(place, name, error);
}

/* The file as an object: it is one already, or it is assembled in whichever syntax it is in. */
static p5_status user_object(const workplace *place, parts *p, const p5_case_function *f, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    p5_status status = case_read_file(f->path, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    bool object = size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
    const char *text = (const char *)bytes;
    bool says = !object && (strstr(text, ".intel_syntax") != NULL || strstr(text, ".att_syntax") != NULL);
    bool intel = !object && !says && !p5_code_is_att(text);
    free(bytes);
    if (object) {
        if (strlen(f->path) + 3 > sizeof p->user)
            return error_set(error, P5_ERR_RANGE, "the file's name is too long");
        char *to = p->user; /* a name that begins with - is no option */
        strcpy(f->path[0] == '-' ? stpcpy(to, "./") : to, f->path);
        return P5_OK;
    }
    return assemble(place, f->path, p->user, intel, f->path, error);
}

static p5_status link_parts(const workplace *place, const parts *p, const p5_case_function *f,
                            p5_error *error)
{
    int exit_status = 0;
    p5_status status =
        workplace_run(place, &exit_status, error, "ld", "-r", "-m", "elf_i386", "-T", p->path[SCRIPT], "-o",
                      place->object, p->path[LOOP_OBJECT], p->user, p->path[END_OBJECT], NULL);
    if (status != P5_OK || exit_status == 0)
        return status;
    return error_set_at(error, P5_ERR_FORMAT, f->path, 0, 0,
                        "it cannot be linked: it is no i386 object (compile with -m32)");
}

/* What the placement says, with what can be done about it. */
static void explain(p5_error *error, const p5_case_function *f)
{
    if (error == NULL)
        return;
    if (error->status == P5_ERR_NAME && strstr(error->message, f->name) != NULL)
        error_hint(error, "there is no global function '%s' in the file; 'nm' lists what there is", f->name);
    else if (error->status == P5_ERR_NAME)
        error_hint(error, "the file refers to something outside itself; only what is in it can be measured");
    else if (error->status == P5_ERR_UNSUPPORTED)
        error_hint(error, "compile with -fno-pic -fno-stack-protector: nothing is linked dynamically here");
}

static p5_status build(const workplace *place, parts *p, const p5_case_function *f, unsigned trips,
                       p5_case_program **program, p5_error *error)
{
    char *text = loop_text(f, trips);
    p5_status status = text == NULL ? error_set(error, P5_ERR_MEMORY, "out of memory") : P5_OK;
    if (status == P5_OK)
        status = write_text(p->path[LOOP], text, error);
    free(text);
    if (status == P5_OK)
        status = write_text(p->path[END],
                            ".section .text.p5scope_end, \"ax\"\n.globl p5scope_end\np5scope_end:\n", error);
    if (status == P5_OK)
        status = write_text(p->path[SCRIPT], link_script, error);
    if (status == P5_OK)
        status = assemble(place, p->path[LOOP], p->path[LOOP_OBJECT], false, f->path, error);
    if (status == P5_OK)
        status = assemble(place, p->path[END], p->path[END_OBJECT], false, f->path, error);
    if (status == P5_OK)
        status = user_object(place, p, f, error);
    if (status == P5_OK)
        status = link_parts(place, p, f, error);
    if (status == P5_OK && (status = workplace_program(place, f->path, program, error)) != P5_OK)
        explain(error, f);
    return status;
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
