/* Batches that their owner keeps. They stay where the engine has put them while it puts the next ones elsewhere. Read
 * later, they contain what the owner would have got at once, and the engine writes nothing outside of a room. */
#include "guest.h"

enum {
    MOST_KEPT = 64,
    LIMIT = 16384, /* a room begins before this many blocks, values, accesses */
    CANARY = 0xa5
};

typedef struct kept_batch {
    const p5_access *accesses;
    const p5_value *values;
    const p5_retired_block *blocks;
    size_t count;
    unsigned instructions;
} kept_batch;

typedef struct keeper {
    guest g;    /* first: it is the callbacks' context */
    bool tight; /* a room begins where the batch before ends, else after the whole room before */
    kept_batch batches[MOST_KEPT];
    unsigned kept, most, all;
    unsigned behind; /* single stretches that were recorded after a batch that had been reported */
    engine_buffers room;
    p5_retired_block blocks[LIMIT + ENGINE_BUFFER_BLOCKS + 1];
    p5_value values[LIMIT + ENGINE_BUFFER_VALUES + 1];
    p5_access accesses[LIMIT + ENGINE_BUFFER_ACCESSES + 1];
} keeper;

/* Reports all batches that were kept. */
static void look(guest *g)
{
    keeper *k = (keeper *)g;
    for (const kept_batch *b = k->batches; b < k->batches + k->kept; b++)
        guest_retired_blocks(g, b->accesses, b->values, b->blocks, b->count, b->instructions);
    k->most = k->kept > k->most ? k->kept : k->most;
    k->kept = 0;
}

static bool keep_one(void *context, const p5_retired *r)
{
    keeper *k = context;
    bool kept = r->accesses >= k->accesses && r->accesses < k->accesses + LIMIT + ENGINE_BUFFER_ACCESSES;
    k->behind += kept && r->accesses != k->room.accesses; /* else it would have been the first of a batch */
    look(&k->g);
    return guest_retired(context, r);
}

static bool is_canary(const void *bytes, size_t size)
{
    for (const uint8_t *b = bytes; size > 0; b++, size--) {
        if (*b != CANARY)
            return false;
    }
    return true;
}

static void take_room(keeper *k, size_t block, size_t value, size_t access)
{
    if (block > LIMIT || value > LIMIT || access > LIMIT || k->kept == MOST_KEPT) {
        look(&k->g);
        block = value = access = 0;
    }
    k->room = (engine_buffers){k->blocks + block, k->values + value, k->accesses + access};
    /* What is in a room before does not matter. */
    memset(k->room.blocks, CANARY, (ENGINE_BUFFER_BLOCKS + 1) * sizeof k->blocks[0]);
    memset(k->room.values, CANARY, (ENGINE_BUFFER_VALUES + 1) * sizeof k->values[0]);
    if (!k->tight) /* else what the running block has recorded may stand there */
        memset(k->room.accesses, CANARY, (ENGINE_BUFFER_ACCESSES + 1) * sizeof k->accesses[0]);
    engine_batch_into(k->g.e, &k->room);
}

static bool keep(void *context, const p5_access *accesses, const p5_value *values,
                 const p5_retired_block *blocks, size_t count, unsigned instructions)
{
    keeper *k = context;
    const p5_retired_block *last = &blocks[count - 1];
    assert_ptr_equal(blocks, k->room.blocks + 1);
    assert_ptr_equal(accesses, k->room.accesses);
    assert_ptr_equal(values, k->room.values);
    assert_true(last < k->room.blocks + ENGINE_BUFFER_BLOCKS);
    assert_true(last->values_end <= k->room.values + ENGINE_BUFFER_VALUES);
    assert_true(last->accesses_end <= k->room.accesses + ENGINE_BUFFER_ACCESSES);
    k->batches[k->kept++] = (kept_batch){accesses, values, blocks, count, instructions};
    k->all++;
    if (k->tight) {
        take_room(k, (size_t)(blocks + count - k->blocks), (size_t)(last->values_end - k->values),
                  (size_t)(last->accesses_end - k->accesses));
    } else {
        assert_true(is_canary(k->room.blocks + ENGINE_BUFFER_BLOCKS, sizeof k->blocks[0]));
        assert_true(is_canary(k->room.values + ENGINE_BUFFER_VALUES, sizeof k->values[0]));
        assert_true(is_canary(k->room.accesses + ENGINE_BUFFER_ACCESSES, sizeof k->accesses[0]));
        take_room(k, (size_t)(k->room.blocks - k->blocks) + ENGINE_BUFFER_BLOCKS + 1,
                  (size_t)(k->room.values - k->values) + ENGINE_BUFFER_VALUES + 1,
                  (size_t)(k->room.accesses - k->accesses) + ENGINE_BUFFER_ACCESSES + 1);
    }
    return false;
}

typedef struct trial {
    const uint8_t *code, *end;
    void (*prepare)(guest *);
    bool most;   /* many batches are kept at a time */
    bool behind; /* something is recorded after a batch that was reported */
} trial;

static void begin(guest *g, const trial *t)
{
    guest_open(g);
    guest_put(g, GUEST_CODE, t->code, t->end);
    if (t->prepare)
        t->prepare(g);
}

static void expect_same(const guest *kept, const guest *at_once)
{
    assert_int_equal(kept->count, at_once->count);
    assert_int_equal(kept->access_count, at_once->access_count);
    assert_int_equal(kept->value_count, at_once->value_count);
    assert_true(kept->count < GUEST_LOG);
    assert_memory_equal(kept->insns, at_once->insns, kept->count * sizeof kept->insns[0]);
    for (unsigned i = 0; i < kept->access_count; i++) {
        const p5_access *a = &kept->accesses[i], *b = &at_once->accesses[i];
        if (a->linear != b->linear || a->physical != b->physical || a->size != b->size ||
            a->flags != b->flags)
            fail_msg("access %u: %08x instead of %08x", i, a->linear, b->linear);
    }
    for (unsigned i = 0; i < kept->value_count; i++) {
        assert_int_equal(kept->values[i].a, at_once->values[i].a);
        assert_int_equal(kept->values[i].b, at_once->values[i].b);
        assert_int_equal(kept->values[i].kind, at_once->values[i].kind);
    }
    assert_int_equal(kept->event_count, at_once->event_count);
    assert_int_equal(kept->delivery_count, at_once->delivery_count);
}

static void run(const trial *t)
{
    static keeper k;
    guest at_once;
    begin(&at_once, t);
    guest_run(&at_once, ENGINE_HALTED);
    engine_close(at_once.e);
    isa_decoder_close(guest_decoder); /* there is one for all guests */
    for (int tight = 0; tight < 2; tight++) {
        memset(&k, 0, sizeof k);
        begin(&k.g, t);
        k.tight = tight;
        k.g.catch_up = look;
        engine_set_retired(k.g.e, keep_one, keep);
        engine_batch(k.g.e, ENGINE_BATCH_CLOCKS);
        take_room(&k, 0, 0, 0);
        guest_run(&k.g, ENGINE_HALTED);
        assert_int_equal(k.kept, 0); /* the engine has asked for them before it returned */
        assert_int_equal(k.all, at_once.batches);
        assert_true(k.most >= (t->most ? 4 : 1));
        if (!tight)
            assert_int_equal(k.behind > 0, t->behind);
        expect_same(&k.g, &at_once);
        guest_close(&k.g);
    }
    free(at_once.insns);
    free(at_once.accesses);
    free(at_once.values);
}

/* Loads and stores, values of MMX and x87 instructions. */
GUEST(plain,
      "fninit\n mov ecx, 2000\n mov ebx, 0x30000\n 1: mov [ebx], ecx\n or dword ptr [ebx], 0x3f800000\n add "
      "eax, [ebx]\n movd mm0, ecx\n "
      "paddsb mm0, mm1\n test cl, 3\n jnz 2f\n emms\n fld1\n fdiv dword ptr [ebx]\n fstp dword ptr "
      "[ebx + 4]\n 2: dec ecx\n jnz 1b\n hlt");

TEST(test_plain)
{
    run(&(trial){plain, plain_end, .most = true});
}

/* Blocks with as many references as one in a batch may have, and with so many that no room would hold a batch
 * of them. */
GUEST(references,
      "mov ecx, 40\n 1: mov esp, 0x2f000\n jmp 2f\n 2: .rept 62\n push eax\n push dword ptr [esp]\n pop "
      "dword ptr [esp]\n .endr\n "
      "jmp 3f\n 3: pushad\n jmp 4f\n 4:\n .rept 6\n .rept 80\n fnsave [0x30000]\n .endr\n jmp 5f\n 5:\n "
      ".endr\n "
      "dec ecx\n jnz 1b\n hlt");

TEST(test_references)
{
    run(&(trial){.code = references, .end = references_end});
}

/* Short blocks, as many as go into a batch. */
GUEST(short_blocks, "mov ecx, 3000\n mov esp, 0x2f000\n 1: loop 1b\n hlt");

TEST(test_short_blocks)
{
    run(&(trial){short_blocks, short_blocks_end, .most = true});
}

/* A block that faults after references: these are reported as a stretch of their own after the batch. */
GUEST(fault, "mov ebx, 0x30000\n mov ecx, 500\n 1: mov [ebx], ecx\n add eax, [ebx]\n dec ecx\n jnz 1b\n mov "
             "[ebx], eax\n mov [ebx + 4], eax\n mov ecx, 0\n div ecx\n mov [ebx + 8], eax\n hlt");

TEST(test_fault)
{
    run(&(trial){fault, fault_end, .behind = true});
}

/* Accessed and dirty bits are set in the middle of blocks, which then continue. */
static void paging_on(guest *g)
{
    enum { DIRECTORY = GUEST_PAGES, TABLE = GUEST_PAGES + 0x1000, PRESENT_WRITABLE = 3 };
    guest_poke32(g, DIRECTORY, TABLE | PRESENT_WRITABLE);
    for (unsigned i = 0; i < 1024; i++)
        guest_poke32(g, TABLE + 4 * i, i << 12 | PRESENT_WRITABLE);
    engine_set(g->e, ENGINE_CR3, DIRECTORY);
    engine_set(g->e, ENGINE_CR0, 0x80000033);
}
GUEST(pages,
      "mov ebx, 0x30000\n mov ecx, 100\n 1: mov [0x20000], ecx\n mov eax, [0x20000]\n mov edx, [ebx]\n "
      "mov [0x20004], eax\n mov [ebx + 4], edx\n mov eax, [ebx + 4]\n add ebx, 0x200\n jmp 2f\n 2: jmp "
      "3f\n 3: dec ecx\n jnz 1b\n hlt");

TEST(test_pages)
{
    run(&(trial){pages, pages_end, paging_on, .behind = true});
}

/* Between batches: REP strings, POPA, BSF, shifts by CL through the carry, code that changes itself. */
GUEST(mixed,
      "mov ebp, 60\n 1: mov ecx, 70\n 2: mov [0x30000], ecx\n add eax, [0x30000]\n loop 2b\n mov edi, "
      "0x31000\n mov ecx, 9\n rep stosd\n pushad\n popad\n bsf edx, ebp\n mov cl, 3\n rcl eax, cl\n mov "
      "edx, ebp\n call 4f\n 4: pop edx\n mov byte ptr [edx + 8], 0x41\n nop\n nop\n nop\n nop\n nop\n "
      "dec ebp\n jnz 1b\n hlt");

TEST(test_mixed)
{
    run(&(trial){.code = mixed, .end = mixed_end, .behind = true});
}
