/* --keys: what is typed on the guest's keyboard, in place of standard input. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that a terminal would send. */
typedef struct typed_keys {
    size_t size;
    size_t at; /* how many of them the guest has taken */
    uint8_t bytes[];
} typed_keys;

/* Reads a text in which <name> stands for a key: <enter>, <f1>, <down>, <ctrl-c>, <alt-x>, <shift-tab>, and <lt> for
 * the character <. Returns NULL after a message with a caret. The caller frees the result. */
typed_keys *keys_parse(const char *text);

#endif
