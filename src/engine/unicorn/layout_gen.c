/* unicorn_layout_gen SYMBOLS OUTPUT.h: finds the offsets of members that p5scope uses in private structures of
 * libunicorn.a, and writes them as constants. It is linked with the archive, runs a small guest, and looks where values
 * that it knows are stored. So p5scope can be built with an archive that was compiled in another way. Fails, and with it
 * the build, if a member is not found or its place is ambiguous, or if a structure differs from unicorn_state.h.
 * SYMBOLS is the output of nm for this program. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/generator.h"
#include "engine/unicorn/unicorn_state.h"

#define WRAP(name) __wrap_##name##_x86_64
#define REAL(name) __real_##name##_x86_64

enum {
    PAGE = 0x1000, /* address and size of the guest's memory */
    CODE_BYTES =
        0x1810000 /* bytes for translated code: a number that occurs nowhere else in the translator */
};

/* What was seen of the archive's structures: mostly arguments with which the archive called the watched functions. */
static struct {
    uc_engine *uc;
    uc_cpu *cpu;
    uc_env *env;
    uc_translator *translator;
    uintptr_t env_temporary;         /* offset of the temporary for the processor state in the translator */
    int store_opcode;                /* of an operation that stores 64 bits to the processor state */
    int start_opcode;                /* of the operation that begins an instruction */
    uc_translated block;             /* its contents after translation */
    const uc_translated *translated; /* its address, which is in the buffer for code */
    void *table;                     /* the GHashTable that was created last */
    bool raising; /* an exception is raised only to see its effects; it continues at `raised` */
    jmp_buf raised;
} seen;

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "libunicorn.a (%d.%d.%d) is not one that p5scope knows: ", UC_API_MAJOR, UC_API_MINOR,
            UC_API_PATCH);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\np5scope works with Unicorn 2.0.1 and 2.1.1 (docs/building.md)\n", stderr);
    exit(1);
}

/* Fails unless `what` was found where it is expected. */
static void require(bool condition, const char *what)
{
    if (!condition)
        fail("%s is not where it is expected", what);
}

/* ---- Watched functions ----------------------------------------------------------------------------------- *
 * WRAP(x) is called instead of the archive's function x, notes what it is interested in, and calls it as REAL(x). */

void REAL(tlb_flush)(uc_cpu *cpu);
void WRAP(tlb_flush)(uc_cpu *cpu)
{
    seen.cpu = cpu;
    REAL(tlb_flush)(cpu);
}

void REAL(cpu_x86_update_cr0)(uc_env *env, uint32_t value);
void WRAP(cpu_x86_update_cr0)(uc_env *env, uint32_t value)
{
    seen.env = env;
    REAL(cpu_x86_update_cr0)(env, value);
}

uintptr_t REAL(tcg_global_mem_new_internal)(uc_translator *s, int type, uintptr_t base, intptr_t offset,
                                            const char *name);
uintptr_t WRAP(tcg_global_mem_new_internal)(uc_translator *s, int type, uintptr_t base, intptr_t offset,
                                            const char *name)
{
    seen.translator = s;
    seen.env_temporary = base; /* all registers are relative to the processor state */
    return REAL(tcg_global_mem_new_internal)(s, type, base, offset, name);
}

uc_op *tcg_emit_op_x86_64(uc_translator *s, int opcode);
void tcg_op_remove_x86_64(uc_translator *s, uc_op *op);

/* Returns the opcode of the operation that begins an instruction, whose first argument is the instruction's
 * address. It is called while the third instruction of work() is translated, and searches the circular list of
 * operations backwards to the one that begins the first. */
static int find_start(uc_translator *s)
{
    enum { SOME_OPCODE = 0x5a, INSTRUCTIONS = 3 };
    uc_op *last = tcg_emit_op_x86_64(s, SOME_OPCODE), *op = last;
    int opcode = 0;
    for (unsigned left = INSTRUCTIONS; left != 0;) {
        op = (uc_op *)((uintptr_t)op->previous_next - offsetof(uc_op, next));
        require(op != last, "the operation that begins an instruction");
        if (op->arguments[0] != PAGE + left - 1)
            continue;
        require(left == INSTRUCTIONS || op->opcode == opcode, "the operation that begins an instruction");
        opcode = op->opcode;
        left--;
    }
    tcg_op_remove_x86_64(s, last);
    return opcode;
}

void REAL(tcg_gen_op3)(uc_translator *s, int opcode, uintptr_t a, uintptr_t b, uintptr_t c);
/* Recognises the store of the MMX register that work() loads. */
void WRAP(tcg_gen_op3)(uc_translator *s, int opcode, uintptr_t a, uintptr_t b, uintptr_t c)
{
    if (b == (uintptr_t)s + seen.env_temporary && c == offsetof(uc_env, fpregs)) {
        seen.store_opcode = opcode;
        seen.start_opcode = find_start(s);
    }
    REAL(tcg_gen_op3)(s, opcode, a, b, c);
}

void REAL(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns);
/* Keeps the description of the first translated block. */
void WRAP(gen_intermediate_code)(uc_cpu *cpu, uc_translated *tb, int max_insns)
{
    REAL(gen_intermediate_code)(cpu, tb, max_insns);
    if (!seen.block.size)
        seen.block = *tb, seen.translated = tb;
}

void REAL(tcg_exec_init)(uc_engine *uc, unsigned long bytes);
void WRAP(tcg_exec_init)(uc_engine *uc, unsigned long bytes)
{
    (void)bytes;
    REAL(tcg_exec_init)(uc, CODE_BYTES);
}

void REAL(cpu_loop_exit_restore)(uc_cpu *cpu, uintptr_t retaddr);
/* The last step of raising an exception. */
void WRAP(cpu_loop_exit_restore)(uc_cpu *cpu, uintptr_t retaddr)
{
    if (seen.raising)
        longjmp(seen.raised, 1);
    REAL(cpu_loop_exit_restore)(cpu, retaddr);
}

void *__real_g_hash_table_new_full(void *hash, void *equal, void *free_key, void *free_value);
void *__wrap_g_hash_table_new_full(void *hash, void *equal, void *free_key, void *free_value)
{
    return seen.table = __real_g_hash_table_new_full(hash, equal, free_key, free_value);
}

/* ---- Finding ------------------------------------------------------------------------------------------- */

/* Returns the only offset of `value` in an object, at multiples of its size. */
static size_t find(const char *what, const void *object, size_t bytes, const void *value, size_t size)
{
    size_t found = SIZE_MAX;
    for (size_t at = 0; at + size <= bytes; at += size) {
        if (memcmp((const char *)object + at, value, size) != 0)
            continue;
        if (found != SIZE_MAX)
            fail("%s stands in two places (%#zx, %#zx)", what, found, at);
        found = at;
    }
    if (found == SIZE_MAX)
        fail("%s is not found", what);
    return found;
}

static size_t find_pointer(const char *what, const void *object, size_t bytes, const void *pointer)
{
    return find(what, object, bytes, &pointer, sizeof pointer);
}

/* Returns the offset of uc_struct's pointer to CPUState. It is the first match; a later one belongs to the thread of the
 * only processor. */
static size_t find_cpu(const void *cpu)
{
    size_t at = 0;
    while (at + sizeof cpu <= malloc_usable_size(seen.uc) &&
           memcmp((const char *)seen.uc + at, &cpu, sizeof cpu) != 0)
        at += sizeof cpu;
    require(at + sizeof cpu <= malloc_usable_size(seen.uc), "the engine's CPUState");
    return at;
}

/* Returns the address of a static function of the archive: that of main, plus the distance between them according to
 * nm. */
static const void *function_of(const char *symbols, const char *name)
{
    int main(int, char **);
    FILE *f = fopen(symbols, "r");
    char line[512], symbol[256], kind;
    unsigned long long address, ours = 0, wanted = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%llx %c %255s", &address, &kind, symbol) != 3)
            continue;
        if (strcmp(symbol, "main") == 0)
            ours = address;
        else if (strcmp(symbol, name) == 0)
            wanted = address;
    }
    if (f)
        fclose(f);
    if (!ours || !wanted)
        fail("it has no function %s", name);
    return (const char *)(uintptr_t)main + (wanted - ours);
}

/* Makes the archive raise an exception, and returns before it would continue in its run loop. */
static void raise_exception(int vector, int error_code)
{
    _Noreturn void raise_exception_err_ra_x86_64(uc_env * env, int vector, int error_code, uintptr_t retaddr);
    seen.raising = true;
    if (setjmp(seen.raised) == 0)
        raise_exception_err_ra_x86_64(seen.env, vector, error_code, 0);
    seen.raising = false;
}

/* Returns the offset of a raised exception's number in CPUState: the only place that always equals it. CPUState has
 * `bytes` bytes. */
static size_t find_exception_index(size_t bytes)
{
    enum { VECTORS = 4, PROTECTION = 13 };
    static const int vectors[VECTORS] = {6, 7, 5, 6}; /* benign ones, which make no double fault */
    uint8_t *differs = calloc(bytes / sizeof(int32_t), 1);
    size_t found = 0, count = 0;
    if (!differs)
        fail("there is no memory");
    for (unsigned v = 0; v < VECTORS; v++) {
        raise_exception(vectors[v], 0x5a5a00 + (int)v);
        for (size_t i = 0; i < bytes / sizeof(int32_t); i++)
            differs[i] |= ((const int32_t *)(const void *)seen.cpu)[i] != vectors[v];
        require(seen.env->error_code == 0x5a5a00 + (int)v, "the error code of an exception");
        require(!seen.env->exception_is_int, "what tells exceptions of INT");
        require(seen.env->exception_next_eip == seen.env->eip, "the return address of an exception");
    }
    for (size_t i = 0; i < bytes / sizeof(int32_t); i++) {
        if (!differs[i]) {
            found = i * sizeof(int32_t);
            count++;
        }
    }
    free(differs);
    if (count != 1)
        fail("the number of an exception stands in %zu places", count);
    require(seen.env->old_exception == -1, "the exception before");
    raise_exception(PROTECTION, 0);
    require(seen.env->old_exception == PROTECTION, "the exception before");
    seen.env->old_exception = -1;
    return found;
}

/* Returns the offset of the list of operations (first operation, link of the last) in the translator, which has `bytes`
 * bytes, by comparing it with the only operation in it. *call_opcode becomes the opcode of a call. */
static size_t find_operations(size_t bytes, int *call_opcode)
{
    void tcg_func_start_x86_64(uc_translator * s);
    enum { SOME_OPCODE = 0x5a };
    const char *s = (const char *)seen.translator;
    tcg_func_start_x86_64(seen.translator);
    uc_op *op = tcg_emit_op_x86_64(seen.translator, SOME_OPCODE);
    const uintptr_t list[2] = {(uintptr_t)op, (uintptr_t)&op->next};
    size_t found = SIZE_MAX;
    for (size_t at = 0; at + sizeof list <= bytes; at += sizeof list[0]) {
        if (memcmp(s + at, list, sizeof list) == 0) {
            require(found == SIZE_MAX, "the list of operations");
            found = at;
        }
    }
    require(found != SIZE_MAX, "the list of operations");
    require(op->opcode == SOME_OPCODE && !op->inputs && !op->outputs && !op->next &&
                op->previous_next == (uc_op **)(void *)((char *)seen.translator + found),
            "an operation");
    tcg_op_remove_x86_64(seen.translator, op);

    void tcg_gen_callN_x86_64(uc_translator * s, void *function, uintptr_t result, int count,
                              uintptr_t *arguments);
    void helper_fninit_x86_64(uc_env * env);
    uintptr_t argument = (uintptr_t)s + seen.env_temporary;
    tcg_gen_callN_x86_64(seen.translator, (void *)helper_fninit_x86_64, 0, 1, &argument);
    uintptr_t link;
    memcpy(&link, s + found + sizeof link, sizeof link);
    op = (uc_op *)(link - offsetof(uc_op, next));
    require(op->inputs == 1 && op->outputs == 0 && op->arguments[0] == argument &&
                op->arguments[1] == (uintptr_t)helper_fninit_x86_64,
            "an operation's argument");
    *call_opcode = op->opcode;
    tcg_op_remove_x86_64(seen.translator, op);
    return found;
}

/* Returns the offset of the pointer to the buffer for translated code, which lies before the buffer's
 * size. */
static size_t find_code_buffer(size_t bytes)
{
    const size_t size = CODE_BYTES;
    size_t at = find("the size of the buffer for code", seen.translator, bytes, &size, sizeof size);
    require(at >= sizeof(uintptr_t), "the buffer for code");
    uintptr_t buffer, block = (uintptr_t)seen.translated;
    memcpy(&buffer, (const char *)seen.translator + at - sizeof buffer, sizeof buffer);
    require(buffer % PAGE == 0 && buffer < block && block < buffer + CODE_BYTES, "the buffer for code");
    return at - sizeof buffer;
}

static void on_block(uc_engine *uc, uint64_t address, uint32_t size, void *user_data)
{
    (void)uc, (void)address, (void)size, (void)user_data;
}

/* Opens an engine and executes four instructions, the third of which loads an MMX register. */
static void work(void)
{
    static const uint8_t code[] = {0x90, 0x90, 0x0f, 0x6f, 0x05, 0x20, 0x10, 0, 0, 0xf4};
    uc_hook hook;
    uc_err err = uc_open(UC_ARCH_X86, UC_MODE_32, &seen.uc);
    if (err == UC_ERR_OK)
        err = uc_mem_map(seen.uc, PAGE, PAGE, UC_PROT_ALL);
    if (err == UC_ERR_OK)
        err = uc_mem_write(seen.uc, PAGE, code, sizeof code);
    if (err == UC_ERR_OK)
        err = uc_hook_add(seen.uc, &hook, UC_HOOK_BLOCK, (void *)on_block, &seen, 1, 0);
    void *blocks = seen.table;
    if (err == UC_ERR_OK)
        err = uc_emu_start(seen.uc, PAGE, 0, 0, 0);
    if (err != UC_ERR_OK)
        fail("it does not run: %s", uc_strerror(err));
    if (!seen.cpu || !seen.env || !seen.translator || !seen.store_opcode || !seen.start_opcode)
        fail("a function that p5scope replaces is not called");
    require(seen.block.pc == PAGE && seen.block.size == sizeof code && seen.block.icount == 4,
            "a block's description");
    const uc_hook_head *head = (const uc_hook_head *)hook;
    require(head->callback == (void *)on_block && head->user_data == &seen, "a hook's argument");
    int g_hash_table_size(void *table);
    require(blocks && head->places == blocks && g_hash_table_size(blocks) == 1, "a hook's table of blocks");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    work();
    const char *cpu = (const char *)seen.cpu;
    size_t before_env = (size_t)((const char *)seen.env - cpu), engine = malloc_usable_size(seen.uc),
           translator = malloc_usable_size(seen.translator);
    require(before_env < malloc_usable_size(seen.cpu), "the processor state");
    require(seen.env->uc == seen.uc, "the processor state's engine");
    int call_opcode;
    size_t operations = find_operations(translator, &call_opcode);
    FILE *f = fopen(argv[2], "w");
    if (!f) {
        perror(argv[2]);
        return 1;
    }
    fprintf(f, "/* Made by unicorn_layout_gen: places in the structures of Unicorn %d.%d.%d. */\n",
            UC_API_MAJOR, UC_API_MINOR, UC_API_PATCH);
    fputs("#ifndef UNICORN_LAYOUT_H\n#define UNICORN_LAYOUT_H\n", f);
    fprintf(f,
            "/* CPUState; the processor state is part of the same object */\n"
            "enum { UC_CPU_ENV = %#zx, UC_CPU_UC = %#zx, UC_CPU_EXCEPTION_INDEX = %#zx, "
            "UC_CPU_ENV_POINTER = %#zx };\n",
            before_env, find_pointer("CPUState's engine", cpu, before_env, seen.uc),
            find_exception_index(before_env),
            find_pointer("CPUState's processor state", cpu, before_env, seen.env));
    fprintf(f,
            "/* uc_struct */\n"
            "enum { UC_UC_CPU = %#zx, UC_UC_STOP_INTERRUPT = %#zx, UC_UC_TRANSLATOR = %#zx };\n",
            find_cpu(cpu),
            find_pointer("the engine's stop_interrupt", seen.uc, engine,
                         function_of(argv[1], "x86_stop_interrupt")),
            find_pointer("the engine's translator", seen.uc, engine, seen.translator));
    fprintf(f,
            "/* TCGContext */\n"
            "enum { UC_TCG_OPS = %#zx, UC_TCG_LAST_OP = %#zx, UC_TCG_ENV = %#zx, UC_TCG_UC = %#zx, "
            "UC_TCG_CODE = %#zx };\n",
            operations, operations + sizeof(void *),
            find("the state's temporary", seen.translator, translator, &seen.env_temporary,
                 sizeof seen.env_temporary),
            operations + find_pointer("the translator's engine", (const char *)seen.translator + operations,
                                      translator - operations, seen.uc),
            find_code_buffer(translator));
    fprintf(f,
            "/* operations; INSN_START has the instruction's linear address as first argument */\n"
            "enum { UC_OP_CALL = %d, UC_OP_ST16_I64 = %d, UC_OP_ST_I64 = %d, UC_OP_INSN_START = %d };\n"
            "#endif\n",
            call_opcode, seen.store_opcode - 2 /* the stores of 16, 32 and 64 bits are consecutive */,
            seen.store_opcode, seen.start_opcode);
    uc_close(seen.uc);
    return generator_close(f, argv[2]) ? 0 : 1;
}
