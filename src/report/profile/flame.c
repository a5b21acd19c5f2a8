#include "report/profile/flame.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "report/xml.h"

enum { ROW = 18, DEEPEST = 64, LEAST_PERMYRIAD = 5 }; /* narrower frames could not be seen */

const char flame_style[] =
    ".flame{display:block;width:100%;font:12px ui-monospace,monospace}.flame .f{cursor:pointer}"
    ".flame rect{stroke:Canvas;stroke-width:.5}.flame text{fill:#1b1f24;pointer-events:none}"
    ".flame .f:focus-visible{outline:2px solid #0b57d0}";

/* A frame keeps where it was in data-x and data-w, in per cent. */
const char flame_script[] =
    "document.querySelectorAll('.flame').forEach(g=>{const all=[...g.querySelectorAll('.f')];"
    "const zoom=t=>{const x0=+t.dataset.x,w0=+t.dataset.w;all.forEach(f=>{const x=(f.dataset.x-x0)/w0*100,"
    "w=f.dataset.w/w0*100,over=x<=1e-6&&x+w>=100-1e-6;f.setAttribute('x',(over?0:x)+'%');"
    "f.setAttribute('width',(over?100:w)+'%');f.style.display=x+w<=1e-6||x>=100-1e-6?'none':''})};"
    "all.forEach(f=>{f.addEventListener('click',()=>zoom(f));"
    "f.addEventListener('keydown',e=>{if(e.key==='Enter')zoom(f)})})});";

/* Contexts with the same functions above them are one frame, wherever they were called from. */
typedef struct frame {
    uint64_t function;
    uint32_t parent, first_child, next_sibling; /* 0: none; frame 0 is the root */
    uint64_t own, all;
} frame;

typedef struct graph {
    FILE *out;
    const p5_profile *p;
    const profile_value *value;
    frame *frames;
    size_t count;
    unsigned depth;
} graph;

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
    for (size_t i = PROFILE_ROOT + 1; i < p->contexts.count;
         i++) { /* behind the context that it is called in */
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

/* A warm colour that a name always has. */
static unsigned hue_of(const char *name)
{
    unsigned hash = 0;
    for (; *name != '\0'; name++)
        hash = hash * 31 + (unsigned char)*name;
    return 10 + hash % 50;
}

static void write_frame(graph *g, uint32_t at, double x, unsigned depth)
{
    const frame *f = &g->frames[at];
    uint64_t whole = g->frames[0].all;
    double width = profile_percent(f->all, whole);
    char room[16], grouped[32];
    const char *name = at == 0 ? "all" : profile_name_at(g->p, f->function, room);
    if (width * 100 < (double)LEAST_PERMYRIAD || depth >= DEEPEST)
        return;
    g->depth = depth + 1 > g->depth ? depth + 1 : g->depth;
    fprintf(g->out,
            "<svg class=\"f\" tabindex=\"0\" data-x=\"%.4f\" data-w=\"%.4f\" x=\"%.4f%%\" width=\"%.4f%%\" "
            "y=\"%u\" height=\"%d\"><title>",
            x, width, x, width, depth * ROW, ROW);
    xml_text(g->out, name);
    fprintf(g->out, ": %s %s, %.2f %%", text_grouped(f->all, grouped, sizeof grouped), g->value->name, width);
    fprintf(g->out,
            "</title><rect width=\"100%%\" height=\"%d\" fill=\"hsl(%u 85%% 66%%)\"/><text x=\"3\" y=\"13\">",
            ROW - 1, hue_of(name));
    xml_text(g->out, name);
    fputs("</text></svg>\n", g->out);
    for (uint32_t child = f->first_child; child != 0; child = g->frames[child].next_sibling) {
        write_frame(g, child, x, depth + 1);
        x += profile_percent(g->frames[child].all, whole);
    }
}

bool flame_write(FILE *out, const p5_profile *p, const profile_value *value)
{
    graph g = {.p = p, .value = value};
    char *body = NULL;
    size_t size = 0;
    g.out = open_memstream(&body, &size);
    bool fits = g.out != NULL && build(&g);
    if (fits)
        write_frame(&g, 0, 0, 0);
    fits = g.out != NULL && fclose(g.out) == 0 && fits;
    if (fits)
        fprintf(out,
                "<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\" "
                "role=\"img\" aria-label=\"Flame graph of %s\">\n%s",
                g.depth * ROW, value->name, body);
    if (fits)
        fputs("</svg>\n", out);
    free(body);
    free(g.frames);
    return fits;
}

p5_status p5_profile_write_flame_graph(FILE *out, const p5_profile *p, const char *event, p5_error *error)
{
    profile_value value;
    p5_status status = profile_value_find(p->family, event != NULL ? event : "clocks", &value, error);
    if (status != P5_OK)
        return status;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"100%%\">\n<title>");
    xml_text(out, p->command);
    fprintf(out, "</title>\n<style>%s</style>\n", flame_style);
    if (!flame_write(out, p, &value))
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    fprintf(out, "<script>//<![CDATA[\n%s\n//]]></script>\n</svg>\n", flame_script);
    return error_unless_written(error, out, "the flame graph");
}
