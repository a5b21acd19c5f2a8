/* Reads words, numbers and texts from the lines of a profile's file, p5scope-profile(5). Words are separated
 * by blanks. */
#ifndef REPORT_PROFILE_LINE_READER_H
#define REPORT_PROFILE_LINE_READER_H

#include "report/profile/profile_internal.h"

typedef struct reader {
    p5_profile *p;
    char *rest; /* unread part of the line */
    /* For each number of a quantity in the file, the quantity of this version, or PROFILE_NO_INDEX. The numbers differ
     * if another version wrote the file, and it may have more quantities than this version. */
    int quantity[P5_PROFILE_QUANTITIES * 4];
    bool damaged; /* an error in the current line */
    bool out_of_memory;
    bool ended; /* the line "end" was read */
} reader;

/* The functions read from `rest` on, and move `rest` past what they have read. After an error they set
 * `damaged`. */

/* Returns the next word, "" at the end of the line. */
char *reader_word(reader *r);
/* Returns true if the line has another word. */
bool reader_has_more(const reader *r);
/* Converts the whole of `text` to a number of at most `largest`. Returns 0 after an error. */
uint64_t reader_convert(reader *r, const char *text, int base, uint64_t largest);
/* Reads a decimal number of at most `largest`. */
uint64_t reader_number(reader *r, uint64_t largest);
/* Reads a hexadecimal address, with its address space above bit 31. */
uint64_t reader_address(reader *r);
/* Returns a copy of a text in the profile's arena. NULL when memory is out; `out_of_memory` is then set. */
char *reader_keep(reader *r, const char *text);
/* Reads TEXT, or "= TEXT" if `equals`, to the end of the line. */
char *reader_text(reader *r, bool equals);
/* Reads a text that is only shown, and makes it printable. */
char *reader_shown_text(reader *r);

#endif
