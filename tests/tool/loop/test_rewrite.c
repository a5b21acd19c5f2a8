/* The law of rewritings: for random code and random contents of registers and memory, the loop computes the same
 * before and after, as the emulator executes it. Every rule is applied at least once. Each rule writes what its
 * instruction does. */
#include <stdlib.h>
#include <string.h>

#include "../../unit/unit.h"
#include "p5tool/machine.h"
#include "p5tool/observe.h"
#include "p5tool/loop.h"
#include "report/loop/rewrite.h"

enum { SEEDS = 100, DATA = 0x2000, DATA_BYTES = 0x3000, TRIPS = 3, MOST_RULES = 64, MOST_TEXT = 8192 };

static uint64_t seed;
static unsigned usable; /* of EAX, EBX, ECX, EDX; forms that name a register can use others */
static unsigned pick(unsigned n)
{
    return unit_random(&seed) % n;
}

/* R, S: registers EAX to EDX; B: a byte register; M: a memory operand; N: a small number. */
static const char *const forms[] = {
    "add R, S",
    "add R, dword ptr M",
    "add dword ptr M, R",
    "add dword ptr M, N",
    "inc dword ptr M",
    "mov R, dword ptr M",
    "mov dword ptr M, R",
    "mov dword ptr M, N",
    "push dword ptr M\npop R",
    "shl R, 1",
    "shl R, N",
    "movzx R, byte ptr M",
    "movzx R, B",
    "cdq",
    "xchg R, S",
    "not R",
    "imul R, S, 5",
    "imul R, S, 8",
    "inc R",
    "lea R, [R+N]",
    "mov R, S\nadd R, N",
    "mov R, S\nadd R, S",
    "mov R, S\nshl R, 2",
    "lodsd",
    "stosd",
    "movsd",
    "lodsb",
    "stosb",
    "adc R, S",
    "sbb R, N",
    "setc B",
    "setz B",
    "seta B",
    "setg B",
    "rcl R, 1",
    "cmp R, S",
    "cmp dword ptr M, R",
    "test R, S",
    "sub R, N",
    "dec R",
    "xor R, R",
    "mov B, byte ptr M",
    "add dword ptr [esi+8], R\nxor dword ptr [esi+12], S",
    "push ebp\nmov ebp, esp\nadd R, dword ptr [ebp]\nleave",
    "fld dword ptr M\nfadd dword ptr M\nfstp dword ptr M",
    "fild dword ptr M\nfistp dword ptr M",
    "fld dword ptr [esi]\nfadd dword ptr [esi+4]\nfstp dword ptr [edi+64]\nfld dword ptr [esi+8]\nfadd dword "
    "ptr [esi+12]\nfstp dword ptr [edi+96]",
    "fld dword ptr [esi]\nfstp dword ptr [esi+64]\nfld dword ptr [esi+8]\nfmul dword ptr [esi+32]\nfstp "
    "dword ptr [esi+72]",
    "fld dword ptr [esi]\nfld dword ptr [esi+4]\nfxch\nfstp dword ptr [esi+64]\nfadd dword ptr "
    "[esi+32]\nfstp dword ptr [esi+72]",
    "call 7f\njmp 8f\n7: add R, dword ptr M\nret\n8:",
    "cmp R, S\ncall 7f\nsetc B\njmp 8f\n7: setz B\ncmp dword ptr M, R\nret\n8:",
    "mov [scratch], ecx\nmov ecx, 3\n1: add eax, N\nloop 1b\nmov ecx, [scratch]",
    "movd mm0, R\npaddd mm1, mm0\nmovd S, mm1\nemms",
    "add esi, N\nadd R, dword ptr [esi+8]\nsub esi, N",
    "inc edi\nadd dword ptr [edi+120], N\ndec edi\nmov S, R",
    "sub R, N\nlea S, [R+S*2+5]\nadd R, 300\nlea S, [S+R+5]"};

static size_t add_form(char *to, const char *form)
{
    static const char *const wide[] = {"eax", "ebx", "ecx", "edx"}, *const bytes[] = {"al", "bh", "cl", "dh"};
    static const char *const places[] = {"esi", "edi", "esi+ebp*8", "ebp*4+0x2400"}; /* EBP counts trips */
    const char *const r = wide[pick(usable)], *s = wide[pick(usable)];
    size_t used = 0;
    for (; *form != '\0'; form++) {
        const bool place = strchr("RSBMN", *form) != NULL;
        if (!place)
            to[used++] = *form;
        else if (*form == 'M')
            used += (size_t)sprintf(to + used, "[%s+%u]", places[pick(4)], pick(32) * 4);
        else if (*form == 'N')
            used += (size_t)sprintf(to + used, "%u", 1 + pick(30));
        else
            used += (size_t)sprintf(to + used, "%s",
                                    *form == 'R'   ? r
                                    : *form == 'S' ? s
                                                   : bytes[pick(usable)]);
    }
    to[used++] = '\n';
    return used;
}

/* Writes a loop of random code, after which all registers are stored. */
static void write_code(char *text)
{
    static const char *const registers[] = {"eax", "ebx", "ecx", "edx", "esi", "edi"};
    size_t used = 0;
    for (unsigned i = 0; i < 96;
         i++) /* floats of the same size, so that sums round alike in any order of execution */
        used += (size_t)sprintf(text + used, "mov dword ptr [0x%x], 0x%x\n", DATA + 0x400 + i * 8,
                                0x3f800000 + pick(1 << 23));
    for (unsigned i = 0; i < usable; i++)
        used += (size_t)sprintf(text + used, "mov %s, 0x%x\n", registers[i], pick(0x7fffffff));
    used += (size_t)sprintf(text + used, "mov esi, 0x%x\nmov edi, 0x%x\nmov ebp, N\nL:\n", DATA + 0x400,
                            DATA + 0x800);
    for (unsigned n = 2 + pick(9); n > 0; n--)
        used += add_form(text + used, forms[pick(sizeof forms / sizeof forms[0])]);
    used += (size_t)sprintf(text + used, "dec ebp\njnz L\n");
    for (unsigned i = 0; i < 6; i++)
        if (i < usable || i >= 4)
            used += (size_t)sprintf(text + used, "mov [0x%x], %s\n", DATA + 4 * i, registers[i]);
    sprintf(text + used, ".bss\nscratch: .skip 4\n");
}

typedef struct memory {
    p5_machine *machine;
    uint8_t bytes[DATA_BYTES];
} memory;

/* Runs a program to its end and reads its data. */
static bool run(const p5_case_program *program, uint8_t *bytes)
{
    const p5_machine_options options = {
        .size = sizeof options, .model = "p55c-200", .memory_bytes = 32U << 20};
    p5_machine *machine;
    p5_error error = {0};
    p5_case_image image;
    p5_run_result result = {.size = sizeof result};
    const p5_limits limits = {.size = sizeof limits, .timeout_seconds = 60};
    p5_case_program_image(program, &image);
    image.cpl = 3;
    assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
    assert_int_equal(p5_machine_load_case(machine, &image, &error), P5_OK);
    bool ended = p5_machine_run(machine, &limits, &result, &error) == P5_OK && result.end == P5_END_EXIT;
    assert_int_equal(p5_machine_read_code(machine, DATA, bytes, DATA_BYTES, NULL), DATA_BYTES);
    p5_machine_close(machine);
    return ended;
}

typedef struct check {
    const loop_code *code;
    const p5_case_program *program;
    const uint8_t *expected;
    const char *text;
    unsigned seed, tried, applied[MOST_RULES];
} check;

static bool compare(void *context, const rewriting *r)
{
    check *c = context;
    static uint8_t bytes[DATA_BYTES];
    p5_case_program *edited = code_edited(c->code, c->program, &r->edit);
    if (edited == NULL)
        return true;
    char text[400], changes[160];
    rewrite_describe(c->code, r, text, sizeof text, changes, sizeof changes);
    const bool same = run(edited, bytes) && memcmp(bytes, c->expected, DATA_BYTES) == 0;
    p5_case_program_free(edited);
    c->tried++;
    c->applied[r->rule]++;
    if (!same)
        fail_msg("seed %u: rule %u: %s (changes %s)\n%s", c->seed, r->rule, text, changes,
                 strstr(c->text, "L:"));
    return true;
}

/* A loop as `bench` sees it. */
typedef struct opened {
    p5_case_program *programs[2];
    p5_window *window;
    loop_code code;
} opened;

static void open_loop(const char *text, opened *o)
{
    const unsigned trips[2] = {TRIPS, TRIPS + 2};
    const p5_case_conditions conditions = {.model = "p55c-200", .cpl = 3, .timeout_seconds = 60};
    p5_error error = {0};
    for (unsigned i = 0; i < 2; i++)
        if (p5_case_assemble_text("loop", text, trips[i], &o->programs[i], &error) != P5_OK)
            fail_msg("%s\n%s", error.message, strstr(text, "L:"));
    if (p5_window_capture(o->programs, trips, &conditions, (p5_trip_range){.count = 2}, &o->window, &error) !=
        P5_OK)
        fail_msg("%s\n%s", error.message, strstr(text, "L:"));
    assert_true(code_open(&o->code, o->programs[0], o->window, 0));
}

static void close_loop(opened *o)
{
    code_close(&o->code);
    p5_window_free(o->window);
    p5_case_program_free(o->programs[0]);
    p5_case_program_free(o->programs[1]);
}

TEST(rewritten_code_computes_the_same)
{
    static uint8_t expected[DATA_BYTES];
    static char text[MOST_TEXT];
    check c = {.text = text, .expected = expected};
    for (c.seed = 0; c.seed < SEEDS; c.seed++) {
        opened o;
        seed = c.seed * 2654435761u + 1;
        usable = 2 + pick(3);
        write_code(text);
        open_loop(text, &o);
        assert_true(run(o.programs[0], expected));
        c.code = &o.code;
        c.program = o.programs[0];
        rewrite_each(&o.code, compare, &c);
        close_loop(&o);
    }
    assert_true(c.tried > SEEDS * 5);
    for (unsigned rule = 0; rule <= rewrite_rule_count; rule++)
        if (c.applied[rule] == 0)
            fail_msg("rule %u was never applied in %u rewritings", rule, c.tried);
}

/* What the rules make of an instruction, by its definition. NULL: no rule applies. */
typedef struct rule_case {
    const char *code, *rewriting, *changes;
} rule_case;
#define FREE "; the register must be free after the loop"
static const rule_case rule_cases[] = {
    {"add ebx, dword ptr [esi+4]",
     "add ebx, dword ptr [esi + 4]  ->  mov edx, dword ptr [esi + 4]; add ebx, edx", "edx" FREE},
    {"cmp dword ptr [esi+ebp*8], ebx",
     "cmp dword ptr [esi + ebp*8], ebx  ->  mov edx, dword ptr [esi + ebp*8]; cmp edx, ebx", "edx" FREE},
    {"add dword ptr [esi+4], ebx",
     "add dword ptr [esi + 4], ebx  ->  mov edx, dword ptr [esi + 4]; add edx, ebx; mov dword ptr [esi + 4], "
     "edx",
     "edx" FREE},
    {"add dword ptr [esi+4], ebx\nxor dword ptr [esi+8], ecx",
     "add dword ptr [esi + 4], ebx; xor dword ptr [esi + 8], ecx  ->  mov edx, dword ptr [esi + 4]; mov eax, "
     "dword ptr [esi + 8]; add edx, ebx; xor eax, ecx; mov dword ptr [esi + 4], edx; mov dword ptr [esi + "
     "8], eax",
     "eax, edx" FREE},
    {"add dword ptr [0x2440], ebx\nxor dword ptr [0x2480], ecx",
     "add dword ptr [0x2440], ebx; xor dword ptr [0x2480], ecx  ->  mov edx, dword ptr [0x2440]; mov eax, "
     "dword ptr [0x2480]; add edx, ebx; xor eax, ecx; mov dword ptr [0x2440], edx; mov dword ptr [0x2480], "
     "eax",
     "eax, edx" FREE},
    {"add dword ptr [ebp*4+0x2400], 5",
     "add dword ptr [ebp*4 + 0x2400], 5  ->  mov edx, dword ptr [ebp*4 + 0x2400]; add edx, 5; mov dword ptr "
     "[ebp*4 + 0x2400], edx",
     "edx" FREE},
    {"add dword ptr [esi], 0x12345",
     "add dword ptr [esi], 0x12345  ->  mov edx, dword ptr [esi]; add edx, 0x12345; mov dword ptr [esi], edx",
     "edx" FREE},
    {"cmp dword ptr [esi], 5", "cmp dword ptr [esi], 5  ->  mov edx, dword ptr [esi]; cmp edx, 5",
     "edx" FREE},
    {"dec dword ptr [0x2400]",
     "dec dword ptr [0x2400]  ->  mov edx, dword ptr [0x2400]; dec edx; mov dword ptr [0x2400], edx",
     "edx" FREE},
    {"mov dword ptr [esi+4], 5", "mov dword ptr [esi + 4], 5  ->  mov edx, 5; mov dword ptr [esi + 4], edx",
     "edx" FREE},
    {"push dword ptr [esi]\npop ebx", "push dword ptr [esi]  ->  mov ebx, dword ptr [esi]; push ebx", "ebx"},
    {"shl ebx, 1", "shl ebx, 1  ->  add ebx, ebx", ""},
    {"movzx ebx, cl", "movzx ebx, cl  ->  xor ebx, ebx; mov bl, cl", "flags"},
    {"movzx ebx, bl", "movzx ebx, bl  ->  and ebx, 0xff", "flags"},
    {"movzx ebx, byte ptr [esi]", "movzx ebx, byte ptr [esi]  ->  xor ebx, ebx; mov bl, byte ptr [esi]",
     "flags"},
    {"movzx ebx, byte ptr [ebx+0x2400]", NULL, NULL},
    {"cdq", "cdq  ->  mov edx, eax; sar edx, 0x1f", "flags"},
    {"xchg ebx, ecx", "xchg ebx, ecx  ->  mov edx, ecx; mov ecx, ebx; mov ebx, edx", "edx" FREE},
    /* Versions of Capstone print the operands of 91h in different orders. */
    {"xchg eax, ecx", "  ->  mov edx, eax; mov eax, ecx; mov ecx, edx", "edx" FREE},
    {"not ebx", "not ebx  ->  xor ebx, 0xffffffff", "flags"},
    {"imul ebx, ecx, 5", "imul ebx, ecx, 5  ->  lea ebx, [ecx + ecx*4]", "flags"},
    {"imul ebx, ecx, 8", "imul ebx, ecx, 8  ->  mov ebx, ecx; shl ebx, 3", "flags"},
    {"imul ebx, ecx, 7", NULL, NULL},
    {"inc ebx", "inc ebx  ->  lea ebx, [ebx + 1]", "flags"},
    {"sub ebx, 4", "sub ebx, 4  ->  lea ebx, [ebx - 4]", "flags"},
    {"lea ebx, [ebx+4]", "lea ebx, [ebx + 4]  ->  add ebx, 4", "flags"},
    {"mov ebx, ecx\nsub ebx, 4", "mov ebx, ecx; sub ebx, 4  ->  lea ebx, [ecx - 4]", "flags"},
    {"mov ebx, ecx\nadd ebx, edx", "mov ebx, ecx; add ebx, edx  ->  lea ebx, [ecx + edx]", "flags"},
    {"mov ebx, ecx\nshl ebx, 2", "mov ebx, ecx; shl ebx, 2  ->  lea ebx, [ecx*4]", "flags"},
    {"mov ebx, ecx\nshl ebx, 4", NULL, NULL},
    {"movsd",
     "movsd dword ptr es:[edi], dword ptr [esi]  ->  mov edx, dword ptr [esi]; mov dword ptr [edi], edx; add "
     "esi, 4; add edi, 4",
     "edx, flags; DF has to be clear" FREE},
    {"movsb",
     "movsb byte ptr es:[edi], byte ptr [esi]  ->  mov dl, byte ptr [esi]; mov byte ptr [edi], dl; add esi, "
     "1; add edi, 1",
     "edx, flags; DF has to be clear" FREE},
    {"lodsb", "lodsb al, byte ptr [esi]  ->  mov al, byte ptr [esi]; add esi, 1",
     "flags; DF has to be clear"},
    {"stosd", "stosd dword ptr es:[edi], eax  ->  mov dword ptr [edi], eax; add edi, 4",
     "flags; DF has to be clear"},
    {"loop 1f\n1:", "loop 0x100007  ->  dec ecx; jne 0x100007", "flags"},
    {"push ebp\nmov ebp, esp\nleave", "leave  ->  mov esp, ebp; pop ebp", ""},
    {"fstp dword ptr [esi]\nfld dword ptr [esi+8]",
     "fstp dword ptr [esi]; fld dword ptr [esi + 8]  ->  fld dword ptr [esi + 8]; fxch st(1); fstp dword ptr "
     "[esi]",
     ""},
    {"fxch\nfstp dword ptr [esi]\nfadd dword ptr [esi+8]",
     "fxch st(1); fstp dword ptr [esi]; fadd dword ptr [esi + 8]  ->  fadd dword ptr [esi + 8]; fxch st(1); "
     "fstp dword ptr [esi]",
     ""},
    {"fxch\nfadd dword ptr [esi]\nfadd dword ptr [esi+8]", NULL, NULL},
    {"fxch\nfstp dword ptr [esi]\nfstp dword ptr [esi+8]", NULL, NULL},
    {"add esi, 4\nmov eax, [esi]",
     "add esi, 4; mov eax, dword ptr [esi]  ->  mov eax, dword ptr [esi + 4]; add esi, 4", ""},
    {"sub esi, 4\nadd eax, [esi+ebx*2+0x4000]",
     "sub esi, 4; add eax, dword ptr [esi + ebx*2 + 0x4000]  ->  add eax, dword ptr [esi + ebx*2 + 0x3ffc]; "
     "sub "
     "esi, 4",
     "flags"},
    {"inc esi\nmov dword ptr [esi+127], 5",
     "inc esi; mov dword ptr [esi + 0x7f], 5  ->  mov dword ptr [esi + 0x80], 5; inc esi", ""},
    {"mov eax, [esi+ebx]\nadd esi, 4",
     "mov eax, dword ptr [esi + ebx]; add esi, 4  ->  add esi, 4; mov eax, dword ptr [esi + ebx - 4]", ""},
    {"mov [edi+4], eax\nadd ecx, edx\nadd edi, 4",
     "mov dword ptr [edi + 4], eax; add ecx, edx; add edi, 4  ->  add edi, 4; mov dword ptr [edi], eax; add "
     "ecx, edx",
     "flags"},
    {"mov [edi], eax\ninc edi\nadd edi, 4",
     "mov dword ptr [edi], eax; inc edi; add edi, 4  ->  inc edi; add edi, 4; mov dword ptr [edi - 5], eax",
     ""},
    {"movd [edi], mm0\nadd edi, 4",
     "movd dword ptr [edi], mm0; add edi, 4  ->  add edi, 4; movd dword ptr [edi - 4], mm0", ""},
    /* A subroutine of the loop does not change what the code after its call reads. */
    {"call 1f\ncmp edx, ecx\njmp 2f\n1: add ebx, dword ptr [esi]\nret\n2:",
     "add ebx, dword ptr [esi]  ->  mov eax, dword ptr [esi]; add ebx, eax", "eax" FREE},
    {"jmp 2f\n1: inc ebx\nret\n2: call 1b\nsetz al", NULL, NULL},
    {"cmp eax, ecx\njmp 2f\n1: setz bl\nret\n2: lea edx, [edx+4]\ncall 1b", NULL, NULL},
    {"add bx, word ptr [esi]", NULL, NULL},
    {"add ebx, dword ptr es:[esi]", NULL, NULL}};

typedef struct wanted {
    const loop_code *code;
    const rule_case *row;
    bool found;
} wanted;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool look(void *context, const rewriting *r)
{
    wanted *w = context;
    char text[400], changes[160] = "?";
    rewrite_describe(w->code, r, text, sizeof text, changes, sizeof changes);
    if (w->row->rewriting == NULL)
        w->found |= r->rule > 0;
    else
        w->found |= ends_with(text, w->row->rewriting) && strcmp(changes, w->row->changes) == 0;
    return true;
}

TEST(rules_write_what_the_instruction_does)
{
    for (size_t i = 0; i < sizeof rule_cases / sizeof rule_cases[0]; i++) {
        opened o;
        char text[300];
        const rule_case *row = &rule_cases[i];
        snprintf(text, sizeof text, "mov ebp, N\nL:\n%s\ndec ebp\njnz L\n", row->code);
        open_loop(text, &o);
        wanted w = {&o.code, row, false};
        rewrite_each(&o.code, look, &w);
        if (w.found != (row->rewriting != NULL))
            fail_msg("%s: %s", row->code, w.found ? "a rule applies" : row->rewriting);
        close_loop(&o);
    }
}

/* The loop ends only if its first byte is 03h, the opcode of ADD EAX,[scratch]. With INC EBX in first place it
 * never ends, and there is no limit of host time that would end it. */
TEST(a_rewriting_that_never_ends_is_rejected)
{
    const unsigned trips[2] = {2, 12};
    const p5_case_conditions conditions = {.model = "p55c-200", .cpl = 3};
    p5_case_program *programs[2];
    p5_error error = {0};
    char text[4096] = "";
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(p5_case_assemble_text("loop",
                                               "mov ecx, N\nL:\nadd eax, [scratch]\ninc ebx\ndec ecx\njnz L\n"
                                               "cmp byte ptr [L], 3\njne L\n.bss\nscratch: .skip 4\n",
                                               trips[i], &programs[i], &error),
                         P5_OK);
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    assert_int_equal(p5_suggest_write(out, P5_ROWS_TEXT, programs, trips, &conditions, &error), P5_OK);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "rewritings of this loop saves a clock"));
    p5_case_program_free(programs[0]);
    p5_case_program_free(programs[1]);
}
