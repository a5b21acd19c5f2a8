/* Parses texts that a user writes: model files, case files, budgets, selections of events, fields of models, registers,
 * tables. The first byte selects the kind. The rest is the text, or, if the first byte is above 7Fh, numbers of words
 * that occur in such texts. Each text is accepted or refused with a message. */
#include <string.h>

#include "fuzz.h"
#include "p5scope/model.h"
#include "p5tool/report.h"

enum { TEXT_MAX = 8192 };

static const char *const words[] = {"[model]\n",
                                    "[bus]\n",
                                    "[agent]\n",
                                    "[pins]\n",
                                    "[check]\n",
                                    "[btb]\n",
                                    "[latency]\n",
                                    "base",
                                    "p55c-200",
                                    "p54c",
                                    "=",
                                    " = ",
                                    "\n",
                                    "\n\n",
                                    "kind",
                                    "dma",
                                    "processor",
                                    "clock_mhz",
                                    "ratio",
                                    "entries",
                                    "ways",
                                    "0",
                                    "1",
                                    "-1",
                                    "2.5",
                                    "65536",
                                    "4294967296",
                                    "18446744073709551616",
                                    "0x10",
                                    "1e308",
                                    "nan",
                                    "#! case x\n",
                                    "#! models p55c-200\n",
                                    "#! n 50 250\n",
                                    "#! n 0 0\n",
                                    "#! expect clocks 4\n",
                                    "#! expect",
                                    "#! cpl 3\n",
                                    "#! ",
                                    "#!",
                                    "mov eax,ebx\n",
                                    "L: jmp L\n",
                                    ".bss\n",
                                    "+-",
                                    "%",
                                    "clocks",
                                    "instructions_executed",
                                    "data_read",
                                    "r2b.0",
                                    "r16",
                                    ":u",
                                    ":k",
                                    ":uk",
                                    "{",
                                    "}",
                                    ",",
                                    "*",
                                    "mmx*",
                                    "all",
                                    "<",
                                    "<=",
                                    ">",
                                    ">=",
                                    "==",
                                    "/",
                                    "(",
                                    ")",
                                    "+",
                                    "-",
                                    "read",
                                    "write",
                                    "address",
                                    "address=0x1000",
                                    "pm0=nmi",
                                    "pm1=irq15",
                                    "pm0",
                                    "irq",
                                    "period=100",
                                    "clocks=",
                                    ";",
                                    "\"",
                                    "'",
                                    "\\",
                                    "\t",
                                    " ",
                                    "[",
                                    "]",
                                    "per_instruction",
                                    "cesr",
                                    "ctr0",
                                    "es0",
                                    "cc1=",
                                    "K",
                                    "M",
                                    "G",
                                    "T",
                                    "\r\n",
                                    "\xef\xbb\xbf",
                                    "%s%n",
                                    "%d",
                                    "..",
                                    "@"};

static void compose(char *text, fuzz_input *input)
{
    size_t size = 0;
    while (input->size > 0) {
        const char *word = words[fuzz_byte(input) % (sizeof words / sizeof words[0])];
        size_t length = strlen(word);
        if (size + length + 2 >= TEXT_MAX)
            break;
        memcpy(text + size, word, length);
        size += length;
    }
    text[size] = '\0';
}

static void file_of(unsigned which, const char *text, p5_error *error)
{
    p5_status status = P5_OK;
    fuzz_file file = fuzz_file_make(which == 0 ? "model.ini" : "file", text, strlen(text));
    if (which == 0) {
        p5_model *model;
        status = p5_model_open(file.path, &model, error);
        LAW((status == P5_OK) == (model != NULL));
        p5_model_close(model);
    } else if (which == 1) {
        p5_case c;
        status = p5_case_read(file.path, &c, error);
        if (status == P5_OK)
            p5_case_free(&c);
    } else if (which == 2) {
        p5_budget *budget;
        LAW(p5_budget_open(&budget, error) == P5_OK);
        status = p5_budget_read(budget, file.path, P5_FAMILY_P55C, error);
        p5_budget_close(budget);
    } else {
        p5_comparison *comparison;
        LAW(p5_comparison_open(&comparison, error) == P5_OK);
        status = p5_comparison_read(comparison, file.path, error);
        p5_comparison_close(comparison);
    }
    LAW(status == P5_OK || error->message[0] != '\0');
}

static void option_of(unsigned which, const char *text, p5_error *error)
{
    p5_status status = P5_OK;
    p5_model *model;
    LAW(p5_model_open("p55c-200", &model, error) == P5_OK);
    uint64_t value = 0;
    switch (which) {
    case 0:
        status = p5_model_set_agent(model, text, error);
        break;
    case 1:
        status = p5_model_set_wires(model, text, error);
        break;
    case 2:
        status = p5_model_set_check(model, text, error);
        break;
    case 3: {
        p5_selection selection = {0};
        status = p5_selection_add(&selection, text, P5_FAMILY_P55C, error);
        p5_selection_free(&selection);
        break;
    }
    case 4: {
        p5_budget *budget;
        LAW(p5_budget_open(&budget, error) == P5_OK);
        status = p5_budget_add(budget, text, P5_FAMILY_P55C, error);
        p5_budget_close(budget);
        break;
    }
    case 5: {
        p5_table *table;
        status = p5_table_open(text, model, &table, error);
        if (status == P5_OK)
            p5_table_close(table);
        break;
    }
    case 6: {
        const p5_register *found;
        status = p5_register_find("cesr", P5_FAMILY_P55C, &found, error);
        if (status == P5_OK)
            status = p5_register_set_field(found, text, &value, error);
        break;
    }
    default: {
        p5_model *other;
        p5_parse_number(text, &value);
        p5_parse_size(text, &value);
        status = p5_model_open(text, &other, error);
        if (status == P5_OK)
            p5_model_close(other);
    }
    }
    LAW(status == P5_OK || error->message[0] != '\0');
    p5_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[TEXT_MAX];
    fuzz_input input = {data, size};
    unsigned how = fuzz_byte(&input), which = how % 12;
    if (how >= 0x80) {
        compose(text, &input);
    } else {
        size_t length = input.size < TEXT_MAX - 1 ? input.size : TEXT_MAX - 1;
        memcpy(text, input.data, length);
        text[length] = '\0';
    }
    p5_error error = {0};
    if (which < 4)
        file_of(which, text, &error);
    else
        option_of(which - 4, text, &error);
    return 0;
}
