/* The retired stream of random programs equals what Unicorn's public interface shows, instruction by instruction (a hook
 * on each) and access by access (memory hooks), in a separate Unicorn: the shared library, none of whose functions are
 * replaced. This test corrects where the public interface is known to differ: REP strings (one call per iteration and
 * one more), loads across a page end (reported whole and in parts), stores that change the running block (reported
 * twice), POPA (ESP's slot left out).
 *
 * test_stream [FIRST_SEED COUNT] */
#include <dlfcn.h>

#include <unicorn/unicorn.h>

#include "../unit/engine/guest.h"

enum {
    PROGRAM_BYTES = 4096,
    DATA_BYTES = 0x3000,
    X87_DATA = 0x2800,
    MAX_LOG = 60000,
    DEFAULT_PROGRAMS = 400
};

/* --- Programs --- */

static uint64_t random_state;
static uint32_t random32(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}
static unsigned below(unsigned n)
{
    return random32() % n;
}

typedef struct program {
    uint8_t code[PROGRAM_BYTES];
    unsigned size;
} program;

static void emit(program *p, unsigned count, ...)
{
    va_list bytes;
    va_start(bytes, count);
    for (unsigned i = 0; i < count; i++)
        p->code[p->size++] = (uint8_t)va_arg(bytes, int);
    va_end(bytes);
}

static void emit32(program *p, uint32_t value)
{
    memcpy(p->code + p->size, &value, 4);
    p->size += 4;
}

/* A register that may hold anything: not ESP, and not EBX, which counts loops. */
static unsigned any_register(void)
{
    static const uint8_t registers[] = {0, 1, 2, 5, 6, 7};
    return registers[below(6)];
}

/* Brings a register into the data area (any alignment, also across page ends), and returns it. */
static unsigned address_register(program *p)
{
    unsigned r = any_register();
    emit(p, 2, 0x81, 0xe0 | r); /* and r, 1FFFh */
    emit32(p, 0x1fff);
    emit(p, 2, 0x81, 0xc8 | r); /* or r, base */
    emit32(p, GUEST_DATA);
    return r;
}

/* ModRM and displacement for [r + small]. */
static void emit_memory(program *p, unsigned reg, unsigned r)
{
    emit(p, 2, 0x40 | reg << 3 | r, (int)below(100));
}

static void memory_instruction(program *p)
{
    unsigned r = address_register(p), reg = any_register();
    unsigned which = below(22);
    if (below(5) == 0 && which != 20)
        emit(p, 1, 0x66);
    switch (which) {
    case 0:
        emit(p, 1, 0x8b);
        break; /* mov r, m */
    case 1:
        emit(p, 1, 0x89);
        break; /* mov m, r */
    case 2:
        emit(p, 1, 0x8a), reg &= 1;
        break; /* mov r8, m */
    case 3:
        emit(p, 1, 0x88);
        break;
    case 4:
        emit(p, 1, 0x03 + 8 * (int)below(8));
        break; /* alu r, m */
    case 5:
        emit(p, 1, 0x01 + 8 * (int)below(7));
        break; /* alu m, r */
    case 6:
        emit(p, 1, 0x00 + 8 * (int)below(7));
        break;
    case 7:
        emit(p, 1, 0xff), reg = below(2);
        break; /* inc, dec m */
    case 8:
        emit(p, 1, 0x87);
        break; /* xchg */
    case 9:
        emit(p, 2, 0x0f, 0xb6);
        break; /* movzx */
    case 10:
        emit(p, 2, 0x0f, 0xbf);
        break;
    case 11:
        emit(p, 2, 0x0f, 0xb1);
        break; /* cmpxchg */
    case 12:
        emit(p, 2, 0x0f, 0xc1);
        break; /* xadd */
    case 13:
        emit(p, 2, 0x0f, 0xa4), emit_memory(p, reg, r), emit(p, 1, (int)below(32));
        emit(p, 2, 0x85,
             0xc0 | reg << 3 | reg); /* test: with a memory hook Unicorn gets SHLD's flags wrong */
        return;                      /* shld */
    case 14:
        emit(p, 1, 0xd1), reg = below(8) == 6 ? 0 : below(6);
        break; /* shifts by one */
    case 15:
        emit(p, 2, 0x0f, 0xba), emit_memory(p, 4 + below(4), r), emit(p, 1, (int)below(32));
        emit(p, 3, 0x83, 0xd0 | reg, (int)below(128)); /* adc: the other flags are undefined, Unicorn's odd */
        return;                                        /* bt.. */
    case 16:
        emit(p, 1, 0xf7), reg = 2 + below(4);
        break; /* not, neg, mul, imul */
    case 17:
        emit(p, 2, 0x0f, 0x90 + (int)below(16)), reg = 0;
        break; /* setcc */
    case 18:
        emit(p, 2, 0x0f, 0xc7), reg = 1;
        break; /* cmpxchg8b */
    case 19:
        emit(p, 1, 0xf6), emit_memory(p, 0, r), emit(p, 1, (int)below(256));
        return; /* test m, i */
    case 20:    /* push m, pop m */
        emit(p, 1, 0xff), emit_memory(p, 6, r), emit(p, 1, 0x8f), emit_memory(p, 0, r);
        return;
    default:
        emit(p, 1, 0x98 + (int)below(2));
        return; /* cwde, cdq */
    }
    emit_memory(p, reg, r);
}

static void register_instruction(program *p)
{
    unsigned r = any_register(), s = any_register();
    switch (below(15)) {
    case 0:
        emit(p, 1, 0xb8 | r), emit32(p, random32());
        break;
    case 1:
        emit(p, 2, 0x01 + 8 * (int)below(8), 0xc0 | s << 3 | r);
        break;
    case 2:
        emit(p, 3, 0xc1, 0xc0 | below(6) << 3 | r, (int)below(40));
        break;
    case 3:
        emit(p, 3, 0x0f, 0xaf, 0xc0 | s << 3 | r);
        break;
    case 4:
        emit(p, 1, 0x50 | r), emit(p, 1, 0x58 | s);
        break;
    case 5:
        emit(p, 2, 0x60, 0x61);
        break; /* pusha, popa */
    case 6:
        emit(p, 2, 0x9c, 0x58 | r);
        break;
    case 7:
        emit(p, 3, 0x0f, 0xbc + below(2), 0xc0 | s << 3 | r);
        break; /* bsf, bsr */
    case 8:
        emit(p, 4, 0xc8, 8, 0, (int)below(2)), emit(p, 1, 0xc9);
        break; /* enter, leave */
    case 9:
        emit(p, 2, 0xd3, 0xc0 | (2 + below(2)) << 3 | r);
        break; /* rcl, rcr by cl */
    case 10:
        emit(p, 2, 0x0f, 0xc8 | r);
        break;
    case 13: { /* decimal adjustments, flags to and from AH, carry */
        static const uint8_t opcodes[] = {0x27, 0x2f, 0x37, 0x3f, 0x9e, 0x9f, 0xf5, 0xf8, 0xf9, 0xd6};
        emit(p, 1, opcodes[below(10)]);
        break;
    }
    case 11:
        emit(p, 1, 0x40 | r);
        break;
    case 12:
        emit(p, 2, 0x66, 0x50 | r), emit(p, 2, 0x66, 0x58 | s);
        break;
    default:
        emit(p, 3, 0x8d, 0x44 | s << 3, 0x04 | r << 3), emit(p, 1, 4);
        break; /* lea s, [esp + r + 4] */
    }
}

/* Unicorn's own x87 computes other numbers and flags than a real one: what the x87 stores must not become an
 * address, so it has a place of its own. */
static void x87_or_mmx_instruction(program *p)
{
    unsigned r = any_register();
    emit(p, 1, 0xb8 | r), emit32(p, GUEST_DATA + X87_DATA + below(0x700));
    switch (below(12)) {
    case 0:
        emit(p, 1, 0xd9), emit_memory(p, 0, r), emit(p, 1, 0xdd), emit_memory(p, 3, r);
        break; /* fld m32, fstp m64 */
    case 1:
        emit(p, 1, 0xdb), emit_memory(p, 5, r), emit(p, 1, 0xdb), emit_memory(p, 7, r);
        break; /* m80 */
    case 2:
        emit(p, 1, 0xdf), emit_memory(p, 0, r), emit(p, 1, 0xdb), emit_memory(p, 3, r);
        break; /* integers */
    case 3:
        emit(p, 2, 0xd9, 0xe8), emit(p, 1, 0xd8), emit_memory(p, below(8), r), emit(p, 2, 0xdb, 0xe3);
        break;
    case 4:
        emit(p, 1, 0xdd), emit_memory(p, 6, r);
        break; /* fnsave */
    case 5:
        emit(p, 1, 0xd9), emit_memory(p, 6, r), emit(p, 1, 0xd9), emit_memory(p, 7, r);
        break; /* fnstenv, fnstcw */
    case 6:
        emit(p, 1, 0xdd), emit_memory(p, 7, r);
        break;
    case 7:
        emit(p, 2, 0x0f, 0x6f), emit_memory(p, 1, r), emit(p, 2, 0x0f, 0x77);
        break;
    case 8:
        emit(p, 2, 0x0f, 0xfd), emit_memory(p, 2, r), emit(p, 2, 0x0f, 0x7f), emit_memory(p, 2, r),
            emit(p, 2, 0x0f, 0x77);
        break;
    case 9:
        emit(p, 2, 0x0f, 0xed), emit_memory(p, 3, r), emit(p, 2, 0x0f, 0x77);
        break; /* paddsw */
    case 10:
        emit(p, 2, 0x0f, 0x7e), emit_memory(p, 1, r), emit(p, 2, 0x0f, 0x77);
        break; /* movd */
    default:
        emit(p, 2, 0xd9, 0xee), emit(p, 1, 0xdb), emit_memory(p, 2, r), emit(p, 2, 0xdb, 0xe3);
        break;
    }
}

static void string_instruction(program *p)
{
    static const uint8_t opcodes[] = {0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf};
    emit(p, 1, 0xbe), emit32(p, GUEST_DATA + below(0x1800));
    emit(p, 1, 0xbf), emit32(p, GUEST_DATA + below(0x1800));
    emit(p, 1, 0xb9), emit32(p, below(20));
    if (below(4) == 0)
        emit(p, 1, 0x66);
    if (below(4))
        emit(p, 1, 0xf2 + below(2));
    emit(p, 1, opcodes[below(10)]);
}

/* Changes the immediate of a MOV that follows, in the same block; the address is absolute. */
static void self_modification(program *p)
{
    emit(p, 2, 0xc6, 0x05); /* mov byte ptr [p + 2], i */
    emit32(p, GUEST_CODE + p->size + 5 + below(2) * 1 + 2);
    emit(p, 1, (int)below(256));
    emit(p, 1, 0x90);
    emit(p, 1, 0xb8), emit32(p, random32());
}

static void straight(program *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        switch (below(12)) {
        case 0:
        case 1:
        case 2:
        case 3:
            register_instruction(p);
            break;
        case 4:
            x87_or_mmx_instruction(p);
            break;
        case 5:
            string_instruction(p);
            break;
        case 6:
            if (below(4) == 0)
                self_modification(p);
            break;
        default:
            memory_instruction(p);
            break;
        }
    }
}

/* Straight runs with forward branches, loops around them, a subroutine; ends in HLT. */
static void make_program(program *p)
{
    p->size = 0;
    emit(p, 2, 0xdb, 0xe3); /* fninit */
    unsigned pieces = 3 + below(4);
    for (unsigned i = 0; i < pieces; i++) {
        emit(p, 1, 0xbb), emit32(p, 1 + below(6)); /* mov ebx, n */
        unsigned loop = p->size;
        straight(p, 1 + below(6));
        emit(p, 3, 0x70 + (int)below(16), 1, 0x90); /* jcc over a nop */
        if (below(3) == 0) {                        /* call a subroutine that stands here */
            emit(p, 1, 0xe8), emit32(p, 5);
            emit(p, 1, 0xe9);
            unsigned over = p->size;
            emit32(p, 0);
            straight(p, 1 + below(3));
            emit(p, 1, 0xc3);
            uint32_t distance = p->size - over - 4;
            memcpy(p->code + over, &distance, 4);
        } else {
            straight(p, below(3));
        }
        emit(p, 1, 0x4b); /* dec ebx */
        emit(p, 2, 0x0f, 0x85), emit32(p, loop - p->size - 4);
    }
    emit(p, 1, 0xf4);
}

static uint8_t data_byte(unsigned i)
{
    return (uint8_t)(i * 167 >> 3 ^ i);
}

/* --- The public interface --- */

typedef struct plain_library {
    uc_err (*open)(uc_arch, uc_mode, uc_engine **);
    uc_err (*close)(uc_engine *);
    uc_err (*mem_map)(uc_engine *, uint64_t, size_t, uint32_t);
    uc_err (*mem_write)(uc_engine *, uint64_t, const void *, size_t);
    uc_err (*mem_read)(uc_engine *, uint64_t, void *, size_t);
    uc_err (*reg_write)(uc_engine *, int, const void *);
    uc_err (*reg_read)(uc_engine *, int, void *);
    uc_err (*hook_add)(uc_engine *, uc_hook *, int, void *, void *, uint64_t, uint64_t, ...);
    uc_err (*emu_start)(uc_engine *, uint64_t, uint64_t, uint64_t, size_t);
} plain_library;

static bool load_library(plain_library *lib)
{
    void *handle = dlopen("libunicorn.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    static const char *const names[] = {"uc_open",      "uc_close",    "uc_mem_map",
                                        "uc_mem_write", "uc_mem_read", "uc_reg_write",
                                        "uc_reg_read",  "uc_hook_add", "uc_emu_start"};
    void **functions = (void **)lib;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        functions[i] = dlsym(handle, names[i]);
        if (!functions[i])
            return false;
    }
    return true;
}

typedef struct reference_insn {
    uint32_t address;
    unsigned first_access, accesses;
    bool rep;
} reference_insn;

typedef struct reference {
    plain_library *lib;
    uc_engine *uc;
    reference_insn insns[MAX_LOG];
    unsigned count;
    p5_access accesses[MAX_LOG];
    unsigned access_count;
    isa_insn decoded; /* the last one */
    unsigned parts;   /* of a load across a page end that will be reported again */
    uint32_t registers[8];
    uint8_t memory[DATA_BYTES];
} reference;

static void on_code(uc_engine *uc, uint64_t address, uint32_t size, void *context)
{
    reference *r = context;
    uint8_t bytes[16];
    (void)size;
    r->lib->mem_read(uc, address, bytes, sizeof bytes);
    bool again = r->count && r->insns[r->count - 1].address == address;
    if (again && r->insns[r->count - 1].rep)
        return;
    if (again) { /* it had changed its own block: it is done again */
        r->access_count = r->insns[r->count - 1].first_access;
        r->insns[r->count - 1].accesses = 0;
        return;
    }
    isa_decode(guest_decoder, bytes, sizeof bytes, (uint32_t)address, true, &r->decoded);
    r->insns[r->count++] =
        (reference_insn){.address = (uint32_t)address,
                         .first_access = r->access_count,
                         .rep = r->decoded.flags & ISA_STRING && (r->decoded.rep || r->decoded.repne)};
}

static void add_access(reference *r, uint32_t linear, unsigned size, bool write)
{
    r->accesses[r->access_count++] = (p5_access){.linear = linear, .size = (uint8_t)size, .flags = write};
    r->insns[r->count - 1].accesses++;
}

static void on_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                      void *context)
{
    reference *r = context;
    (void)uc, (void)value;
    bool write = type == UC_MEM_WRITE, crossing = (address & 4095) + (unsigned)size > 4096;
    if (r->parts && !write) {
        r->parts--;
        return;
    }
    if (crossing && !write)
        r->parts = 2;
    reference_insn *insn = &r->insns[r->count - 1];
    const char *mnemonic = isa_forms[r->decoded.form].mnemonic;
    if (strncmp(mnemonic, "POPA", 4) == 0 && insn->accesses == 3) { /* ESP's slot is not read */
        const p5_access *last = &r->accesses[r->access_count - 1];
        add_access(r, last->linear + last->size, last->size, false);
    }
    add_access(r, (uint32_t)address, (unsigned)size, write);
}

static void run_reference(reference *r, plain_library *lib, const program *p)
{
    if (getenv("DUMP")) {
        FILE *f = fopen(getenv("DUMP"), "wb");
        fwrite(p->code, 1, p->size, f);
        fclose(f);
    }
    memset(r, 0, sizeof *r);
    r->lib = lib;
    uc_hook hook;
    assert_int_equal(lib->open(UC_ARCH_X86, UC_MODE_32, &r->uc), UC_ERR_OK);
    lib->mem_map(r->uc, 0, GUEST_MEMORY, UC_PROT_ALL);
    lib->mem_write(r->uc, GUEST_CODE, p->code, p->size);
    for (unsigned i = 0; i < DATA_BYTES; i++)
        r->memory[i] = data_byte(i);
    lib->mem_write(r->uc, GUEST_DATA, r->memory, DATA_BYTES);
    uint32_t esp = GUEST_STACK, flags = 2;
    lib->reg_write(r->uc, UC_X86_REG_ESP, &esp);
    lib->reg_write(r->uc, UC_X86_REG_EFLAGS, &flags);
    lib->hook_add(r->uc, &hook, UC_HOOK_CODE, (void *)on_code, r, 1, 0);
    lib->hook_add(r->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_memory, r, 1, 0);
    uc_err err = lib->emu_start(r->uc, GUEST_CODE, 0, 0, 0);
    if (err != UC_ERR_OK)
        fail_msg("the reference stopped with error %d after %u instructions", err, r->count);
    static const int ids[] = {UC_X86_REG_EAX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_EBX,
                              UC_X86_REG_ESP, UC_X86_REG_EBP, UC_X86_REG_ESI, UC_X86_REG_EDI};
    for (unsigned i = 0; i < 8; i++)
        lib->reg_read(r->uc, ids[i], &r->registers[i]);
    lib->mem_read(r->uc, GUEST_DATA, r->memory, DATA_BYTES);
    lib->close(r->uc);
}

/* --- Comparison --- */

static void compare(const guest *g, const reference *r, unsigned seed)
{
    for (unsigned i = 0; i < r->count && i < g->count; i++) {
        const guest_insn *a = &g->insns[i];
        const reference_insn *b = &r->insns[i];
        if (a->address != b->address || a->accesses != b->accesses)
            fail_msg("seed %u, instruction %u: expected %08x with %u accesses, got %08x (%s) with %u", seed,
                     i, b->address, b->accesses, a->address, a->mnemonic, a->accesses);
        for (unsigned k = 0; k < a->accesses; k++) {
            bool pusha = strncmp(a->mnemonic, "PUSHA", 5) == 0; /* Unicorn stores the last one first */
            const p5_access *x = &g->accesses[a->first_access + k],
                            *y = &r->accesses[b->first_access + (pusha ? b->accesses - 1 - k : k)];
            if (x->linear != y->linear || x->physical != y->linear || x->size != y->size ||
                (x->flags & P5_ACCESS_WRITE) != y->flags)
                fail_msg("seed %u, instruction %u (%s at %08x), access %u: expected %08x size %u %s, got "
                         "%08x (%08x) size %u flags %02x",
                         seed, i, a->mnemonic, a->address, k, y->linear, y->size, y->flags ? "write" : "read",
                         x->linear, x->physical, x->size, x->flags);
        }
        if (a->last && i + 1 < g->count && a->next != g->insns[i + 1].address)
            fail_msg("seed %u, instruction %u: went on at %08x, but said %08x", seed, i,
                     g->insns[i + 1].address, a->next);
    }
    if (g->count != r->count)
        fail_msg("seed %u: %u instructions instead of %u, the last common one at %08x", seed, g->count,
                 r->count, r->insns[(r->count < g->count ? r->count : g->count) - 1].address);
    for (unsigned i = 0; i < 8; i++) {
        if (engine_get(g->e, (engine_register)i) != r->registers[i])
            fail_msg("seed %u: register %u is %08x instead of %08x", seed, i,
                     engine_get(g->e, (engine_register)i), r->registers[i]);
    }
}

static unsigned first_seed = 1, seed_count = DEFAULT_PROGRAMS;

/* Both as blocks and in step mode, which must show the same stream. */
static void run_engine(const program *p, const reference *r, unsigned seed, bool step)
{
    guest g;
    guest_open(&g);
    memcpy(engine_ram(g.e, GUEST_CODE, p->size), p->code, p->size);
    for (unsigned i = 0; i < DATA_BYTES; i++)
        *engine_ram(g.e, GUEST_DATA + i, 1) = data_byte(i);
    engine_step_mode(g.e, step);
    guest_run(&g, ENGINE_HALTED);
    compare(&g, r, seed);
    guest_close(&g);
}

static void test_stream(void **state)
{
    (void)state;
    plain_library lib;
    if (!load_library(&lib)) {
        print_message("libunicorn.so.2 is not there: skipped\n");
        skip();
    }
    guest_decoder = isa_decoder_open(ISA_P55C);
    reference *r = malloc(sizeof *r);
    unsigned instructions = 0;
    for (unsigned seed = first_seed; seed < first_seed + seed_count; seed++) {
        program p;
        random_state = seed * 0x9e3779b97f4a7c15u;
        make_program(&p);
        guest_decoder = isa_decoder_open(ISA_P55C);
        run_reference(r, &lib, &p);
        isa_decoder_close(guest_decoder);
        run_engine(&p, r, seed, false);
        run_engine(&p, r, seed, true);
        instructions += r->count;
    }
    free(r);
    print_message("%u programs, %u instructions\n", seed_count, instructions);
}

int main(int count, char **arguments)
{
    if (count == 3) {
        first_seed = (unsigned)strtoul(arguments[1], NULL, 0);
        seed_count = (unsigned)strtoul(arguments[2], NULL, 0);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
