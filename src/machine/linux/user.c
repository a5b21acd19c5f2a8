/* Guest pointers: reads and writes the memory of the guest program for system calls. Checks for each page that the user
 * has the right to access it. */
#include <errno.h>
#include <string.h>

#include "machine/linux/linux_internal.h"

uint8_t *linux_user_chunk(linux_process *p, uint32_t address, size_t *size, bool write)
{
    uint32_t needed = PTE_PRESENT | PTE_USER | (write ? PTE_WRITE : 0u);
    uint32_t directory_entry, entry;
    if (address >= LINUX_TASK_SIZE)
        return NULL;
    memcpy(&directory_entry, engine_ram(p->engine, p->memory.directory + (address >> 22) * 4, 4), 4);
    if ((directory_entry & PTE_PRESENT) == 0)
        return NULL;
    const uint8_t *table =
        engine_ram(p->engine, (directory_entry & 0xfffff000u) + (address >> 12 & 0x3ff) * 4, 4);
    if (table == NULL)
        return NULL;
    memcpy(&entry, table, sizeof entry);
    if ((entry & needed) != needed)
        return NULL;
    uint32_t offset = address % PAGE_BYTES;
    if (*size > PAGE_BYTES - offset)
        *size = PAGE_BYTES - offset;
    return engine_ram(p->engine, (entry & 0xfffff000u) + offset, (uint32_t)*size);
}

bool linux_read_user(linux_process *p, uint32_t address, void *data, size_t size)
{
    uint8_t *to = data;
    while (size != 0) {
        size_t chunk = size;
        const uint8_t *from = linux_user_chunk(p, address, &chunk, false);
        if (from == NULL)
            return false;
        memcpy(to, from, chunk);
        to += chunk;
        address += (uint32_t)chunk;
        size -= chunk;
    }
    return true;
}

/* Copies bytes to the guest, and makes the engine decode code in them again. Returns false at a page that the user may
 * not write; the bytes before it have been copied. */
bool linux_write_user(linux_process *p, uint32_t address, const void *data, size_t size)
{
    const uint8_t *from = data;
    while (size != 0) {
        size_t chunk = size;
        uint8_t *to = linux_user_chunk(p, address, &chunk, true);
        if (to == NULL)
            return false;
        memcpy(to, from, chunk);
        linux_user_written(p, address, chunk);
        from += chunk;
        address += (uint32_t)chunk;
        size -= chunk;
    }
    return true;
}

int32_t linux_read_string(linux_process *p, uint32_t address, char *text, size_t capacity)
{
    size_t length = 0;
    while (length < capacity) {
        size_t chunk = capacity - length;
        const uint8_t *from = linux_user_chunk(p, address + (uint32_t)length, &chunk, false);
        if (from == NULL)
            return -EFAULT;
        const uint8_t *end = memchr(from, 0, chunk);
        size_t part = end != NULL ? (size_t)(end - from) + 1 : chunk;
        memcpy(text + length, from, part);
        length += part;
        if (end != NULL)
            return (int32_t)length - 1;
    }
    return -ENAMETOOLONG;
}

void linux_user_vector(linux_process *p, uint32_t address, uint32_t size, bool write, linux_vector *vector)
{
    const int capacity = sizeof vector->pieces / sizeof vector->pieces[0];
    struct iovec *pieces = vector->pieces;
    int used = 0;
    while (size != 0 && used < capacity) {
        size_t chunk = size;
        uint8_t *at = linux_user_chunk(p, address, &chunk, write);
        if (at == NULL)
            break;
        bool follows = used != 0 && (uint8_t *)pieces[used - 1].iov_base + pieces[used - 1].iov_len == at;
        if (follows)
            pieces[used - 1].iov_len += chunk;
        else
            pieces[used++] = (struct iovec){at, chunk};
        address += (uint32_t)chunk;
        size -= (uint32_t)chunk;
    }
    vector->count = used;
}

void linux_user_written(linux_process *p, uint32_t address, size_t size)
{
    while (size != 0) {
        size_t chunk = size;
        uint32_t physical;
        if (linux_user_chunk(p, address, &chunk, true) == NULL ||
            !engine_translate(p->engine, address, &physical))
            return;
        engine_flush_code(p->engine, physical, (uint32_t)chunk);
        address += (uint32_t)chunk;
        size -= chunk;
    }
}
