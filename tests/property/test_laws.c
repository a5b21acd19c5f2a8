/* Laws of counts on random guests: for every model, with and without another bus master on its board, the
 * counts of a core obey all laws of report/stat/laws.c. A smaller number of random programs runs in the whole
 * machine. Arguments: programs per model, number of the first one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p5tool/machine.h"
#include "p5tool/report.h"
#include "programs.h"
#include "random_core.h"
#include "random_model.h"

enum { PER_MACHINE = 20 /* core programs for one of the machine */ };

static const char *const agents[] = {
    "none",
    "dma,period=37,base=20000h,len=1K",
    "dma,period=61,base=20000h,len=1K,write=on",
    "processor,period=53,base=20000h,len=1K,grant=2",
    "processor,period=29,base=20000h,len=1K,write=on",
};
enum { AGENTS = sizeof agents / sizeof *agents };

/* Returns the number of stretches of program `n`. Most are short, so that programs begin and end in many
 * ways. */
static unsigned stretches_of(unsigned long n)
{
    static const unsigned lengths[] = {400, 20, 40, 20, 80, 20, 160, 20, 40, 20, 20, 80, 20, 40, 20, 20};
    return lengths[n / AGENTS % (sizeof lengths / sizeof *lengths)];
}

/* Counts what has been checked. */
typedef struct campaign {
    unsigned long programs, machines;
    unsigned long long instructions, laws;
} campaign;

static bool core_laws(const p5_model *model, const char *other, uint64_t seed, campaign *c)
{
    static p5_counts totals;
    random_core_run(model, true, seed, stretches_of(seed - 1), &totals);
    unsigned checked;
    unsigned broken = p5_laws_check(&totals, p5_model_family(model), false, stdout, &checked);
    if (broken > 0 || checked == 0)
        printf("model %s, agent %s, seed %llu\n", p5_model_name(model), other, (unsigned long long)seed);
    const uint64_t *executed = totals.increments[P5_EVENT_INSTRUCTIONS_EXECUTED];
    c->programs++;
    c->instructions += executed[P5_CPL_KERNEL] + executed[P5_CPL_USER];
    c->laws += checked;
    return broken == 0 && checked > 0;
}

/* ---- the whole machine ---- */

/* Pieces of a loop body that keep EBP (the count), ESP, ESI and EDI. ESI and EDI point to 64 KB each. */
static const struct {
    uint8_t length, mmx, bytes[8];
} pieces[] = {
    {1, 0, {0x40}},                         /* inc eax */
    {2, 0, {0x01, 0xc3}},                   /* add ebx,eax */
    {2, 0, {0x8b, 0x06}},                   /* mov eax,[esi] */
    {3, 0, {0x8b, 0x5f, 0x06}},             /* mov ebx,[edi+6] */
    {2, 0, {0x89, 0x07}},                   /* mov [edi],eax */
    {6, 0, {0x89, 0x86, 0, 0x10, 0, 0}},    /* mov [esi+1000h],eax */
    {6, 0, {0x8b, 0x96, 0, 0x20, 0, 0}},    /* mov edx,[esi+2000h] */
    {6, 0, {0x8b, 0x96, 0, 0x40, 0, 0}},    /* mov edx,[esi+4000h] */
    {6, 0, {0x01, 0x87, 0xfe, 0x0f, 0, 0}}, /* add [edi+0ffeh],eax */
    {3, 0, {0xf0, 0xff, 0x06}},             /* lock inc dword [esi] */
    {2, 0, {0x87, 0x07}},                   /* xchg [edi],eax */
    {2, 0, {0x50, 0x5b}},                   /* push eax, pop ebx */
    {4, 0, {0x85, 0xdb, 0x74, 0x00}},       /* test ebx,ebx, jz +0 */
    {4, 0, {0xa8, 0x01, 0x75, 0x01}},       /* test al,1, jnz over the next byte; */
    {1, 0, {0x90}},
    {5, 0, {0xe8, 0, 0, 0, 0}},             /* call the next instruction */
    {1, 0, {0x58}},                         /* pop eax */
    {2, 0, {0xe4, 0x60}},                   /* in al,60h */
    {2, 0, {0xf7, 0xe3}},                   /* mul ebx */
    {4, 0, {0xd9, 0xee, 0xdd, 0xd8}},       /* fldz, fstp st */
    {4, 0, {0xd9, 0x06, 0xd9, 0x1f}},       /* fld dword [esi], fstp dword [edi] */
    {4, 0, {0xf3, 0xa4, 0x89, 0xf7}},       /* rep movsb (ecx 0), mov edi,esi */
    {3, 1, {0x0f, 0xfc, 0xc1}},             /* paddb */
    {3, 1, {0x0f, 0xe5, 0xd1}},             /* pmulhw */
    {5, 1, {0x0f, 0x77, 0x0f, 0x6e, 0xc0}}, /* emms, movd mm0,eax */
    {3, 1, {0x0f, 0x6f, 0x0e}},             /* movq mm1,[esi] */
    {4, 1, {0x0f, 0x7f, 0x4f, 0x04}},       /* movq [edi+4],mm1 */
    {2, 1, {0x0f, 0x77}},                   /* emms */
};
enum { PIECES = sizeof pieces / sizeof *pieces, TEXT = 0x100000, DATA = 0x200000 };

static size_t machine_program(uint8_t *text, random_source *r, bool mmx)
{
    static const uint8_t begin[] = {0xbe, 0, 0,    0x20, 0, 0xbf, 0, 0,
                                    0x21, 0, 0xbd, 60,   0, 0,    0}; /* esi, edi, ebp */
    size_t size = sizeof begin;
    memcpy(text, begin, size);
    size_t loop = size;
    unsigned depth = 0;
    for (unsigned n = 1 + random_below(r, 30); n > 0; n--) {
        unsigned pick = random_below(r, PIECES);
        if ((pieces[pick].mmx && !mmx) || (pieces[pick].bytes[0] == 0x58 && depth == 0))
            continue;
        depth += pieces[pick].bytes[0] == 0xe8;
        depth -= pieces[pick].bytes[0] == 0x58;
        memcpy(text + size, pieces[pick].bytes, pieces[pick].length);
        size += pieces[pick].length;
        if (pieces[pick].bytes[2] == 0x75)
            text[size++] = 0x90; /* what JNZ jumps over */
    }
    for (; depth > 0; depth--)
        text[size++] = 0x58;
    static const uint8_t end[] = {0x4d, 0x0f, 0x85}; /* dec ebp, jnz loop */
    memcpy(text + size, end, sizeof end);
    size += sizeof end + 4;
    int32_t displacement = (int32_t)loop - (int32_t)size;
    memcpy(text + size - 4, &displacement, 4);
    text[size++] = 0x0f; /* ud2: the end */
    text[size++] = 0x0b;
    return size;
}

static bool machine_laws(const char *model, const char *other, bool mmx, uint64_t seed, campaign *c)
{
    p5_machine_options options = {.size = sizeof options, .model = model, .agent = other};
    random_source r = {seed};
    uint8_t text[512];
    size_t size = machine_program(text, &r, mmx);
    p5_case_image image = {.text = text,
                           .text_size = size,
                           .text_address = TEXT,
                           .bss_address = DATA,
                           .bss_size = 0x20000,
                           .entry = TEXT,
                           .exit_address = TEXT + (uint32_t)size - 2,
                           .cpl = random_below(&r, 2) ? 3 : 0};
    p5_machine *machine;
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result, .message = ""};
    unsigned broken = 1, checked = 0;
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        return printf("%s\n", error.message) < 0;
    if (p5_machine_load_case(machine, &image, &error) != P5_OK ||
        p5_machine_run(machine, NULL, &result, &error) != P5_OK || result.end != P5_END_EXIT)
        printf("did not run to its end: %s %s %s\n", error.message, result.message, result.instruction);
    else
        broken = p5_laws_check_machine(machine, stdout, &checked);
    static p5_counts totals;
    p5_machine_counts(machine, &totals);
    const uint64_t *executed = totals.increments[P5_EVENT_INSTRUCTIONS_EXECUTED];
    c->machines++;
    c->instructions += executed[P5_CPL_KERNEL] + executed[P5_CPL_USER];
    c->laws += checked;
    p5_machine_close(machine);
    if (broken > 0 || checked == 0)
        printf("machine, model %s, agent %s, seed %llu\n", model, other, (unsigned long long)seed);
    return broken == 0 && checked > 0;
}

/* Programs [first, first + count) of every model; a seed is one more than a program's number. */
int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    for (const char *const *name = p5_model_names(); *name != NULL; name++) {
        campaign c = {0};
        p5_model *models[AGENTS] = {NULL};
        for (unsigned a = 0; a < AGENTS; a++) {
            p5_error error = {0};
            if (p5_model_open(*name, &models[a], &error) != P5_OK ||
                p5_model_set_agent(models[a], agents[a], &error) != P5_OK) {
                printf("%s: %s\n", *name, error.message);
                return 1;
            }
        }
        bool mmx = p5_model_family(models[0]) == P5_FAMILY_P55C;
        for (unsigned long n = first; n < first + count; n++) {
            if (!core_laws(models[n % AGENTS], agents[n % AGENTS], n + 1, &c))
                return 1;
            if (n % PER_MACHINE == 0 &&
                !machine_laws(*name, agents[n / PER_MACHINE % AGENTS], mmx, n + 1, &c))
                return 1;
        }
        for (unsigned a = 0; a < AGENTS; a++)
            p5_model_close(models[a]);
        printf("%s: %lu programs, %lu of them in the whole machine, %llu instructions, %llu laws checked\n",
               *name, c.programs, c.machines, c.instructions, c.laws);
    }
    campaign c = {0};
    for (unsigned long n = first; n < first + count; n++) {
        p5_model *model = random_model(n);
        if (!core_laws(model, "of the random model", n + 1, &c)) {
            random_model_print(stdout, model);
            return 1;
        }
        p5_model_close(model);
    }
    printf("%lu programs on random models\n", c.programs);
    return 0;
}
