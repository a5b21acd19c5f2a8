/* Access to the parts of a machine: its code, core, performance monitor and screen (p5scope/machine.h,
 * p5scope/observe.h, p5tool/machine.h, machine.h). */
#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"
#include "machine/machine.h"
#include "machine/board/devices.h"
#include "machine/linux/guest.h"
#include "machine/load/guest.h"
#include "machine/state.h"

/* Reads code at a linear address, and the D bit of CS. If a later page is missing, only the bytes up to the end of the
 * first page are read: callers read an instruction, which has at most two pages. */
size_t p5_machine_read_code(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                            bool *code32)
{
    if (machine->engine == NULL)
        return 0;
    engine_segment code;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    if (code32 != NULL)
        *code32 = (code.flags >> 22 & 1) != 0;
    if (engine_read_linear(machine->engine, address, bytes, size))
        return size;
    size_t first_page = PAGE_BYTES - address % PAGE_BYTES;
    return first_page < size && engine_read_linear(machine->engine, address, bytes, first_page) ? first_page
                                                                                                : 0;
}

p5_core *machine_core(const p5_machine *machine)
{
    return machine->core;
}

uint32_t machine_page_directory(const p5_machine *machine)
{
    return machine->guest == &linux_guest ? 0 : engine_get(machine->engine, ENGINE_CR3);
}

uint32_t machine_program_base(const p5_machine *machine)
{
    const guest_kind *kind = machine->guest;
    return kind != NULL && kind->program_base != NULL ? kind->program_base(machine) : 0;
}

bool machine_next_own_code(const p5_machine *machine, uint32_t linear, machine_own_code *own)
{
    const guest_kind *kind = machine->guest;
    return kind != NULL && kind->next_own_code != NULL && kind->next_own_code(linear, own);
}

/* Sets `lent`, because the caller may install callbacks, which may use the host's x87 (retire.c). */
p5_core *p5_machine_core(p5_machine *machine)
{
    machine->lent = true;
    return machine->core;
}

p5_pmu *p5_machine_pmu(p5_machine *machine)
{
    machine->lent = true; /* as in p5_machine_core */
    return machine->pmu;
}

const p5_model *p5_machine_model(const p5_machine *machine)
{
    return machine->model;
}

uint64_t p5_machine_permissive_count(const p5_machine *machine)
{
    return machine->engine != NULL ? engine_permissive_count(machine->engine) : 0;
}

void p5_machine_nmi(p5_machine *machine)
{
    devices_nmi(machine->devices);
}

void p5_machine_on_output(p5_machine *machine, void (*output)(void *context, int descriptor), void *context)
{
    machine->output = output;
    machine->output_context = context;
}

/* Returns true if the guest runs on the board, which has a screen. Linux programs and cases do not. */
static bool has_screen(const p5_machine *machine)
{
    const guest_kind *kind = machine->guest;
    return kind != NULL && machine->engine != NULL && kind != &linux_guest && kind != &case_guest;
}

p5_status p5_machine_picture(const p5_machine *machine, p5_picture *picture, p5_error *error)
{
    p5_picture own = {.size = sizeof own};
    p5_status status = SIZED_CHECK(p5_picture, picture, error);
    if (status != P5_OK)
        return status;
    status = has_screen(machine) ? video_picture(machine->devices, &own, error)
                                 : error_set(error, P5_ERR_STATE, "this guest has no screen");
    SIZED_COPY_OUT(picture, &own);
    return status;
}

void p5_picture_free(p5_picture *picture)
{
    free(picture->rgb);
    const p5_picture none = {.size = sizeof none};
    SIZED_COPY_OUT(picture, &none);
}

bool p5_machine_screen(const p5_machine *machine, p5_screen *to)
{
    enum { TEXT = 0xb8000, TEXT_BYTES = 0x8000, CELL = 2 };
    p5_screen screen = {.size = sizeof screen};
    if (!has_screen(machine))
        return false;
    const uint8_t *crtc = video_vga_of(machine->devices).crtc; /* the CRT controller's registers */
    const uint8_t *text = engine_ram(machine->engine, TEXT, TEXT_BYTES);
    if (text == NULL)
        return false;
    /* The positions of the first cell and of the cursor, in cells; the high byte's register comes first. */
    unsigned start = (unsigned)crtc[VIDEO_START] << 8 | crtc[VIDEO_START + 1];
    unsigned cursor = (unsigned)crtc[VIDEO_CURSOR] << 8 | crtc[VIDEO_CURSOR + 1];
    for (unsigned i = 0; i < P5_SCREEN_ROWS * P5_SCREEN_COLUMNS; i++) {
        const uint8_t *cell = text + (start + i) * CELL % TEXT_BYTES;
        screen.cells[i / P5_SCREEN_COLUMNS][i % P5_SCREEN_COLUMNS].character = cell[0];
        screen.cells[i / P5_SCREEN_COLUMNS][i % P5_SCREEN_COLUMNS].attribute = cell[1];
    }
    screen.row = (cursor - start) / P5_SCREEN_COLUMNS;
    screen.column = (cursor - start) % P5_SCREEN_COLUMNS;
    SIZED_COPY_OUT(to, &screen);
    return true;
}
