/* The file control block of the current call, for the files that implement calls of DOS 1. */
#ifndef MACHINE_DOS_FCB_INTERNAL_H
#define MACHINE_DOS_FCB_INTERNAL_H

#include "machine/dos/dos_internal.h"

enum {
    /* offsets in a block, which begins with the drive (0: the current one, 1: A:) */
    FCB_NAME = 0x01,  /* 11 characters */
    FCB_BLOCK = 0x0c, /* current block of 128 records */
    FCB_RECORD_SIZE = 0x0e,
    FCB_SIZE = 0x10, /* of the file */
    FCB_DATE = 0x14,
    FCB_TIME = 0x16,
    FCB_RECORD = 0x20,   /* current record in the block of records */
    FCB_RANDOM = 0x21,   /* number of a record, for random accesses */
    FCB_NEW_NAME = 0x11, /* for a rename */
    FCB_BYTES = 0x25,    /* size of a file control block */

    EXTENDED = 0xff,        /* first byte of an extended block */
    EXTENDED_ATTRIBUTE = 6, /* offset in it */
    EXTENDED_BYTES = 7,     /* what it has before the usual block */

    FCB_RECORDS = 128, /* records of a block, and default bytes of a record */
    FCB_DONE = 0,      /* AL */
    FCB_FAILED = 0xff
};

typedef struct fcb {
    uint32_t at; /* linear address of the drive byte */
    bool extended;
    uint8_t attributes; /* if extended */
    uint8_t bytes[FCB_BYTES];
} fcb;

/* Read or write a field of `size` bytes. */
uint32_t fcb_value(const fcb *f, unsigned at, unsigned size);
void fcb_set(fcb *f, unsigned at, unsigned size, uint32_t value);
/* Reads the block at DS:DX. */
fcb fcb_load(dos *d);
/* Writes the first `size` bytes of the block back. */
void fcb_store(dos *d, const fcb *f, size_t size);
/* Sets AL. Returns DOS_OK. */
dos_error fcb_answer(dos *d, uint8_t al);
/* Opens the block's file with the host's `flags`. Returns a descriptor that the caller closes; -1 if the file cannot be
 * opened or is a device. */
int fcb_host(dos *d, const fcb *f, int flags, share_place *place);
/* Returns the device that the block names, or DOS_CLOSED. */
dos_file_kind fcb_device(const dos *d, const fcb *f);

#endif
