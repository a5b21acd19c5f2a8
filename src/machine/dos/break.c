/* Ctrl-C. DOS calls INT 23h on the stack of the program, below the frame of the INT 21h that has read Ctrl-C. The handler
 * decides what follows: IRET, or RETF with carry clear, repeats the call with the registers that the handler leaves; RETF
 * with carry set ends the program, as DOS's own handler does. A handler may also never return. */
#include "machine/dos/dos_internal.h"

enum { VECTOR_DOS = 0x21, VECTOR_BREAK = 0x23, TYPE_BREAK = 1 };

/* Moves SP to `sp` and writes the frame that the running stub's IRET pops there. */
static void enter(dos *d, uint16_t sp, uint32_t pointer, uint16_t flags)
{
    dos_put_frame(d, bios_segment(&d->bios, ENGINE_SS), sp, pointer, flags);
    bios_set_word(&d->bios, ENGINE_ESP, sp);
}

/* Ends the program because of Ctrl-C: the handler of INT 23h that programs find. */
void dos_break_end(dos *d)
{
    dos_terminate(d, TYPE_BREAK, 0);
}

/* Calls INT 23h when the stub of INT 21h returns, with the registers of that call. Saves the caller's stack in the prefix,
 * where MS-DOS does, to know how the handler returns. */
void dos_break_begin(dos *d)
{
    uint16_t sp = bios_word(&d->bios, ENGINE_ESP);
    uint16_t flags = dos_load(d, bios_segment(&d->bios, ENGINE_SS) + (uint16_t)(sp + 4));
    enum { CLEARED = FLAG_CARRY | EFLAGS_IF | EFLAGS_TF };
    dos_save_stack(d);
    enter(d, (uint16_t)(sp - DOS_FRAME_BYTES), bios_stub_address(DOS_BREAK_SLOT), flags);
    enter(d, (uint16_t)(sp - 2 * DOS_FRAME_BYTES), bios_load(&d->bios, VECTOR_BREAK * 4, 4),
          flags & (uint16_t) ~(unsigned)CLEARED);
}

/* The handler of INT 23h has returned. After RETF, the flags that INT pushed are still on the stack. */
void dos_break_returned(dos *d)
{
    uint16_t sp = dos_load(d, dos_linear(d->psp, PSP_STACK));
    bool by_iret = bios_word(&d->bios, ENGINE_ESP) == sp;
    if (!by_iret && (engine_get(d->engine, ENGINE_EFLAGS) & FLAG_CARRY) != 0) {
        bios_set_word(&d->bios, ENGINE_ESP, sp);
        dos_break_end(d);
    } else {
        enter(d, (uint16_t)(sp - DOS_FRAME_BYTES), bios_stub_address(VECTOR_DOS), EFLAGS_FIXED);
    }
}
