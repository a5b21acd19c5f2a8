#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>

/* A signal handler gets no context, so these two are file-wide; nothing else in the command line is. */
static p5_machine *volatile stopped_machine;
static volatile sig_atomic_t came;

static void on_signal(int number)
{
    p5_machine *machine = stopped_machine;
    came = number;
    if (machine != NULL)
        p5_machine_stop(machine);
}

void interrupt_stops(p5_machine *machine)
{
    stopped_machine = machine;
    came = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags =
        (int)SA_RESETHAND; /* the second one kills; no SA_RESTART: a guest's blocking read is to end */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    stopped_machine = NULL;
    return came;
}
