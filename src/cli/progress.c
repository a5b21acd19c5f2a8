/* The progress line on standard error. */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/host_clock.h"
#include "p5tool/machine.h"

/* The state of the line. It is global because a process has one standard error, and all code that prints there has
 * to erase the line first. */
static struct {
    double start;    /* host_clock when the run began */
    uint64_t before; /* instructions before the run: of a snapshot, or fast-forwarded */
    bool shown;      /* the line is on the terminal now */
    bool disabled;   /* the guest has printed on a terminal, so the line is not shown again */
} line;

void progress_erase(void)
{
    if (!line.shown)
        return;
    fputs("\r\033[K", stderr);
    line.shown = false;
}

/* Shows or updates the line, but not in the first second. The machine calls it twice per second of host time. */
static void show(void *context, const p5_machine *machine)
{
    (void)context;
    double seconds = host_clock() - line.start;
    if (seconds < 1 || line.disabled)
        return;
    double instructions = (double)p5_machine_instructions(machine);
    double run = instructions - (double)line.before;
    double clocks = (double)p5_machine_clock(machine);
    char text[160];
    int length =
        snprintf(text, sizeof text, "%.0f s: %.0f million instructions, CPI %.2f, %.0f MIPS", seconds,
                 instructions / 1e6, instructions > 0 ? clocks / instructions : 0, run / seconds / 1e6);
    progress_erase();
    if (length < 0 || (unsigned)length >= cli_columns(stderr))
        return; /* the terminal would wrap the line, and only its last part could be erased */
    fputs(text, stderr);
    line.shown = true;
}

/* Called before the guest prints on `descriptor`: ends the line if that is a terminal. */
static void guest_prints(void *context, int descriptor)
{
    (void)context;
    if (line.disabled || !isatty(descriptor))
        return;
    progress_erase();
    line.disabled = true;
}

void progress_begin(p5_machine *machine)
{
    const char *terminal = getenv("TERM");
    line.start = host_clock();
    line.before = p5_machine_instructions(machine);
    line.shown = line.disabled = false;
    if (!isatty(STDERR_FILENO) || terminal == NULL || strcmp(terminal, "dumb") == 0)
        return;
    p5_machine_on_progress(machine, show, NULL, 0.5);
    p5_machine_on_output(machine, guest_prints, NULL);
}

void progress_end(p5_machine *machine)
{
    progress_erase();
    p5_machine_on_progress(machine, NULL, NULL, 0);
    p5_machine_on_output(machine, NULL, NULL);
}
