/* Writes the page of a window: timeline.html with the picture and the instructions' data in it. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/error.h"
#include "base/memory_text.h"
#include "p5tool/loop.h"
#include "report/timeline/window.h"
#include "report/xml.h"

extern const embedded_file timeline_files[]; /* timeline.html */

/* Writes the window as JSON lines into the element <script>. Returns false if memory is out. */
static bool put_data(FILE *out, const p5_window *window)
{
    memory_text json;
    p5_error error;
    bool fits = memory_text_open(&json) && p5_window_write_json(json.out, window, &error) == P5_OK;
    fits = memory_text_end(&json) != NULL && fits;
    if (fits)
        xml_script_json(out, json.text, json.size);
    free(json.text);
    return fits;
}

/* Writes what replaces {{NAME}} in the page; `name` is the text from NAME on. Any other name stands for the data.
 * Returns false if memory is out. */
static bool put_replacement(FILE *out, const char *name, const p5_window *window, const char *title,
                            const char *summary)
{
    if (strncmp(name, "TITLE}}", 7) == 0)
        xml_text(out, title);
    else if (strncmp(name, "SUMMARY}}", 9) == 0)
        xml_text(out, summary != NULL ? summary : "");
    else if (strncmp(name, "PICTURE}}", 9) == 0)
        return window_draw(out, window, title);
    else
        return put_data(out, window);
    return true;
}

p5_status p5_window_write_html(FILE *out, const p5_window *window, const char *title, const char *summary,
                               p5_error *error)
{
    const char *text = timeline_files[0].text;
    const p5_window drawn = window_drawn(window);
    for (const char *at; (at = strstr(text, "{{")) != NULL; text = strstr(at, "}}") + 2) {
        fwrite(text, 1, (size_t)(at - text), out);
        if (!put_replacement(out, at + 2, &drawn, title, summary))
            return error_set(error, P5_ERR_MEMORY, "no memory for the page");
    }
    fputs(text, out);
    return error_unless_written(error, out, "the page");
}
