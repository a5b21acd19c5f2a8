/* The parts of the HTML page; html.c puts them in order. */
#ifndef REPORT_PROFILE_HTML_H
#define REPORT_PROFILE_HTML_H

#include "report/profile/remarks.h"

typedef struct html_page {
    FILE *out;
    const p5_profile *p;
    const insn_costs *costs;
    isa_decoder *decoder;
    sources *source;
    uint64_t clocks; /* of the run */
} html_page;

/* Text as HTML. */
void page_text(const html_page *page, const char *text);
/* A number with its digits in groups. */
void page_number(const html_page *page, uint64_t number);
/* ... that ends a cell of a table, and begins the next: of numbers. */
void page_cell(const html_page *page, uint64_t number);
void page_open(const html_page *page, const char *id, const char *title);
void page_close(const html_page *page);

/* html_time.c */
void page_rates(const html_page *page);
/* html_code.c */
bool page_functions(const html_page *page);
bool page_lines(const html_page *page);
bool page_code(const html_page *page);
/* html_sets.c */
void page_caches(const html_page *page);
void page_btb(const html_page *page);

#endif
