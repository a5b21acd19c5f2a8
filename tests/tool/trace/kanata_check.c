/* kanata_check FILE [--cut]: checks a Kanata log against the grammar that the viewer Konata reads, version
 * 0004.
 *
 *   file    := "Kanata" TAB "0004" NL { command NL }
 *   command := "C=" TAB n | "C" TAB n | "I" TAB id TAB number TAB thread | "L" TAB id TAB type TAB text
 *            | "S" TAB id TAB lane TAB stage | "E" TAB id TAB lane TAB stage | "R" TAB id TAB number TAB type
 *            | "W" TAB consumer TAB producer TAB 0
 *
 * Time comes first and only continues. Ids are 0, 1, 2, ... in order of I, and alive from I to R; L, S, E and R
 * are of an instruction that is alive, W's consumer is alive and its producer has been. A lane has one stage
 * at a time: E ends the one that S began. Every instruction retires, but with --cut those at the end. Stages
 * on lane 0 go forward: PF F D1 D2 EX, then WB, or X1 X2 WF ER, or [M2 M3] Mw; EX is never missing. Prints
 * instructions, clocks from the first command to the last, arrows and stalls. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const order[] = {"PF", "F",  "D1", "D2", "EX", "X1", "X2",
                                    "WF", "ER", "M2", "M3", "Mw", "WB"};
enum { ORDER = sizeof order / sizeof order[0], LANES = 2, NAME = 80 };

typedef struct insn {
    bool alive, retired, ex;
    int stage; /* place in `order` of the last on lane 0, -1 = none */
    char lane[LANES][NAME];
} insn;

static insn *insns;
static size_t count, room, line_number;

static _Noreturn void wrong(const char *what)
{
    fprintf(stderr, "line %zu: %s\n", line_number, what);
    exit(1);
}

static insn *alive(const char *text)
{
    char *end;
    unsigned long long id = strtoull(text, &end, 10);
    if (end == text || *end != '\0')
        wrong("an id is a decimal number");
    if (id >= count || !insns[id].alive)
        wrong("the instruction is not alive");
    return &insns[id];
}

static unsigned lane_of(const char *text)
{
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        wrong("lanes are 0 and 1");
    return (unsigned)(text[0] - '0');
}

static void start_stage(insn *i, unsigned lane, const char *name)
{
    snprintf(i->lane[lane], NAME, "%s", name);
    if (lane != 0)
        return;
    int at = -1;
    for (int n = 0; n < ORDER; n++)
        if (strcmp(order[n], name) == 0)
            at = n;
    if (at < 0)
        wrong("unknown stage");
    if (at <= i->stage)
        wrong("a stage comes after one that lies behind it");
    i->stage = at;
    i->ex |= strcmp(name, "EX") == 0;
}

static void open_insn(char **field, size_t fields)
{
    char *end;
    if (fields != 4 || strtoull(field[1], &end, 10) != count || *end != '\0')
        wrong("ids count up from 0");
    if (count == room) {
        room = room ? 2 * room : 1024;
        insns = realloc(insns, room * sizeof *insns);
        if (!insns)
            wrong("out of memory");
    }
    memset(&insns[count], 0, sizeof *insns);
    insns[count].stage = -1;
    insns[count++].alive = true;
}

int main(int argc, char **argv)
{
    bool cut = argc == 3 && strcmp(argv[2], "--cut") == 0;
    FILE *in = argc >= 2 ? fopen(argv[1], "r") : NULL;
    if (!in) {
        fprintf(stderr, "usage: kanata_check FILE [--cut]\n");
        return 2;
    }
    char *text = NULL;
    size_t size = 0, retired = 0, arrows = 0, stalls = 0;
    unsigned long long clocks = 0;
    bool time = false;
    for (ssize_t length; (length = getline(&text, &size, in)) > 0;) {
        line_number++;
        if (text[length - 1] != '\n')
            wrong("the line is cut off");
        text[length - 1] = '\0';
        char *field[5] = {text};
        size_t fields = 1;
        for (char *tab = text; fields < 5 && (tab = strchr(tab, '\t')) != NULL;) {
            *tab++ = '\0';
            field[fields++] = tab;
        }
        const char *c = field[0];
        if (line_number == 1) {
            if (fields != 2 || strcmp(c, "Kanata") != 0 || strcmp(field[1], "0004") != 0)
                wrong("the first line is Kanata<TAB>0004");
        } else if (strcmp(c, "C=") == 0) {
            if (time)
                wrong("C= stands once");
            time = true;
        } else if (!time) {
            wrong("C= comes before everything else");
        } else if (strcmp(c, "C") == 0 && fields == 2) {
            unsigned long long more = strtoull(field[1], NULL, 10);
            if (more == 0)
                wrong("time goes on by at least one clock");
            clocks += more;
        } else if (strcmp(c, "I") == 0) {
            open_insn(field, fields);
        } else if (strcmp(c, "L") == 0 && fields == 4) {
            alive(field[1]);
        } else if (strcmp(c, "S") == 0 && fields == 4) {
            start_stage(alive(field[1]), lane_of(field[2]), field[3]);
            stalls += field[2][0] == '1';
        } else if (strcmp(c, "E") == 0 && fields == 4) {
            insn *i = alive(field[1]);
            unsigned lane = lane_of(field[2]);
            if (strcmp(i->lane[lane], field[3]) != 0)
                wrong("E ends a stage that was not begun");
            i->lane[lane][0] = '\0';
        } else if (strcmp(c, "W") == 0 && fields == 4) {
            alive(field[1]);
            if (strtoull(field[2], NULL, 10) >= strtoull(field[1], NULL, 10))
                wrong("a producer comes before its consumer");
            arrows++;
        } else if (strcmp(c, "R") == 0 && fields == 4) {
            insn *i = alive(field[1]);
            if (!i->ex || i->lane[0][0] != '\0' || i->lane[1][0] != '\0')
                wrong("it retires without EX, or within a stage");
            if (strtoull(field[2], NULL, 10) != retired++)
                wrong("retirement counts up from 0");
            i->alive = false;
            i->retired = true;
        } else {
            wrong("no such command");
        }
    }
    for (size_t i = 0; i < count && !cut; i++)
        if (!insns[i].retired)
            wrong("an instruction never retires");
    printf("%zu instructions %llu clocks %zu arrows %zu stalls\n", count, clocks, arrows, stalls);
    free(insns);
    free(text);
    fclose(in);
    return 0;
}
