/* What the tests of loaders share: a machine and the guest's memory. */
#ifndef UNIT_LOAD_H
#define UNIT_LOAD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opened.h"
#include "engine/engine.h"
#include "machine/state.h"

static inline p5_machine *load_machine(p5_machine_options options)
{
    p5_machine *machine;
    p5_error error;
    options.size = sizeof options;
    assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
    return machine;
}

static inline void put32(uint8_t *bytes, size_t at, uint32_t value)
{
    memcpy(bytes + at, &value, 4);
}

static inline uint32_t memory32(const p5_machine *machine, uint32_t physical)
{
    uint32_t value;
    memcpy(&value, engine_ram(machine->engine, physical, 4), 4);
    return value;
}

static inline unsigned memory8(const p5_machine *machine, uint32_t physical)
{
    return *engine_ram(machine->engine, physical, 1);
}

#endif
