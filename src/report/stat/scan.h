/* The scanner that event selections, formulas and budgets share: blanks, signs, events and their modifiers, and
 * errors that name the column. */
#ifndef REPORT_STAT_SCAN_H
#define REPORT_STAT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5tool/report.h"

typedef struct scanner {
    const char *text; /* columns of errors count from here */
    const char *at;   /* the next character */
    p5_error *error;  /* may be NULL */
} scanner;

/* Sets the error to a printf-style message with the column of `at`, which is a place in the text. Returns
 * `status`. */
p5_status scan_fail(const scanner *s, const char *at, p5_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Skips blanks and line ends. Returns the place after them. */
const char *scan_blanks(scanner *s);

/* Skips blanks and then `sign`, if that is next. Returns whether it was. */
bool scan_sign(scanner *s, const char *sign);

/* The modifiers of an event: u (CPL 3), k (CPL 0-2), c (clocks in which the signal was on). */
typedef struct event_modifiers {
    uint8_t cpl_mask; /* P5_CPL_MASK_*: all levels unless only one of u and k is written */
    bool asserted;    /* c */
    const char *text; /* as written, without the colon */
    size_t length;    /* 0: there are no modifiers */
} event_modifiers;

/* Scans ":" and modifiers if they are next after blanks. P5_ERR_SYNTAX if a colon has no valid modifier after it. */
p5_status scan_modifiers(scanner *s, event_modifiers *found);

/* Parses a selection that must select one event of `family`, the clocks, or one cause of clocks. */
p5_status scan_selected(const char *text, unsigned family, p5_selected *found, p5_error *error);

/* Writes a cause of clocks as events are named, stall_CAUSE, to `text`. Returns `text`. */
enum { SCAN_STALL_NAME = 48 };
const char *scan_stall_name(p5_stall cause, char text[SCAN_STALL_NAME]);
/* Finds the event `name`, which may be any spelling of it, or of the clocks (P5_SELECT_CLOCKS), or of a cause of clocks
 * (P5_SELECT_STALL + p5_stall). P5_ERR_NAME with a hint. */
p5_status scan_event(const char *name, int *event, p5_error *error);

#endif
