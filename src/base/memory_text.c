/* A stream that collects a text in memory. */
#include "base/memory_text.h"

#include <stdlib.h>

bool memory_text_open(memory_text *memory)
{
    *memory = (memory_text){0};
    memory->out = open_memstream(&memory->text, &memory->size);
    return memory->out != NULL;
}

char *memory_text_end(memory_text *memory)
{
    if (memory->out != NULL && fclose(memory->out) != 0) {
        free(memory->text);
        memory->text = NULL;
    }
    memory->out = NULL;
    return memory->text;
}
