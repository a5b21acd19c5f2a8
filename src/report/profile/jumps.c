/* Draws arrows beside a listing of instructions, from direct jumps to their targets. The vertical lines run in
 * columns, the *lanes*. */
#include "report/profile/jumps.h"

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

enum { MOST_LANES = 8, MOST_JUMPS = 1000 }; /* jumps beyond these limits have no arrows */

/* A jump between two rows of the listing, counted from 0. Lane 0 is next to the instructions; MOST_LANES: no
 * lane was free. */
typedef struct jump {
    size_t from, to, lane;
} jump;

static size_t top(const jump *j)
{
    return j->from < j->to ? j->from : j->to;
}

static size_t bottom(const jump *j)
{
    return j->from < j->to ? j->to : j->from;
}

/* Orders short jumps first: they get lanes first, and lie within the longer ones. Of two jumps to each other, the
 * upper one comes first. */
static int by_length(const void *a, const void *b)
{
    const jump *x = a, *y = b;
    return ARRAY_ORDER(bottom(x) - top(x), bottom(y) - top(y)) ?: ARRAY_ORDER(top(x), top(y))
           ?: ARRAY_ORDER(x->from, y->from);
}

/* Fills in the direct jumps among the instructions [first, end) whose target is one of these, too. Returns
 * their number. */
static size_t find_jumps(const p5_profile *p, size_t first, size_t end, jump *jumps)
{
    size_t count = 0;
    for (size_t i = first; i < end && count < MOST_JUMPS; i++) {
        const profile_code *code = &p->insns.items[i].code;
        if (code->branch != ISA_JCC && code->branch != ISA_JMP && code->branch != ISA_LOOP)
            continue;
        int to = profile_insn_at(p, code->target);
        if (to != PROFILE_NO_INDEX && (size_t)to >= first && (size_t)to < end && (size_t)to != i)
            jumps[count++] = (jump){i - first, (size_t)to - first, 0};
    }
    return count;
}

/* Returns true if none of the `count` jumps that are in this lane has a row in common with `j`. */
static bool is_free(const jump *jumps, size_t count, size_t lane, const jump *j)
{
    for (size_t i = 0; i < count; i++)
        if (jumps[i].lane == lane && top(&jumps[i]) <= bottom(j) && top(j) <= bottom(&jumps[i]))
            return false;
    return true;
}

/* Gives each jump the first free lane. Returns the number of lanes in use. */
static size_t give_lanes(jump *jumps, size_t count)
{
    size_t lanes = 0;
    qsort(jumps, count, sizeof *jumps, by_length);
    for (size_t i = 0; i < count; i++) {
        size_t lane = 0;
        while (lane < MOST_LANES && !is_free(jumps, i, lane, &jumps[i]))
            lane++;
        jumps[i].lane = lane;
        lanes = lane < MOST_LANES && lane + 1 > lanes ? lane + 1 : lanes;
    }
    return lanes;
}

/* Writes a character of an arrow. Lines that cross become '+'; a line does not overwrite a corner or a
 * crossing. */
static void put(jump_arrows *a, size_t row, size_t column, char c)
{
    char *at = &a->text[row * (a->width + 1) + column];
    bool line = c == '-' || c == '|';
    if (line && *at != ' ' && *at != c)
        *at = *at == '-' || *at == '|' ? '+' : *at;
    else
        *at = c;
}

/* Draws a jump as a corner in each of its rows, a line between them, and an arrow at its target. */
static void draw(jump_arrows *a, const jump *j)
{
    /* After the lanes come a column for arrow heads and a blank. */
    size_t lanes = a->width - 2, column = lanes - 1 - j->lane;
    for (size_t row = top(j) + 1; row < bottom(j); row++)
        put(a, row, column, '|');
    for (unsigned end = 0; end < 2; end++) {
        size_t row = end == 0 ? j->from : j->to;
        put(a, row, column, row == top(j) ? '/' : '\\');
        for (size_t c = column + 1; c <= lanes; c++)
            put(a, row, c, c == lanes && end == 1 ? '>' : '-');
    }
}

bool jump_arrows_open(jump_arrows *arrows, const p5_profile *p, size_t first, size_t end)
{
    *arrows = (jump_arrows){0};
    jump *jumps = malloc(MOST_JUMPS * sizeof *jumps);
    if (jumps == NULL)
        return false;
    size_t count = find_jumps(p, first, end, jumps), lanes = give_lanes(jumps, count);
    bool fits = true;
    if (lanes > 0) {
        arrows->width = lanes + 2;
        arrows->text = malloc((end - first) * (arrows->width + 1));
        fits = arrows->text != NULL;
        for (size_t row = 0; fits && row < end - first; row++) {
            memset(arrows->text + row * (arrows->width + 1), ' ', arrows->width);
            arrows->text[row * (arrows->width + 1) + arrows->width] = '\0';
        }
        for (size_t i = 0; fits && i < count; i++)
            if (jumps[i].lane < MOST_LANES)
                draw(arrows, &jumps[i]);
    }
    free(jumps);
    return fits;
}

const char *jump_arrows_at(const jump_arrows *arrows, size_t row)
{
    return arrows->text != NULL ? arrows->text + row * (arrows->width + 1) : "";
}

void jump_arrows_close(jump_arrows *arrows)
{
    free(arrows->text);
}
