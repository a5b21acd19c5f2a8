/* Status codes and the error record that every fallible function of p5scope fills in. */
#ifndef P5SCOPE_STATUS_H
#define P5SCOPE_STATUS_H

/* How the structs of the public headers grow. Most begin with `size`, which the caller sets to the sizeof of the struct,
 * with all members that it does not use set to zero:
 *
 *     p5_limits limits = {.size = sizeof limits, .max_clocks = 1000000};
 *
 * A later version of the library may add members at the end. A program that was compiled for an earlier version
 * passes a smaller size: the library takes the members that it lacks as zero, and writes nothing beyond its size. A
 * program that was compiled for a later version passes a larger size: that is P5_ERR_UNSUPPORTED if one of the
 * unknown members is not zero. A `size` that cannot be right is P5_ERR_STATE. In structs that the library passes to
 * callbacks it sets `size` to its own: members at or beyond `size` must not be read. Structs whose comment says that
 * their layout is fixed never grow.
 *
 * Pointers that functions get must not be NULL unless a comment says what NULL means. A text (a path, a name) that is
 * NULL all the same is P5_ERR_RANGE in functions that return a p5_status; other pointers are not checked.
 *
 * The first member that a version adds has an alignment of 8 bytes. So it begins where the earlier struct ended, and
 * not in bytes at that struct's end that earlier programs leave undefined. */

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a call. P5_OK is 0; every other value is an error with one sentence (p5_status_text). */
typedef enum p5_status {
    P5_OK = 0,
    P5_ERR_MEMORY,      /* the host is out of memory */
    P5_ERR_IO,          /* a host file could not be opened, read or written */
    P5_ERR_FORMAT,      /* a guest file has the wrong format (ELF, image, profile, ...) */
    P5_ERR_SYNTAX,      /* text written by the user does not parse */
    P5_ERR_NAME,        /* an event, model, metric, register or symbol of that name does not exist */
    P5_ERR_RANGE,       /* a number is out of its range, or a text or array is NULL that is required */
    P5_ERR_UNSUPPORTED, /* valid, but this model or build cannot do it */
    P5_ERR_ENGINE,      /* the CPU engine is not the version that p5scope was written for, or it failed */
    P5_ERR_STATE        /* the call does not fit the object's state (e.g. run before load) */
} p5_status;

enum { P5_ERROR_TEXT = 400, P5_ERROR_WHERE = 200 }; /* bytes of the texts, with their NUL */

/* An error with its place. The layout is fixed, so that it need not be initialised. `message` says what is wrong and
 * what would be right, without a final full stop. `where` is a file name, an option or empty. `line` and `column`
 * count from 1; 0 = unknown. `hint` may be empty. Every function that fills in an error accepts NULL from callers
 * that need only the status. */
typedef struct p5_error {
    p5_status status; /* what the function returned */
    unsigned line;
    unsigned column;
    char where[P5_ERROR_WHERE];
    char message[P5_ERROR_TEXT];
    char hint[P5_ERROR_TEXT];
} p5_error;

/* Returns one English sentence for a status code, never NULL. */
const char *p5_status_text(p5_status status);

#ifdef __cplusplus
}
#endif
#endif
