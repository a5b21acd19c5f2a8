/* Signal frames: the layouts that i386 programs see (asm/sigcontext.h, asm/ucontext.h), pushing a frame, and the return
 * from it. */
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "machine/linux/abi.h"
#include "machine/linux/calls.h"
#include "machine/linux/guest.h"
#include "machine/load/segment.h"

/* struct sigcontext_32 */
typedef struct frame_context {
    uint32_t gs, fs, es, ds;
    uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax;
    uint32_t trap, error_code; /* vector of the last fault */
    uint32_t eip, cs, eflags, esp_at_signal, ss;
    uint32_t x87; /* address of frame_x87, 0 = none */
    uint32_t old_mask, cr2;
} frame_context;

/* struct _fpstate_32 without FXSR data */
typedef struct frame_x87 {
    uint8_t image[108]; /* FNSAVE */
    uint16_t status, magic;
} frame_x87;

/* struct sigframe_ia32 */
typedef struct frame_nonrt {
    uint32_t return_address, signal;
    frame_context context;
    uint8_t unused_x87[112];
    uint32_t high_mask;     /* upper half of the mask; the lower half is context.old_mask */
    uint8_t return_code[8]; /* to which return_address leads without SA_RESTORER */
} frame_nonrt;

/* siginfo_t */
typedef struct frame_info {
    int32_t signo, error, code;
    uint32_t value[29];
} frame_info;

/* struct ucontext_ia32 */
typedef struct frame_ucontext {
    uint32_t flags, link;
    uint32_t stack, stack_flags, stack_size;
    frame_context context;
    uint32_t mask[2];
} frame_ucontext;

/* struct rt_sigframe_ia32 */
typedef struct frame_rt {
    uint32_t return_address, signal, info_address, ucontext_address;
    frame_info info;
    frame_ucontext ucontext;
    uint8_t return_code[8];
} frame_rt;

_Static_assert(sizeof(frame_context) == 88, "sigcontext_32");
_Static_assert(sizeof(frame_info) == 128, "siginfo");
_Static_assert(sizeof(frame_x87) == 112, "_fpstate_32");
_Static_assert(offsetof(frame_rt, ucontext) == 144 && sizeof(frame_ucontext) == 116, "rt_sigframe_ia32");

enum { X87_MAGIC = 0xffff /* of frame_x87: no FXSR part follows */ };

bool linux_on_signal_stack(const linux_process *p)
{
    const linux_signals *s = &p->signals;
    return s->stack_size != 0 && p->registers.esp - s->stack - 1 < s->stack_size;
}

uint32_t linux_signal_stack_flags(const linux_process *p)
{
    if (p->signals.stack_size == 0)
        return LINUX_SS_DISABLE;
    return linux_on_signal_stack(p) ? LINUX_SS_ONSTACK : 0;
}

/* Fills in the user's registers. `x87` is the address of the x87 state; `mask` the signals that were blocked before. */
static void context_save(linux_process *p, frame_context *context, uint32_t x87, uint64_t mask)
{
    const linux_registers *r = &p->registers;
    engine_segment ds, es, fs, gs;
    engine_get_segment(p->engine, ENGINE_DS, &ds);
    engine_get_segment(p->engine, ENGINE_ES, &es);
    engine_get_segment(p->engine, ENGINE_FS, &fs);
    engine_get_segment(p->engine, ENGINE_GS, &gs);
    *context = (frame_context){.gs = gs.selector,
                               .fs = fs.selector,
                               .es = es.selector,
                               .ds = ds.selector,
                               .edi = r->edi,
                               .esi = r->esi,
                               .ebp = r->ebp,
                               .esp = r->esp,
                               .ebx = r->ebx,
                               .edx = r->edx,
                               .ecx = r->ecx,
                               .eax = r->eax,
                               .trap = p->signals.trap,
                               .error_code = p->signals.error_code,
                               .eip = r->eip,
                               .cs = r->cs,
                               .eflags = r->eflags,
                               .esp_at_signal = r->esp,
                               .ss = r->ss,
                               .x87 = x87,
                               .old_mask = (uint32_t)mask,
                               .cr2 = p->signals.cr2};
}

/* Writes the x87 state to the user's `address`. Returns false if that is not writable. */
static bool x87_save(linux_process *p, uint32_t address)
{
    frame_x87 x87 = {.magic = X87_MAGIC};
    engine_get_x87(p->engine, x87.image);
    memcpy(&x87.status, &x87.image[4], sizeof x87.status);
    return linux_write_user(p, address, &x87, sizeof x87);
}

/* Returns the address of a frame of `frame` bytes below the x87 state, which lies below `stack`; *x87 is its address. The
 * frame is aligned so that the handler finds its arguments as after a call. */
static uint32_t frame_place(uint32_t stack, size_t frame, uint32_t *x87)
{
    *x87 = (stack - (uint32_t)sizeof(frame_x87)) & ~63u;
    return ((*x87 - (uint32_t)frame + 4) & ~15u) - 4;
}

/* Pushes a signal frame without siginfo below *esp, and sets *esp to it. Returns false if the user's stack cannot be
 * written. */
static bool push_nonrt(linux_process *p, int signal, const linux_action *action, uint64_t mask, uint32_t *esp)
{
    static const uint8_t code[8] = {0x58, 0xb8, 119,  0,
                                    0,    0,    0xcd, 0x80}; /* pop eax; mov eax, __NR_sigreturn; int 80h */
    uint32_t x87;
    *esp = frame_place(*esp, sizeof(frame_nonrt), &x87);
    frame_nonrt frame = {.signal = (uint32_t)signal, .high_mask = (uint32_t)(mask >> 32)};
    frame.return_address = (action->flags & LINUX_SA_RESTORER) != 0
                               ? action->restorer
                               : *esp + (uint32_t)offsetof(frame_nonrt, return_code);
    memcpy(frame.return_code, code, sizeof code);
    context_save(p, &frame.context, x87, mask);
    return linux_write_user(p, *esp, &frame, sizeof frame) && x87_save(p, x87);
}

/* Does the same for a frame with siginfo (SA_SIGINFO). */
static bool push_rt(linux_process *p, int signal, const linux_action *action, const linux_siginfo *info,
                    uint64_t mask, uint32_t *esp)
{
    static const uint8_t code[8] = {0xb8, 173, 0, 0, 0, 0xcd, 0x80}; /* mov eax, __NR_rt_sigreturn; int 80h */
    uint32_t x87;
    *esp = frame_place(*esp, sizeof(frame_rt), &x87);
    frame_rt frame = {.signal = (uint32_t)signal,
                      .info_address = *esp + (uint32_t)offsetof(frame_rt, info),
                      .ucontext_address = *esp + (uint32_t)offsetof(frame_rt, ucontext),
                      .info = {.signo = info->signo, .code = info->code}};
    frame.return_address = (action->flags & LINUX_SA_RESTORER) != 0
                               ? action->restorer
                               : *esp + (uint32_t)offsetof(frame_rt, return_code);
    memcpy(frame.info.value, info->value, sizeof info->value);
    memcpy(frame.return_code, code, sizeof code);
    frame.ucontext.stack = p->signals.stack;
    frame.ucontext.stack_size = p->signals.stack_size;
    frame.ucontext.stack_flags = linux_signal_stack_flags(p);
    frame.ucontext.mask[0] = (uint32_t)mask;
    frame.ucontext.mask[1] = (uint32_t)(mask >> 32);
    context_save(p, &frame.ucontext.context, x87, mask);
    return linux_write_user(p, *esp, &frame, sizeof frame) && x87_save(p, x87);
}

bool linux_frame_push(linux_process *p, int signal, const linux_action *action, const linux_siginfo *info,
                      uint64_t mask)
{
    linux_registers *r = &p->registers;
    uint32_t esp = r->esp;
    bool rt = (action->flags & LINUX_SA_SIGINFO) != 0;
    if ((action->flags & LINUX_SA_ONSTACK) != 0 && p->signals.stack_size != 0 && !linux_on_signal_stack(p))
        esp = p->signals.stack + p->signals.stack_size;
    if (!(rt ? push_rt(p, signal, action, info, mask, &esp) : push_nonrt(p, signal, action, mask, &esp)))
        return false;
    /* At a handler's entry, registers hold the arguments too (regparm), DF, TF and RF are clear, the data segments are
     * flat, and the x87 is initialised. */
    r->eax = (uint32_t)signal;
    r->edx = rt ? esp + (uint32_t)offsetof(frame_rt, info) : 0;
    r->ecx = rt ? esp + (uint32_t)offsetof(frame_rt, ucontext) : 0;
    r->esp = esp;
    r->eip = action->handler;
    r->cs = LINUX_USER_CODE;
    r->ss = LINUX_USER_DATA;
    r->eflags &= ~(uint32_t)(EFLAGS_DF | EFLAGS_TF | EFLAGS_RF);
    engine_segment data = segment_flat(LINUX_USER_DATA, false, 3);
    engine_set_segment(p->engine, ENGINE_DS, &data);
    engine_set_segment(p->engine, ENGINE_ES, &data);
    segment_init_x87(p->engine);
    return true;
}

/* --- Return --- */

/* Loads a data segment register. A selector that a user may not load becomes the null segment. */
static void segment_restore(linux_process *p, engine_segment_name which, uint32_t selector)
{
    engine_segment segment = {0};
    unsigned index = (selector & 0xffff) >> 3;
    if (index != 0 && index < LINUX_GDT_ENTRIES && (selector & 4) == 0) {
        uint64_t both = *linux_gdt_entry(p, index);
        const descriptor_words d = {.low = (uint32_t)both, .high = (uint32_t)(both >> 32)};
        const uint32_t needed = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_DPL3;
        bool code = (d.high & DESCRIPTOR_CODE) != 0, readable = (d.high & DESCRIPTOR_READABLE) != 0;
        if ((d.high & needed) == needed && (!code || readable))
            segment = (engine_segment){.selector = (uint16_t)(selector | 3),
                                       .base = descriptor_base(&d),
                                       .limit = descriptor_limit(&d),
                                       .flags = d.high & 0x00ffff00u};
    }
    engine_set_segment(p->engine, which, &segment);
}

/* Loads the registers of a frame, except for values that would give the user more rights. Returns false if the x87 state
 * cannot be read. */
static bool context_restore(linux_process *p, const frame_context *context)
{
    frame_x87 x87;
    if (context->x87 != 0) {
        if (!linux_read_user(p, context->x87, &x87, sizeof x87))
            return false;
        engine_set_x87(p->engine, x87.image);
    } else {
        segment_init_x87(p->engine);
    }
    linux_registers *r = &p->registers;
    *r = (linux_registers){.eax = context->eax,
                           .ecx = context->ecx,
                           .edx = context->edx,
                           .ebx = context->ebx,
                           .esp = context->esp,
                           .ebp = context->ebp,
                           .esi = context->esi,
                           .edi = context->edi,
                           .eip = context->eip,
                           .cs = LINUX_USER_CODE,
                           .ss = LINUX_USER_DATA,
                           .eflags = (r->eflags & ~(uint32_t)EFLAGS_USER) | (context->eflags & EFLAGS_USER)};
    segment_restore(p, ENGINE_DS, context->ds);
    segment_restore(p, ENGINE_ES, context->es);
    segment_restore(p, ENGINE_FS, context->fs);
    segment_restore(p, ENGINE_GS, context->gs);
    p->keep_registers = true;
    return true;
}

/* Raises SIGSEGV, as Linux does if a frame cannot be read. */
static int32_t frame_bad(linux_process *p)
{
    linux_fault(p, VECTOR_GP, 0);
    return 0;
}

static void mask_restore(linux_process *p, uint32_t low, uint32_t high)
{
    p->signals.blocked = ((uint64_t)high << 32 | low) & ~LINUX_UNBLOCKABLE;
}

/* Returns from a frame without siginfo. The return code has also popped the signal number, so ESP is 8 above the
 * frame. */
int32_t linux_sigreturn(linux_process *p, const uint32_t a[6])
{
    frame_nonrt frame;
    (void)a;
    if (!linux_read_user(p, p->registers.esp - 8, &frame, sizeof frame) ||
        !context_restore(p, &frame.context))
        return frame_bad(p);
    mask_restore(p, frame.context.old_mask, frame.high_mask);
    return 0;
}

/* Returns from a frame with siginfo. The handler's RET has popped the return address, so ESP is 4 above the frame. */
int32_t linux_rt_sigreturn(linux_process *p, const uint32_t a[6])
{
    frame_rt frame;
    (void)a;
    if (!linux_read_user(p, p->registers.esp - 4, &frame, sizeof frame) ||
        !context_restore(p, &frame.ucontext.context))
        return frame_bad(p);
    mask_restore(p, frame.ucontext.mask[0], frame.ucontext.mask[1]);
    p->signals.stack = frame.ucontext.stack;
    p->signals.stack_size =
        (frame.ucontext.stack_flags & LINUX_SS_DISABLE) != 0 ? 0 : frame.ucontext.stack_size;
    return 0;
}
