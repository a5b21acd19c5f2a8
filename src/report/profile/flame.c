/* Makes a flame graph (flame.h), and draws it as SVG. */
#include "report/profile/flame.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory_text.h"
#include "base/text.h"
#include "report/xml.h"

enum {
    ROW = 18,           /* height of a frame, in pixels */
    DEEPEST = 64,       /* rows of frames; deeper frames are not drawn */
    LEAST_PERMYRIAD = 5 /* a frame with a smaller share of all costs, in 1/10000, would be invisible */
};

static const char style[] =
    ".flame{display:block;width:100%;font:12px ui-monospace,monospace}.flame .f{cursor:pointer}"
    ".flame rect{stroke:Canvas;stroke-width:.5}.flame text{fill:#1b1f24;pointer-events:none}"
    ".flame .f:focus-visible{outline:2px solid #0b57d0}";

/* The script of the graph: a click or Enter makes a frame as wide as the picture. Each frame has its original
 * position in data-x and data-w, in per cent. */
static const char script[] =
    "document.querySelectorAll('.flame').forEach(g=>{const all=[...g.querySelectorAll('.f')];"
    "const zoom=t=>{const x0=+t.dataset.x,w0=+t.dataset.w;all.forEach(f=>{const x=(f.dataset.x-x0)/w0*100,"
    "w=f.dataset.w/w0*100,over=x<=1e-6&&x+w>=100-1e-6;f.setAttribute('x',(over?0:x)+'%');"
    "f.setAttribute('width',(over?100:w)+'%');f.style.display=x+w<=1e-6||x>=100-1e-6?'none':''})};"
    "all.forEach(f=>{f.addEventListener('click',()=>zoom(f));"
    "f.addEventListener('keydown',e=>{if(e.key==='Enter')zoom(f)})})});";

/* A frame stands for all contexts with the same functions above them. Contexts also differ by call site,
 * frames do not. */
typedef struct frame {
    uint64_t function;                          /* address */
    uint32_t parent, first_child, next_sibling; /* index in graph.frames; 0: none. Frame 0 is the root */
    uint64_t own, all;                          /* cost without and with the frames below it */
} frame;

typedef struct graph {
    const p5_profile *p;
    const profile_value *value; /* what the frames' cost is */
    frame *frames;              /* parents before children */
    size_t count;
    void (*put)(void *context, const flame_frame *frame);
    void *context;
} graph;

/* Returns the index of the child for `function`, which is made if necessary. g->frames has room. */
static uint32_t child_of(graph *g, uint32_t parent, uint64_t function)
{
    uint32_t *link = &g->frames[parent].first_child;
    while (*link != 0 && g->frames[*link].function != function)
        link = &g->frames[*link].next_sibling;
    if (*link == 0) {
        *link = (uint32_t)g->count;
        g->frames[g->count++] = (frame){.function = function, .parent = parent};
    }
    return *link;
}

/* Makes the frames with their costs. Returns false when memory is out; the caller frees g->frames in any
 * case. */
static bool build(graph *g)
{
    const p5_profile *p = g->p;
    uint32_t *frame_of = calloc(p->contexts.count + 1, sizeof *frame_of);
    g->frames = calloc(p->contexts.count + 2, sizeof *g->frames);
    if (frame_of == NULL || g->frames == NULL) {
        free(frame_of);
        return false;
    }
    g->count = 1;
    /* A context comes after its parent. */
    for (size_t i = PROFILE_ROOT + 1; i < p->contexts.count; i++) {
        const profile_context *c = &p->contexts.items[i];
        int f = profile_function_at(p, c->function);
        uint64_t function = f != PROFILE_NO_INDEX ? p->functions.items[f].start : c->function;
        frame_of[i] = child_of(g, frame_of[c->parent], function);
    }
    for (size_t i = 0; i < p->sites.count; i++)
        g->frames[frame_of[p->sites.items[i].context]].own +=
            profile_amounts_value(&p->sites.items[i], g->value);
    for (size_t i = g->count; i-- > 0;) {
        g->frames[i].all += g->frames[i].own;
        if (i > 0)
            g->frames[g->frames[i].parent].all += g->frames[i].all;
    }
    free(frame_of);
    return true;
}

/* Returns a warm hue, in degrees, that depends on the name only. */
static unsigned hue_of(const char *name)
{
    unsigned hash = 0;
    for (; *name != '\0'; name++)
        hash = hash * 31 + (unsigned char)*name;
    return 10 + hash % 50;
}

/* Passes frame `at` and its descendants to g->put. `from`: the cost to the left of its left edge. */
static void put_frame(const graph *g, uint32_t at, uint64_t from, unsigned depth)
{
    const frame *f = &g->frames[at];
    uint64_t whole = g->frames[0].all;
    char buffer[16];
    const flame_frame shown = {.name = at == 0 ? "all" : profile_name_at(g->p, f->function, buffer),
                               .depth = depth,
                               .from = from,
                               .value = f->all,
                               .whole = whole};
    if (profile_percent(f->all, whole) * 100 < (double)LEAST_PERMYRIAD && at != 0)
        return;
    g->put(g->context, &shown);
    for (uint32_t child = f->first_child; child != 0 && depth + 1 < DEEPEST;
         child = g->frames[child].next_sibling) {
        put_frame(g, child, from, depth + 1);
        from += g->frames[child].all;
    }
}

bool flame_frames(const p5_profile *p, const profile_value *value,
                  void (*put)(void *context, const flame_frame *frame), void *context)
{
    graph g = {.p = p, .value = value, .put = put, .context = context};
    bool fits = build(&g);
    if (fits)
        put_frame(&g, 0, 0, 0);
    free(g.frames);
    return fits;
}

/* ---- the graph as a file ------------------------------------------------------------------------------- */

/* The body of the element <svg>. It is made before the element's start tag is written, which contains the
 * height. */
typedef struct drawing {
    FILE *out;
    const char *unit; /* name of what the frames count */
    unsigned rows;    /* rows of frames so far */
} drawing;

static void draw_frame(void *context, const flame_frame *f)
{
    drawing *d = context;
    char grouped[32];
    double x = profile_percent(f->from, f->whole), width = profile_percent(f->value, f->whole);
    d->rows = f->depth + 1 > d->rows ? f->depth + 1 : d->rows;
    fprintf(d->out,
            "<svg class=\"f\" tabindex=\"0\" data-x=\"%.4f\" data-w=\"%.4f\" x=\"%.4f%%\" width=\"%.4f%%\" "
            "y=\"%u\" height=\"%d\"><title>",
            x, width, x, width, f->depth * ROW, ROW);
    xml_text(d->out, f->name);
    fprintf(d->out, ": %s %s, %.2f %%", text_grouped(f->value, grouped, sizeof grouped), d->unit, width);
    fprintf(d->out,
            "</title><rect width=\"100%%\" height=\"%d\" fill=\"hsl(%u 85%% 66%%)\"/><text x=\"3\" y=\"13\">",
            ROW - 1, hue_of(f->name));
    xml_text(d->out, f->name);
    fputs("</text></svg>\n", d->out);
}

p5_status p5_profile_write_flame_graph(FILE *out, const p5_profile *p, const char *event, p5_error *error)
{
    profile_value value;
    p5_status status = profile_value_find(p->family, event != NULL ? event : "clocks", &value, error);
    if (status != P5_OK)
        return status;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"100%%\">\n<title>");
    xml_text(out, p->command);
    fprintf(out, "</title>\n<style>%s</style>\n", style);
    memory_text body;
    bool fits = memory_text_open(&body);
    drawing d = {.out = body.out, .unit = value.name};
    fits = fits && flame_frames(p, &value, draw_frame, &d);
    fits = memory_text_end(&body) != NULL && fits;
    if (fits)
        fprintf(out,
                "<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\" "
                "role=\"img\" aria-label=\"Flame graph of %s\">\n%s</svg>\n",
                d.rows * ROW, value.name, body.text);
    free(body.text);
    if (!fits)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    fprintf(out, "<script>//<![CDATA[\n%s\n//]]></script>\n</svg>\n", script);
    return error_unless_written(error, out, "the flame graph");
}
