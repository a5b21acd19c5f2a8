/* Runs a guest of any kind and prints its clocks: cc run_guest.c $(pkg-config --cflags --libs p5scope) */
#include <p5scope/machine.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const p5_machine_options options = {.size = sizeof options};
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    if (argc != 2 || p5_machine_open(&options, &machine, NULL) != P5_OK ||
        p5_machine_load(machine, argv[1], NULL, NULL) != P5_OK ||
        p5_machine_run(machine, NULL, &result, NULL) != P5_OK)
        return 1;
    printf("%llu clocks\n", (unsigned long long)p5_machine_clock(machine));
    p5_machine_close(machine);
}
