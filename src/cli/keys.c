/* Converts the text of --keys to the bytes that a terminal (xterm) sends for these keys. */
#include "cli/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Sizes of buffers for a key's bytes and for its name; and modifiers, which xterm sends as 1 plus the sum of these
 * bits. */
enum { KEY_BYTES = 32, NAME_BYTES = 24, SHIFT = 1, ALT = 2, CONTROL = 4 };

/* Keys that terminals send as ESC [ NUMBER ~, or, without a number, as ESC [ LETTER, or ESC O LETTER for P to S. */
static const struct {
    const char *name;
    unsigned number;
    char letter;
} keys[] = {{"up", 0, 'A'},     {"down", 0, 'B'},     {"right", 0, 'C'},  {"left", 0, 'D'},
            {"home", 0, 'H'},   {"end", 0, 'F'},      {"insert", 2, '~'}, {"delete", 3, '~'},
            {"pageup", 5, '~'}, {"pagedown", 6, '~'}, {"f1", 0, 'P'},     {"f2", 0, 'Q'},
            {"f3", 0, 'R'},     {"f4", 0, 'S'},       {"f5", 15, '~'},    {"f6", 17, '~'},
            {"f7", 18, '~'},    {"f8", 19, '~'},      {"f9", 20, '~'},    {"f10", 21, '~'},
            {"f11", 23, '~'},   {"f12", 24, '~'}};
static const struct {
    const char *name;
    const char *bytes;
} characters[] = {/* ESC twice: a single one begins the sequence of another key */
                  {"enter", "\r"}, {"tab", "\t"},       {"esc", "\033\033"},
                  {"space", " "},  {"backspace", "\b"}, {"lt", "<"}};

/* Returns the modifiers at the beginning of *name and advances *name to the key after them. */
static unsigned modifiers_of(const char **name)
{
    static const struct {
        const char *prefix;
        unsigned modifier;
    } prefixes[] = {{"shift-", SHIFT}, {"alt-", ALT}, {"ctrl-", CONTROL}};
    unsigned held = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0];) {
        size_t length = strlen(prefixes[i].prefix);
        if (strncmp(*name, prefixes[i].prefix, length) == 0 && (*name)[length] != '\0') {
            held |= prefixes[i].modifier;
            *name += length;
            i = 0; /* they are accepted in any order */
        } else {
            i++;
        }
    }
    return held;
}

/* Stores the bytes that xterm sends for a named key. Returns their number, or 0 if there is no such key. */
static int key_bytes(const char *name, char bytes[KEY_BYTES])
{
    unsigned held = modifiers_of(&name);
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++) {
        if (strcmp(characters[i].name, name) != 0)
            continue;
        if (held == SHIFT && strcmp(name, "tab") == 0)
            return sprintf(bytes, "\033[Z");
        return held == 0 ? sprintf(bytes, "%s", characters[i].bytes) : 0;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].name, name) != 0)
            continue;
        unsigned number = keys[i].number != 0 ? keys[i].number : 1;
        if (held != 0)
            return sprintf(bytes, "\033[%u;%u%c", number, held + 1, keys[i].letter);
        if (keys[i].number != 0)
            return sprintf(bytes, "\033[%u~", number);
        return sprintf(bytes, keys[i].letter >= 'P' ? "\033O%c" : "\033[%c", keys[i].letter);
    }
    if (name[0] == '\0' || name[1] != '\0')
        return 0;
    if (held == CONTROL && isalpha((unsigned char)name[0]))
        return sprintf(bytes, "%c", name[0] & 0x1f);
    return held == ALT && isalnum((unsigned char)name[0]) ? sprintf(bytes, "\033%c", name[0]) : 0;
}

typed_keys *keys_parse(const char *text)
{
    typed_keys *typed = malloc(sizeof *typed + strlen(text) * KEY_BYTES);
    if (typed == NULL) {
        cli_complain("--keys", NULL, 0, "no memory");
        return NULL;
    }
    typed->size = typed->at = 0;
    for (const char *at = text; *at != '\0';) {
        const char *end = strchr(at, '>');
        char name[NAME_BYTES], bytes[KEY_BYTES];
        if (*at != '<') {
            typed->bytes[typed->size++] = (uint8_t)*at++;
            continue;
        }
        size_t length = end != NULL ? (size_t)(end - at) - 1 : 0;
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        int size = length > 0 && length < sizeof name ? key_bytes(name, bytes) : 0;
        if (size == 0) {
            cli_complain(
                "--keys", text, (unsigned)(at - text) + 1,
                "no such key; write <enter>, <f1>, <down>, <ctrl-c>, <alt-x>, <shift-tab>, or <lt> for <");
            free(typed);
            return NULL;
        }
        memcpy(typed->bytes + typed->size, bytes, (size_t)size);
        typed->size += (size_t)size;
        at = end + 1;
    }
    return typed;
}
