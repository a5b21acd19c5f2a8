/* Sixel graphics: a sixel is a character that stands for a column of 6 pixels of one colour. */
#include "cli/sixel.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { COLOURS = 256, BAND = 6 /* rows of a sixel */, ANSWER_MILLISECONDS = 200 /* wait for the terminal */ };

/* --- the terminal --- */

/* Returns true if the terminal's reply to ESC [ c reports sixels. The reply is ESC [ ? N ; N ... c, and the number 4
 * after the first one stands for sixels. */
static bool has_sixels(const char *reply)
{
    for (const char *at = strchr(reply, ';'); at != NULL; at = strchr(at + 1, ';'))
        if (at[1] == '4' && (at[2] == ';' || at[2] == 'c'))
            return true;
    return false;
}

/* Reads a reply up to its final c, or until none comes for ANSWER_MILLISECONDS. */
static void read_reply(int terminal, char *reply, size_t size)
{
    size_t used = 0;
    struct pollfd wanted = {.fd = terminal, .events = POLLIN};
    while (used + 1 < size && poll(&wanted, 1, ANSWER_MILLISECONDS) > 0) {
        if (read(terminal, reply + used, 1) != 1 || reply[used++] == 'c')
            break;
    }
    reply[used] = '\0';
}

bool sixel_terminal(void)
{
    static const char ask[] = "\033[c";
    const int terminal = STDOUT_FILENO;
    char reply[64] = "";
    struct termios before;
    if (tcgetattr(terminal, &before) != 0)
        return false;
    struct termios now = before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    if (tcsetattr(terminal, TCSANOW, &now) == 0 && write(terminal, ask, sizeof ask - 1) == sizeof ask - 1)
        read_reply(terminal, reply, sizeof reply);
    tcsetattr(terminal, TCSANOW, &before);
    return has_sixels(reply);
}

/* --- the picture --- */

/* The colours that are written. `few`: these `count` colours are all that the picture has. Otherwise there are 256,
 * whose numbers are made of the highest bits of a colour: 3 of red, 3 of green, 2 of blue. */
typedef struct palette {
    uint8_t rgb[COLOURS][3];
    unsigned count;
    bool few;
} palette;

static const uint8_t *pixel(const p5_picture *picture, unsigned x, unsigned y)
{
    return picture->rgb + ((size_t)y * picture->width + x) * 3;
}

/* Returns the colour's number, or `count` if the palette does not have it. */
static unsigned colour_number(const palette *p, const uint8_t *rgb)
{
    if (!p->few)
        return (rgb[0] & 0xe0u) | (rgb[1] & 0xe0u) >> 3 | rgb[2] >> 6;
    for (unsigned i = 0; i < p->count; i++)
        if (memcmp(p->rgb[i], rgb, 3) == 0)
            return i;
    return p->count;
}

/* Fills in the palette: the picture's colours, or 256 others if it has more. */
static void make_palette(palette *p, const p5_picture *picture)
{
    *p = (palette){.few = true};
    for (unsigned y = 0; y < picture->height; y++) {
        for (unsigned x = 0; x < picture->width; x++) {
            const uint8_t *rgb = pixel(picture, x, y);
            if ((x > 0 && memcmp(rgb, rgb - 3, 3) == 0) || colour_number(p, rgb) < p->count)
                continue;
            if (p->count == COLOURS) {
                p->few = false;
                for (unsigned i = 0; i < COLOURS; i++) {
                    p->rgb[i][0] = (uint8_t)((i >> 5) * 255 / 7);
                    p->rgb[i][1] = (uint8_t)((i >> 2 & 7) * 255 / 7);
                    p->rgb[i][2] = (uint8_t)((i & 3) * 255 / 3);
                }
                return;
            }
            memcpy(p->rgb[p->count++], rgb, 3);
        }
    }
}

/* Writes a sixel `count` times, as !COUNT SIXEL if that is shorter. */
static void repeat(FILE *out, unsigned count, char sixel)
{
    if (count > 3)
        fprintf(out, "!%u%c", count, sixel);
    else
        while (count-- > 0)
            fputc(sixel, out);
}

/* Writes the pixels of one colour in a band of rows. `numbers` has the colour's number of each pixel. Bit n of a
 * sixel is row n. */
static void write_colour(FILE *out, const uint8_t *numbers, unsigned width, unsigned rows, unsigned colour)
{
    unsigned run = 0;
    char before = 0;
    fprintf(out, "#%u", colour);
    for (unsigned x = 0; x < width; x++) {
        unsigned bits = 0;
        for (unsigned y = 0; y < rows; y++)
            bits |= (numbers[(size_t)y * width + x] == colour ? 1u : 0u) << y;
        char sixel = (char)('?' + bits);
        if (run != 0 && sixel != before) {
            repeat(out, run, before);
            run = 0;
        }
        before = sixel;
        run++;
    }
    repeat(out, run, before);
    fputc('$', out); /* back to the first column */
}

/* Writes BAND rows, or fewer at the end: the colours that occur in them one after the other. */
static void write_band(FILE *out, const uint8_t *numbers, unsigned width, unsigned rows)
{
    bool used[COLOURS] = {false};
    for (size_t i = 0; i < (size_t)rows * width; i++)
        used[numbers[i]] = true;
    for (unsigned i = 0; i < COLOURS; i++)
        if (used[i])
            write_colour(out, numbers, width, rows, i);
    fputc('-', out);
}

bool sixel_write(FILE *out, const p5_picture *picture)
{
    const unsigned width = picture->width, height = picture->height;
    palette colours;
    uint8_t *numbers = malloc((size_t)width * height);
    if (numbers == NULL)
        return false;
    make_palette(&colours, picture);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            numbers[(size_t)y * width + x] = (uint8_t)colour_number(&colours, pixel(picture, x, y));
    fprintf(out, "\033P0;1q\"1;1;%u;%u", width, height);
    for (unsigned i = 0; i < (colours.few ? colours.count : COLOURS); i++)
        fprintf(out, "#%u;2;%u;%u;%u", i, (colours.rgb[i][0] * 100u + 127) / 255,
                (colours.rgb[i][1] * 100u + 127) / 255, (colours.rgb[i][2] * 100u + 127) / 255);
    for (unsigned top = 0; top < height; top += BAND)
        write_band(out, numbers + (size_t)top * width, width, height - top < BAND ? height - top : BAND);
    fputs("\033\\\n", out);
    free(numbers);
    return true;
}
