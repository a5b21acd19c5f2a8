/* p5scope screen: shows the screen of a snapshot's guest. Also writes text screens for --screen. */
#include "cli/screen.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/sixel.h"
#include "p5scope/snapshot.h"

enum { UTF8_BYTES = 4 }; /* of a character below, with its NUL */

/* Code page 437, the VGA's character set: the characters of codes 0-31 (low) and 127-255 (high). */
static const char low[][UTF8_BYTES] = {" ", "☺", "☻", "♥", "♦", "♣", "♠", "•", "◘", "○", "◙",
                                       "♂", "♀", "♪", "♫", "☼", "►", "◄", "↕", "‼", "¶", "§",
                                       "▬", "↨", "↑", "↓", "→", "←", "∟", "↔", "▲", "▼"};
static const char high[][UTF8_BYTES] = {
    "⌂", "Ç", "ü", "é", "â", "ä", "à", "å", "ç", "ê", "ë", "è", "ï", "î", "ì", "Ä", "Å", "É", "æ",
    "Æ", "ô", "ö", "ò", "û", "ù", "ÿ", "Ö", "Ü", "¢", "£", "¥", "₧", "ƒ", "á", "í", "ó", "ú", "ñ",
    "Ñ", "ª", "º", "¿", "⌐", "¬", "½", "¼", "¡", "«", "»", "░", "▒", "▓", "│", "┤", "╡", "╢", "╖",
    "╕", "╣", "║", "╗", "╝", "╜", "╛", "┐", "└", "┴", "┬", "├", "─", "┼", "╞", "╟", "╚", "╔", "╩",
    "╦", "╠", "═", "╬", "╧", "╨", "╤", "╥", "╙", "╘", "╒", "╓", "╫", "╪", "┘", "┌", "█", "▄", "▌",
    "▐", "▀", "α", "ß", "Γ", "π", "Σ", "σ", "µ", "τ", "Φ", "Θ", "Ω", "δ", "∞", "φ", "ε", "∩", "≡",
    "±", "≥", "≤", "⌠", "⌡", "÷", "≈", "°", "∙", "·", "√", "ⁿ", "²", "■", " "};
_Static_assert(sizeof low / sizeof low[0] == 32 && sizeof high / sizeof high[0] == 129, "code page 437");

static void write_character(FILE *out, uint8_t c)
{
    if (c < 32)
        fputs(low[c], out);
    else if (c < 127)
        fputc(c, out);
    else
        fputs(high[c - 127], out);
}

/* Converts a colour: the VGA's bits are blue, green, red from bit 0 on, the terminal's red, green, blue. */
static unsigned terminal_colour(unsigned colour)
{
    return (colour & 2) | (colour & 1) << 2 | (colour & 4) >> 2;
}

/* Writes the terminal's sequence for a VGA attribute: foreground in bits 0 to 2, bright in bit 3, background in bits
 * 4 to 6, blinking in bit 7. */
static void write_attribute(FILE *out, uint8_t attribute)
{
    fprintf(out, "\033[0;%u;%u%sm", ((attribute & 8) != 0 ? 90 : 30) + terminal_colour(attribute & 7),
            40 + terminal_colour(attribute >> 4 & 7), (attribute & 0x80) != 0 ? ";5" : "");
}

/* Returns true if the character has no pixels. */
static bool blank(uint8_t character)
{
    return character == 0 || character == ' ' || character == 255;
}

/* Returns the number of cells in the row up to the last that shows anything. */
static unsigned row_length(const p5_screen *screen, unsigned row, bool colour)
{
    unsigned length = P5_SCREEN_COLUMNS;
    while (length > 0 && blank(screen->cells[row][length - 1].character) &&
           (!colour || (screen->cells[row][length - 1].attribute & 0x70) == 0))
        length--;
    return length;
}

static void write_row(FILE *out, const p5_screen *screen, unsigned row, bool colour)
{
    unsigned length = row_length(screen, row, colour);
    for (unsigned column = 0; column < length; column++) {
        uint8_t attribute = screen->cells[row][column].attribute;
        if (colour && (column == 0 || attribute != screen->cells[row][column - 1].attribute))
            write_attribute(out, attribute);
        write_character(out, screen->cells[row][column].character);
    }
    if (colour && length > 0)
        fputs("\033[0m", out);
}

void screen_write(FILE *out, const p5_screen *screen, bool colour)
{
    unsigned rows = P5_SCREEN_ROWS;
    while (rows > 0 && row_length(screen, rows - 1, colour) == 0)
        rows--;
    for (unsigned row = 0; row < rows; row++) {
        write_row(out, screen, row, colour);
        fputc('\n', out);
    }
}

void screen_rewrite(FILE *out, const p5_screen *screen)
{
    fputs("\033[H", out);
    for (unsigned row = 0; row < P5_SCREEN_ROWS; row++) {
        write_row(out, screen, row, true);
        fputs("\033[K\r\n", out);
    }
    if (screen->row < P5_SCREEN_ROWS)
        fprintf(out, "\033[%u;%uH", screen->row + 1, screen->column + 1);
    fflush(out);
}

/* Shows the screen at standard output: a text screen as text, graphics only if that is a terminal. Returns false
 * after a message. */
static bool show(const p5_machine *machine)
{
    p5_picture picture = {.size = sizeof picture};
    p5_screen screen = {.size = sizeof screen};
    p5_error error = {0};
    if (p5_machine_picture(machine, &picture, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    bool shown = picture.text || isatty(STDOUT_FILENO);
    if (!shown)
        cli_complain(NULL, NULL, 0, "the screen shows graphics, %u x %u; write them with -o FILE.png",
                     picture.width, picture.height);
    else if (!picture.text)
        picture_show(stdout, &picture, sixel_terminal());
    else if (p5_machine_screen(machine, &screen))
        screen_write(stdout, &screen, isatty(STDOUT_FILENO));
    p5_picture_free(&picture);
    return shown;
}

static int run(const cli_options *line)
{
    const p5_machine_options options = {.size = sizeof options, .look_only = true};
    p5_machine *machine;
    p5_error error = {0};
    if (line->operand_count != 1)
        return cli_complain(NULL, NULL, 0, "which snapshot? Try 'p5scope screen --help'");
    if (p5_machine_restore(line->operands[0], &options, &machine, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return error.status == P5_ERR_IO ? CLI_NOT_FOUND : CLI_NOT_LOADABLE;
    }
    bool done = line->output != NULL ? picture_save(machine, line->output) : show(machine);
    p5_machine_close(machine);
    return done ? CLI_OK : CLI_USAGE;
}

const cli_verb verb_screen = {.name = "screen",
                              .summary = "the screen of a snapshot's guest",
                              .operands = "SNAPSHOT",
                              .doc = "Show the screen of the guest in SNAPSHOT (p5scope run --save).",
                              .run = run};
