/* Raises NMI and makes bus cycles fail when testprogs/checks/pins.asm requests it. Usage: guest_pins IMAGE */
#include <stdio.h>
#include <string.h>

#include "p5tool/machine.h"

typedef struct host {
    p5_machine *machine;
    unsigned in_handler;
    char last[256];
    size_t size;
} host;

/* Called from within the OUT that ends a line. */
static void line(void *context, const void *bytes, size_t size)
{
    host *h = context;
    h->size = size < sizeof h->last ? size : sizeof h->last - 1;
    memcpy(h->last, bytes, h->size);
    h->last[h->size] = '\0';
    switch (h->last[0]) {
    case '1':
        p5_machine_bus_check(h->machine, 0x123456e0, P5_MCT_MEMORY | P5_MCT_DATA);
        p5_machine_bus_check(h->machine, 0x1000, P5_MCT_MEMORY); /* one is latched already */
        p5_machine_nmi(h->machine);
        break;
    case 'n':
        if (h->in_handler++ == 0)
            p5_machine_nmi(h->machine);
        break;
    case '2':
        p5_machine_bus_check(h->machine, 0x80, P5_MCT_WRITE | P5_MCT_DATA);
        break;
    default:
        break;
    }
}

static int run(const char *image, const char *model)
{
    host h = {0};
    p5_machine_options options = {
        .size = sizeof options, .model = model, .console = line, .console_context = &h};
    p5_error error = {0};
    p5_limits limits = {.size = sizeof limits, .timeout_seconds = 1200};
    p5_run_result result = {.size = sizeof result};
    if (p5_machine_open(&options, &h.machine, &error) != P5_OK ||
        p5_machine_load_flat(h.machine, image, 0x8000, &error) != P5_OK ||
        p5_machine_run(h.machine, &limits, &result, &error) != P5_OK) {
        fprintf(stderr, "%s: %s\n", image, error.message);
        return 1;
    }
    int wrong = 0;
    if (result.end != P5_END_EXIT || result.status != 1 || strcmp(h.last, "ok\n") != 0 || h.in_handler != 2) {
        fprintf(stderr, "%s: ended %d with status %d, NMI handler entered %u times, last line '%s'\n", model,
                (int)result.end, result.status, h.in_handler, h.last);
        wrong = 1;
    }
    p5_machine_close(h.machine);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: guest_pins IMAGE\n");
        return 2;
    }
    return run(argv[1], "p55c-200") + run(argv[1], "p54c-133");
}
