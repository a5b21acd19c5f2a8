/* The state that the files of the page share. */
#ifndef REPORT_PROFILE_PAGE_H
#define REPORT_PROFILE_PAGE_H

#include "report/json_writer.h"
#include "report/profile/remarks.h"
#include "report/stat/words.h"

typedef struct profile_page {
    json_writer json;
    const p5_profile *p;
    insn_costs *costs; /* by instruction */
    isa_decoder *decoder;
    sources source;
    words_table words;
    uint64_t clocks; /* of the run */
} profile_page;

void page_address(json_writer *json, const char *key, uint64_t address);
/* Writes functions, lines, samples and code. Returns false when memory is out. */
bool page_code(profile_page *page);

#endif
