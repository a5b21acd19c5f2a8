/* Runs pieces of code (snippets) one after another, each with its own registers, flags, x87 state and memory, and records
 * the results. The Linux programs of this folder include it; they run natively and as guests. */
#ifndef SNIPPET_RUN_H
#define SNIPPET_RUN_H

#include "../../testprogs/checks/guest.h"
#include "record.h"

enum {
    CODE = 0x3b000000, /* the snippets; no address of data leads there when one of its bits is changed */
    SLOT = RECORD_CODE + 32, /* bytes for a snippet and what leads to snippet_exit */
    SLOTS = 2048,
    EAX = 0,
    ECX,
    EDX,
    EBX,
    ESP,
    EBP,
    ESI,
    EDI
};

/* Numbers for registers and memory that are special cases of some instruction. */
static const u32 values[] = {
    0,          1,          2,          0xffffffff, 0x80000000, 0x7fffffff, 0x80,       0x7f,
    0xff,       0x8000,     0x7fff,     0xffff,     0x12345678, 0x9999,     0x99,       31,
    32,         33,         15,         16,         8,          9,          0x80000011, 0xaaaaaaaa,
    0x7f800000, 0x7fa00000, 0xffc00000, 0x3f800000, 0x00000400, 0xfff00000, 0x7ff80000, 0x00010000};

/* Inputs of snippet_run. If `load_x87` is not 0, FRSTOR loads the x87 state at `load_image`. */
u32 load_registers[8], load_flags, load_x87, *load_image, load_code;
/* Results that snippet_exit leaves; `found_image` as FNSAVE writes it. */
u32 found_registers[8], found_flags, found_image[27];
u32 run_esp, run_ebp, run_ebx, run_esi, run_edi; /* registers of the caller of snippet_run */
/* Loads the state and jumps to the code at `load_code`, which begins with POPF: the flags are on its stack. Returns when
 * the code has jumped to snippet_exit or raised a signal. */
void snippet_run(void);
void snippet_exit(void);    /* where the code jumps at its end */
void snippet_back(void);    /* returns from snippet_run */
void snippet_handler(void); /* of signals */
__asm__(".text\n"
        ".globl snippet_run, snippet_exit, snippet_back, snippet_handler\n"
        "snippet_run:\n"
        "  movl %ebx, run_ebx\n  movl %esi, run_esi\n  movl %edi, run_edi\n  movl %ebp, run_ebp\n  movl "
        "%esp, run_esp\n"
        "  cmpl $0, load_x87\n  je 1f\n  movl load_image, %eax\n  frstor (%eax)\n"
        "1: movl load_registers+16, %esp\n  subl $4, %esp\n  movl load_flags, %eax\n  movl %eax, (%esp)\n"
        "  movl load_registers, %eax\n  movl load_registers+4, %ecx\n  movl load_registers+8, %edx\n"
        "  movl load_registers+12, %ebx\n  movl load_registers+20, %ebp\n  movl load_registers+24, %esi\n"
        "  movl load_registers+28, %edi\n  jmp *load_code\n"
        "snippet_exit:\n"
        "  movl %eax, found_registers\n  movl %ecx, found_registers+4\n  movl %edx, found_registers+8\n"
        "  movl %ebx, found_registers+12\n  movl %esp, found_registers+16\n  movl %ebp, found_registers+20\n"
        "  movl %esi, found_registers+24\n  movl %edi, found_registers+28\n  movl run_esp, %esp\n"
        "  pushfl\n  popl found_flags\n  pushl $0x202\n  popfl\n"
        "  cmpl $0, load_x87\n  je snippet_back\n  fnsave found_image\n"
        "snippet_back:\n"
        "  movl run_esp, %esp\n  movl run_ebp, %ebp\n  movl run_ebx, %ebx\n  movl run_esi, %esi\n  movl "
        "run_edi, %edi\n  ret\n"
        "snippet_handler:\n" /* Linux leaves AC as it was; snippet_signal has the arguments of this handler */
        "  pushl $0x202\n  popfl\n  jmp snippet_signal\n");

static record *current;

/* The sigcontext of an i386 signal frame. */
typedef struct signal_context {
    u32 gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trap, error, eip, cs, eflags, esp_at_signal,
        ss;
    u32 *x87;
    u32 mask, cr2;
} signal_context;

void snippet_signal(int signal, const int *info, const u8 *context);
/* Records the state in which the snippet raised a signal, from the handler's arguments: siginfo_t and ucontext_t. Does not
 * return to the snippet, but from snippet_run. */
void snippet_signal(int signal, const int *info, const u8 *context)
{
    const signal_context *c = (const signal_context *)(context + 20); /* ucontext_t.uc_mcontext */
    record *r = current;
    r->signal = (u32)signal;
    r->signal_code = (u32)info[2]; /* si_code */
    r->trap = c->trap;
    r->error = c->trap >= 10 && c->trap <= 14 ? c->error : 0; /* other vectors have none, or 0 */
    r->cr2 = c->trap == 14 ? c->cr2 : 0;
    r->eip = c->eip;
    r->flags = c->eflags;
    const u32 registers[8] = {c->eax, c->ecx, c->edx, c->ebx, c->esp_at_signal, c->ebp, c->esi, c->edi};
    for (u32 i = 0; i < 8; i++)
        r->registers[i] = registers[i];
    if (r->uses_x87 && c->x87)
        for (u32 i = 0; i < 27; i++)
            r->x87[i] = c->x87[i];
    __asm__ volatile("jmp snippet_back");
    __builtin_unreachable();
}

static u32 pattern[128 + RECORD_MEMORY];

/* Copies `bytes` bytes, a multiple of 4. */
static void copy(void *to, const void *from, u32 bytes)
{
    bytes /= 4;
    __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* Fills the memory windows for snippet number `index`. */
static void fill(u32 index)
{
    const u32 *from = pattern + index * 7 % 128;
    for (u32 i = 0; i < RECORD_WINDOWS; from += windows[i].size / 4, i++)
        copy((void *)windows[i].at, from, windows[i].size);
}

/* Runs the record's snippet in the state that the record has, after fill(), and records the results. */
static void run_filled(record *r)
{
    for (u32 i = 0; i < 8; i++)
        load_registers[i] = r->before[i];
    load_flags = r->flags_before;
    load_x87 = r->uses_x87;
    load_image = r->x87_before;
    load_code = r->code_at;
    current = r;
    r->signal = r->signal_code = r->trap = r->error = r->cr2 = 0;
    snippet_run();
    if (r->signal == 0) {
        for (u32 i = 0; i < 8; i++)
            r->registers[i] = found_registers[i];
        r->flags = found_flags;
        r->eip = r->code_at + r->size;
        if (r->uses_x87)
            for (u32 i = 0; i < 27; i++)
                r->x87[i] = found_image[i];
    }
}

/* Maps zeroed pages. `rights` are PROT_*. */
static u32 map(u32 at, u32 pages, u32 rights)
{
    return (u32)guest_syscall(SYS_mmap2, at, pages * PAGE, rights, 0x32 /* private, fixed, anonymous */, -1,
                              0);
}

/* Does run_apart's work on the new stack. */
static void __attribute__((noinline)) run_alone(void (*program)(void))
{
    enum { TOP = 0xb0000000, TASK = 0xc0000000, END = 0xffffe000 };
    guest_syscall(SYS_munmap, TOP, TASK - TOP);
    guest_syscall(SYS_munmap, TASK, END - TASK); /* fails where programs end at TASK, as in a guest */
    program();
}

/* Runs `program`, which does not return, on a stack far from the snippets' addresses, and unmaps the stack and vDSO that
 * the system has made. Snippets that access these addresses then do the same natively as in a guest. */
static void run_apart(void (*program)(void))
{
    enum { PLACE = 0x57350000, BYTES = 0x10000 };
    map(PLACE, BYTES / PAGE, 3);
    __asm__ volatile("movl %0, %%esp\n\tpushl %2\n\tcall *%1"
                     :
                     : "i"(PLACE + BYTES - 64), "r"(run_alone), "r"(program)
                     : "memory");
    __builtin_unreachable();
}

/* Sets the signal handlers and maps the memory of snippets. */
static void run_prepare(void)
{
    enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11 };
    static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};
    static u32 stack[4096];
    const u32 place[3] = {(u32)stack, 0, sizeof stack};
    guest_syscall(SYS_sigaltstack, place, 0);
    for (u32 i = 0; i < 5; i++) {
        enum { SA_SIGINFO = 4, SA_ONSTACK = 0x08000000, SA_NODEFER = 0x40000000 };
        u32 action[5] = {(u32)snippet_handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER, 0, 0, 0};
        guest_syscall(SYS_rt_sigaction, signals[i], action, 0, 8);
    }
    for (u32 i = 0; i < sizeof pattern / sizeof pattern[0]; i++)
        pattern[i] = i % 3 == 0 ? values[i / 3 % 32] : i % 3 == 1 ? i * 0x01010101u : 0x3ff00000u + (i << 12);
    map(CODE, SLOTS * SLOT / PAGE, 7);
    map(DATA, 2, 3);
    map(LAST, 1, 3);
    map(LOW, 2, 3);
    map(STACK, 1, 3);
    u32 *constant = (u32 *)CONSTANT;
    for (u32 i = 0; i < PAGE / 4; i++)
        constant[i] = pattern[i % 256];
    guest_syscall(SYS_mprotect, CONSTANT, PAGE, 1);
}

#endif
