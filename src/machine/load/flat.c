/* Flat images: the file is copied to an address and entered at its first byte. */
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/load/bare.h"
#include "machine/run/open.h"

p5_status p5_machine_load_flat(p5_machine *machine, const char *path, uint32_t address, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    p5_status status = file_read(path, BARE_LARGEST_FILE, false, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    if (size == 0)
        status = error_set(error, P5_ERR_FORMAT, "the file is empty");
    if (status == P5_OK)
        status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status == P5_OK)
        status = bare_place(machine, address, bytes, size, size, error);
    if (status == P5_OK)
        bare_start(machine, address);
    else
        error_at(error, path, 0, 0);
    free(bytes);
    return status;
}
