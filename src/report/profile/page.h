/* What page.c and page_code.c share: they write the data of the HTML report of a profile as one JSON
 * object. */
#ifndef REPORT_PROFILE_PAGE_H
#define REPORT_PROFILE_PAGE_H

#include "report/json_writer.h"
#include "report/profile/remarks.h"
#include "report/stat/words.h"

typedef struct profile_page {
    json_writer json;
    const p5_profile *p;
    insn_costs *costs; /* by instruction of the profile */
    isa_decoder *decoder;
    sources source;
    words_table words; /* explanations of names (`p5scope explain`) */
    uint64_t clocks;   /* of the run */
} profile_page;

/* Writes the member `key` with a linear address in hexadecimal; the address space is left out. */
void page_address(json_writer *json, const char *key, uint64_t address);
/* Writes the members "functions", "lines", "samples", "code" and "newer_sources". Returns false when memory is out. */
bool page_code(profile_page *page);

#endif
