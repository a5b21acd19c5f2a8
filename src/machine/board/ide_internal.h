/* What the files of the IDE channel share. */
#ifndef MACHINE_BOARD_IDE_INTERNAL_H
#define MACHINE_BOARD_IDE_INTERNAL_H

#include "machine/board/devices.h"

enum {
    IDE_CONTROL_NO_INTERRUPT = 0x02,
    IDE_RESET = 0 /* in place of a command after a reset; as a command it is NOP, which is aborted */
};

/* Returns the number of the selected drive: 0 or 1. */
unsigned ide_selected(const ide *d);
/* Return the disk of a drive, or of the selected one, or NULL. */
disk_image *ide_disk(devices *b, unsigned unit);
disk_image *ide_selected_disk(devices *b);
/* Sets the interrupt line. */
void ide_drive_line(devices *b);
/* Makes the channel busy for a time; then ide_continue is due. */
void ide_busy(devices *b, unsigned microseconds);
/* Sets the registers as after a reset: the signature of an ATA device. */
void ide_signature(ide *d);
/* Returns true if the command transfers more sectors after the host has read the buffer. */
bool ide_has_more(const ide *d);
/* Begins the command `code`. Ignores it while the channel is busy, or if the selected drive has no disk. */
void ide_execute(devices *b, uint8_t code);
/* Does what a command does when its time, or the time of a block of it, is over. */
void ide_continue(devices *b, disk_image *disk);

#endif
