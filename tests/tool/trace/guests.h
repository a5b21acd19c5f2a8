/* Guests of the tests of this folder: bundled programs, on a machine of their own each. */
#ifndef TESTS_TRACE_GUESTS_H
#define TESTS_TRACE_GUESTS_H

#include <stdio.h>
#include <string.h>

#include "../../unit/machine/opened.h"
#include "p5scope/observe.h"
#include "p5tool/machine.h"

static const char guests[] = P5_TESTPROGS_DIR; /* the folder that they are in */

static p5_machine *open_machine(const char *model)
{
    p5_machine_options options = {.size = sizeof options, .model = model};
    p5_machine *machine;
    p5_error error = {0};
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        fail_msg("%s", error.message);
    return machine;
}

/* A Linux program with one argument or none, or, if its name says .elf, a bare-metal one. */
static p5_machine *open_guest(const char *name, const char *argument, const char *model)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", guests, name);
    const char *arguments[] = {name, argument, NULL}, *environment[] = {NULL};
    p5_machine *machine = open_machine(model);
    p5_error error = {0};
    bool bare = strstr(name, ".elf") != NULL;
    p5_status status = bare ? p5_machine_load_elf(machine, path, &error)
                            : p5_machine_load_linux(machine, path, arguments, environment, &error);
    if (status != P5_OK)
        fail_msg("%s: %s", path, error.message);
    return machine;
}

#endif
