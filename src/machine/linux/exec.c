/* Starts a program: loads its segments, and makes its stack, auxiliary vector and entry state. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/model/model.h"
#include "machine/linux/guest.h"
#include "machine/linux/linux_internal.h"
#include "machine/linux/abi.h"
#include "machine/load/segment.h"
#include "machine/run/open.h"
#include "machine/run/processor.h"

enum { LINUX_DEFAULT_MEMORY = 256 << 20, LINUX_LEAST_MEMORY = 4 << 20 }; /* bytes */

uint64_t linux_random(linux_process *p)
{
    uint64_t z = p->random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* --- Segments --- */

/* Converts a segment's flags to LINUX_PROT_*. */
static uint32_t segment_protection(const elf_segment *s)
{
    return ((s->flags & ELF_READ) != 0 ? LINUX_PROT_READ : 0) |
           ((s->flags & ELF_WRITE) != 0 ? LINUX_PROT_WRITE : 0) |
           ((s->flags & ELF_EXECUTE) != 0 ? LINUX_PROT_EXEC : 0);
}

/* Maps and loads the program's segments, which elf_open has sorted by address and which do not overlap. All pages are
 * writable until the bytes are loaded; then each page gets the rights of its segment. A page that segments share gets
 * those of the last one, because Linux maps them in this order, each over the page as a whole. */
static p5_status exec_segments(linux_process *p, const elf_image *image, p5_error *error)
{
    uint32_t mapped_to = 0; /* end of the pages mapped so far */
    for (unsigned i = 0; i < image->segment_count; i++) {
        const elf_segment *s = &image->segments[i];
        uint64_t end = (uint64_t)s->linear + s->memory_size;
        if (s->linear < LINUX_LEAST_ADDRESS || end > LINUX_MMAP_BASE)
            return error_set(error, P5_ERR_FORMAT,
                             "the segment at %Xh is outside of the area for programs (%Xh to %Xh)", s->linear,
                             (unsigned)LINUX_LEAST_ADDRESS, (unsigned)LINUX_MMAP_BASE);
        /* Two segments may share a page, which must be mapped only once. */
        uint32_t first = linux_page_down(s->linear), last = linux_page_up((uint32_t)end);
        uint32_t from = first < mapped_to ? mapped_to : first;
        if (last > from &&
            linux_map(p, from, last - from, last - from, LINUX_PROT_READ | LINUX_PROT_WRITE) != 0)
            return error_set(error, P5_ERR_RANGE, "the program needs more than the guest's %u MB of memory",
                             p->machine->options.memory_bytes >> 20);
        mapped_to = last > mapped_to ? last : mapped_to;
        if (!linux_write_user(p, s->linear, image->bytes + s->offset, s->file_size))
            return error_set(error, P5_ERR_FORMAT, "the segment at %Xh cannot be loaded", s->linear);
    }
    p->memory.brk_start = p->memory.brk = mapped_to;
    for (unsigned i = 0; i < image->segment_count; i++) {
        const elf_segment *s = &image->segments[i];
        if (s->memory_size == 0)
            continue;
        uint32_t first = linux_page_down(s->linear);
        uint32_t last = linux_page_down(s->linear + s->memory_size - 1);
        if (linux_protect(p, first, last + PAGE_BYTES - first, segment_protection(s)) != 0)
            return error_set(error, P5_ERR_FORMAT, "the segment at %Xh cannot be loaded", s->linear);
    }
    return P5_OK;
}

/* --- Stack --- */

/* The program's stack while its initial contents are pushed. */
typedef struct stack_builder {
    linux_process *p;
    uint32_t esp; /* address of what was pushed last */
    bool failed;  /* something did not fit */
} stack_builder;

/* Pushes bytes and returns their address; 0 if there are too many. */
static uint32_t stack_push(stack_builder *b, const void *bytes, size_t size)
{
    if (size > LINUX_STACK_BYTES / 4 || b->esp - size < LINUX_TASK_SIZE - LINUX_STACK_BYTES / 4) {
        b->failed = true; /* execve's E2BIG: more than a quarter of the stack */
        return 0;
    }
    b->esp -= (uint32_t)size;
    b->failed |= !linux_write_user(b->p, b->esp, bytes, size);
    return b->esp;
}

/* Returns the length of a list that ends with NULL, or that is NULL. */
static size_t list_count(const char *const *list)
{
    size_t count = 0;
    while (list != NULL && list[count] != NULL)
        count++;
    return count;
}

/* Pushes the strings, the last one first, and writes their addresses to `pointers`. */
static void stack_push_strings(stack_builder *b, const char *const *list, size_t count, uint32_t *pointers)
{
    for (size_t i = count; i-- > 0 && !b->failed;)
        pointers[i] = stack_push(b, list[i], strlen(list[i]) + 1);
}

/* Writes the initial stack. From the top down it holds the environment's strings, the arguments from the last
 * to the first and the program's path; after a page boundary the platform, random bytes, auxiliary vector,
 * envp, argv and argc. So ESP at entry does not depend on the lengths of the strings as long as they fit into
 * one page, and the length of the program's path moves no other string. */
static p5_status exec_stack(linux_process *p, const elf_image *image, const char *const *arguments,
                            const char *const *environment, uint32_t *esp, p5_error *error)
{
    enum { OTHER_WORDS = 48 }; /* at least argc, two NULLs and the auxiliary vector */
    size_t argc = list_count(arguments), envc = list_count(environment);
    uint32_t *words =
        argc + envc < LINUX_STACK_BYTES / 16 ? calloc(argc + envc + OTHER_WORDS, sizeof *words) : NULL;
    if (words == NULL)
        return error_set(error, P5_ERR_RANGE, "arguments and environment are too long");
    stack_builder b = {p, LINUX_TASK_SIZE - 4, false};
    words[0] = (uint32_t)argc;
    stack_push_strings(&b, environment, envc, words + 1 + argc + 1);
    stack_push_strings(&b, arguments, argc, words + 1);
    uint32_t name_at = stack_push(&b, p->program, strlen(p->program) + 1);
    b.esp = linux_page_down(b.esp);
    uint32_t platform_at = stack_push(&b, "i586", 5);
    uint64_t random[2] = {linux_random(p), linux_random(p)};
    b.esp &= ~15u;
    uint32_t random_at = stack_push(&b, random, sizeof random);
    const uint32_t aux[][2] = {{AT_HWCAP, model_features(p->machine->model)},
                               {AT_PAGESZ, PAGE_BYTES},
                               {AT_CLKTCK, LINUX_HZ},
                               {AT_PHDR, image->headers_linear},
                               {AT_PHENT, image->header_size},
                               {AT_PHNUM, image->headers_linear != 0 ? image->header_count : 0u},
                               {AT_BASE, 0},
                               {AT_FLAGS, 0},
                               {AT_ENTRY, image->entry},
                               {AT_UID, LINUX_UID},
                               {AT_EUID, LINUX_UID},
                               {AT_GID, LINUX_UID},
                               {AT_EGID, LINUX_UID},
                               {AT_SECURE, 0},
                               {AT_RANDOM, random_at},
                               {AT_EXECFN, name_at},
                               {AT_PLATFORM, platform_at},
                               {AT_NULL, 0}};
    _Static_assert(sizeof aux / sizeof *words + 3 <= OTHER_WORDS, "argc, NULL, NULL");
    size_t count = 1 + argc + 1 + envc + 1;
    memcpy(words + count, aux, sizeof aux);
    const uint32_t bytes = (uint32_t)(count * 4 + sizeof aux);
    b.esp = ((b.esp - bytes) & ~15u) + bytes; /* ESP at entry is 16-byte aligned */
    *esp = stack_push(&b, words, bytes);
    free(words);
    return b.failed ? error_set(error, P5_ERR_RANGE, "arguments and environment are too long") : P5_OK;
}

/* Loads the program, makes its stack, and sets its entry state. `path` is the host's. */
static p5_status linux_exec(linux_process *p, const elf_image *image, const char *path,
                            const char *const *arguments, const char *const *environment, p5_error *error)
{
    uint32_t esp = 0, quarter = p->machine->options.memory_bytes / 4;
    uint32_t stack = quarter < LINUX_STACK_BYTES ? quarter : LINUX_STACK_BYTES;
    const char *base = strrchr(path, '/');
    strncpy(p->name, base != NULL ? base + 1 : path, sizeof p->name - 1);
    linux_set_program(p, path);
    p5_status status = exec_segments(p, image, error);
    if (status == P5_OK && linux_map(p, LINUX_TASK_SIZE - stack, stack, stack, LINUX_PROT_ALL) != 0)
        status = error_set(error, P5_ERR_RANGE, "no guest memory left for the stack");
    if (status == P5_OK)
        status = exec_stack(p, image, arguments, environment, &esp, error);
    if (status != P5_OK)
        return status;
    /* linux_kernel_build has loaded the segment registers. */
    segment_start(p->engine, image->entry, esp, EFLAGS_FIXED | EFLAGS_IF);
    return P5_OK;
}

/* Programs the performance monitor as the options say, by WRMSR at CPL 0, as a driver would for the program. The
 * Pentium's monitor has CESR; the monitor of a later processor has PERFEVTSEL0 and PERFEVTSEL1. PERFEVTSEL0 is written
 * last, because on a Pentium Pro it starts both counters. */
static p5_status exec_monitor(p5_machine *machine, p5_error *error)
{
    p5_privilege kernel = {.mode = P5_MODE_PROTECTED, .cpl = 0};
    if (machine->options.pce && (p5_pmu_cr4_mask(p5_model_family(machine->model)) & CR4_PCE) == 0)
        return error_set(error, P5_ERR_UNSUPPORTED, "CR4.PCE: this model has no RDPMC");
    if (machine->options.cesr != 0 &&
        p5_pmu_wrmsr(machine->pmu, &kernel, P5_MSR_CESR, machine->options.cesr) != P5_NO_FAULT)
        return error_set(error, P5_ERR_RANGE, "CESR cannot be %Xh", machine->options.cesr);
    for (uint32_t i = 2; i-- > 0;) {
        uint32_t value = machine->options.event_select[i];
        if (value != 0 && p5_pmu_wrmsr(machine->pmu, &kernel, P5_MSR_PERFEVTSEL0 + i, value) != P5_NO_FAULT)
            return error_set(error, P5_ERR_RANGE, "PERFEVTSEL%u cannot be %Xh", i, value);
    }
    return P5_OK;
}

/* Makes a process and loads the program into it. `path` is the host's. The engine is open. */
static p5_status load_into(p5_machine *machine, const elf_image *image, const char *path,
                           const char *const *arguments, const char *const *environment, p5_error *error)
{
    linux_process *p = linux_process_make(machine);
    if (p == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the guest");
    linux_timers_reset(p);
    p->random_state = machine->options.random_seed;
    p5_status status = exec_monitor(machine, error);
    if (status == P5_OK && (!linux_memory_open(p) || !linux_kernel_build(p)))
        status = error_set(error, P5_ERR_MEMORY, "no memory for the guest's page tables");
    if (status == P5_OK)
        status = linux_files_open(p, error);
    if (status == P5_OK)
        status = linux_exec(p, image, path, arguments, environment, error);
    machine->guest_state = p;
    if (status != P5_OK) {
        linux_guest.close(machine);
        machine->guest_state = NULL;
        return status;
    }
    machine->guest = &linux_guest;
    processor_set_control(machine);
    return P5_OK;
}

p5_status p5_machine_load_linux(p5_machine *machine, const char *path, const char *const *arguments,
                                const char *const *environment, p5_error *error)
{
    elf_image image;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    status = machine_open_engine(machine, LINUX_DEFAULT_MEMORY, LINUX_LEAST_MEMORY, error);
    if (status == P5_OK)
        status = load_into(machine, &image, path, arguments, environment, error);
    elf_close(&image);
    return error_in(error, status, path);
}
