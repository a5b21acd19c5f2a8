/* Writes pictures of a guest's screen as PNG files, and shows them in a terminal. */
#include "cli/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/sixel.h"

bool picture_save(const p5_machine *machine, const char *path)
{
    p5_picture picture = {.size = sizeof picture};
    p5_error error = {0};
    if (p5_machine_picture(machine, &picture, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = picture.width,
                       .height = picture.height,
                       .format = PNG_FORMAT_RGB};
    bool written = png_image_write_to_file(&image, path, 0, picture.rgb, 0, NULL) != 0;
    p5_picture_free(&picture);
    return written || cli_refuse(NULL, NULL, 0, "%s: the picture cannot be written: %s", path, image.message);
}

void picture_series_add(picture_series *series, const p5_machine *machine)
{
    char path[4096];
    if (series->failed)
        return;
    snprintf(path, sizeof path, "%s/%06u.png", series->directory, series->next++);
    series->failed = !picture_save(machine, path);
}

/* Computes the mean colour of the pixels in the rectangle `at`: left, top, right, bottom; the last two are outside. */
static void mean(const p5_picture *picture, const unsigned at[4], unsigned colour[3])
{
    unsigned pixels = 0;
    memset(colour, 0, 3 * sizeof *colour);
    for (unsigned y = at[1]; y < at[3]; y++)
        for (unsigned x = at[0]; x < at[2]; x++, pixels++)
            for (unsigned i = 0; i < 3; i++)
                colour[i] += picture->rgb[((size_t)y * picture->width + x) * 3 + i];
    for (unsigned i = 0; i < 3 && pixels != 0; i++)
        colour[i] /= pixels;
}

/* Shows the picture. Without sixels each character is an upper half block: its foreground colour is that of the
 * upper pixel, its background colour that of the lower one. */
void picture_show(FILE *out, const p5_picture *picture, bool sixels)
{
    if (sixels && sixel_write(out, picture))
        return;
    unsigned columns = cli_columns(stdout);
    unsigned width = picture->width < columns ? picture->width : columns;
    unsigned height = (picture->height * width + picture->width / 2) / picture->width;
    height = height < 2 ? 2 : height;
    for (unsigned row = 0; row + 1 < height; row += 2) {
        for (unsigned x = 0; x < width; x++) {
            unsigned colour[2][3];
            for (unsigned half = 0; half < 2; half++) {
                unsigned y = row + half, left = x * picture->width / width,
                         top = y * picture->height / height;
                unsigned right = (x + 1) * picture->width / width,
                         bottom = (y + 1) * picture->height / height;
                const unsigned at[4] = {left, top, right > left ? right : left + 1,
                                        bottom > top ? bottom : top + 1};
                mean(picture, at, colour[half]);
            }
            fprintf(out, "\033[38;2;%u;%u;%um\033[48;2;%u;%u;%um\u2580", colour[0][0], colour[0][1],
                    colour[0][2], colour[1][0], colour[1][1], colour[1][2]);
        }
        fputs("\033[0m\n", out);
    }
}
