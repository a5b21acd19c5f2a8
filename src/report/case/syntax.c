/* Checks assembly that users write before the GNU assembler reads it: which syntax it has, and forms that the
 * GNU assembler would misread. Finds the columns of the assembler's errors. */
#include "report/case/syntax.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "p5tool/report.h"

/* ---- Words ---- */

/* In this file a word is a mnemonic, directive, register, symbol or number. */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* Returns the length of the word at `at`; 0: there is none. */
static size_t word_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && in_word(at[length]))
        length++;
    return length;
}

/* Compares the word at `at` with `word`; the case of letters does not matter. */
static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(at, word, length) == 0;
}

static bool is_one_of(const char *at, size_t length, const char *const *words)
{
    while (*words != NULL && !is_word(at, length, *words))
        words++;
    return *words != NULL;
}

static bool is_register(const char *at, size_t length)
{
    static const char *const names[] = {"eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "ax",  "bx",
                                        "cx",  "dx",  "si",  "di",  "bp",  "sp",  "al",  "ah",  "bl",  "bh",
                                        "cl",  "ch",  "dl",  "dh",  "cs",  "ds",  "es",  "fs",  "gs",  "ss",
                                        "st",  "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7", "cr0",
                                        "cr2", "cr3", "cr4", "dr0", "dr1", "dr2", "dr3", "dr6", "dr7", NULL};
    return is_one_of(at, length, names);
}

/* Returns the next word from `at` on, outside of strings and comments; `end` if there is none. */
static const char *next_word(const char *at, const char *end)
{
    while (at < end && !in_word(*at)) {
        const char *after = code_skip(at);
        at = after > at ? after : at + 1;
    }
    return at < end ? at : end;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* Returns the statement's mnemonic or directive after its labels; *length gets its length. */
static const char *first_word(const code_statement *s, size_t *length)
{
    const char *at = s->text, *end = s->text + s->length;
    for (;;) {
        *length = word_length(at, end);
        const char *after = skip_blanks(at + *length, end);
        if (*length == 0 || after == end || *after != ':')
            return at;
        at = skip_blanks(after + 1, end);
    }
}

/* ---- AT&T or Intel ---- */

/* Code that does not declare its syntax is AT&T's if a register has a percent sign, or if there are no
 * registers but immediates with a dollar sign. As Intel syntax, which has the operands in the other order,
 * the assembler would accept it silently. */
bool p5_code_is_att(const char *text)
{
    code_cursor cursor = {text, 1, false};
    code_statement s;
    bool bare = false, dollar = false; /* registers without a percent sign, and immediates */
    if (strstr(text, ".att_syntax") != NULL || strstr(text, ".intel_syntax") != NULL)
        return false;
    while (code_next(&cursor, &s)) {
        size_t length;
        const char *end = s.text + s.length, *word = first_word(&s, &length);
        if (length > 0 && *word == '.')
            continue; /* a directive */
        for (const char *at = next_word(word + length, end); at < end; at = next_word(at + length, end)) {
            length = word_length(at, end);
            const bool reg = is_register(at, length);
            if (reg && at[-1] == '%')
                return true;
            bare |= reg;
            dollar |= *at == '$' && length > 1 && at[1] != '$';
        }
    }
    return dollar && !bare;
}

/* ---- Rejected forms ---- */

/* Mnemonics and directives of NASM and MASM, and what to write in GNU syntax. */
static const struct {
    const char *word, *instead;
} statements[] = {{"section", ".section"},
                  {"segment", ".section"},
                  {"global", ".globl"},
                  {"extern", "nothing: what is not defined is external"},
                  {"bits", "nothing: the code is 32-bit code"},
                  {"use32", "nothing: the code is 32-bit code"},
                  {"default", "nothing"},
                  {"cpu", "nothing"},
                  {"align", ".balign"},
                  {"times", ".rept COUNT, the instruction and .endr on lines of their own"},
                  {"struc", ".struct"},
                  {"incbin", ".incbin"},
                  {"db", ".byte, or .ascii for text"},
                  {"dw", ".word"},
                  {"dd", ".long, or .float"},
                  {"dq", ".quad, or .double"},
                  {"dt", ".tfloat"},
                  {"resb", ".skip BYTES"},
                  {"resw", ".skip BYTES"},
                  {"resd", ".skip BYTES"},
                  {"resq", ".skip BYTES"},
                  {"equ", "NAME = VALUE"},
                  {"proc", "NAME:"},
                  {"retn", "ret"}};

typedef struct checker {
    const char *name; /* the user's name of the file */
    const char *text; /* the whole file */
    p5_error *error;
} checker;

static unsigned column_of(const char *text, const char *at)
{
    const char *line = at;
    while (line > text && line[-1] != '\n')
        line--;
    return (unsigned)(at - line) + 1;
}

/* Adds to an error that is already set the place `at`, which lies in statement `s`. Returns P5_ERR_SYNTAX. */
static p5_status refuse(const checker *c, const code_statement *s, const char *at)
{
    error_at(c->error, c->name, s->line + code_lines(s->text, at), column_of(c->text, at));
    return P5_ERR_SYNTAX;
}

/* Rejects the word at `at` if it is a statement of NASM or MASM. */
static p5_status check_statement_word(const checker *c, const code_statement *s, const char *at,
                                      size_t length)
{
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (!is_word(at, length, statements[i].word))
            continue;
        error_set(c->error, P5_ERR_SYNTAX, "'%.*s' is of another assembler than GNU's", (int)length, at);
        error_hint(c->error, "write %s", statements[i].instead);
        return refuse(c, s, at);
    }
    return P5_OK;
}

/* Rejects a size without PTR, which the GNU assembler reads as a number: DWORD [ESI] is [ESI+4], QWORD [ESI]
 * is [ESI+8]. */
static p5_status check_size(const checker *c, const code_statement *s, const char *at, size_t length)
{
    static const char *const sizes[] = {"byte",  "word",    "dword",  "fword", "qword", "tbyte", "tword",
                                        "oword", "xmmword", "mmword", "near",  "far",   NULL};
    const char *end = s->text + s->length, *next = skip_blanks(at + length, end);
    const size_t next_length = word_length(next, end);
    if (!is_one_of(at, length, sizes) || is_word(next, next_length, "ptr") ||
        is_word(next, next_length, "bcst"))
        return P5_OK;
    const bool tword = is_word(at, length, "tword"), memory = next < end && *next == '[';
    error_set(c->error, P5_ERR_SYNTAX, "'%.*s' without 'ptr' is not a size in GNU syntax", (int)length, at);
    if (memory && is_word(at, length, "near"))
        error_hint(c->error, "leave out 'near'");
    else if (memory && is_word(at, length, "far"))
        error_hint(c->error, "write 'fword ptr ['");
    else if (memory)
        error_hint(c->error, "write '%.*s ptr ['", tword ? 5 : (int)length, tword ? "tbyte" : at);
    else
        error_hint(c->error, "leave it out, or put '%.*s ptr' before a memory operand", (int)length, at);
    return refuse(c, s, at);
}

/* Rejects decimal-looking numbers that begin with 0, which the GNU assembler reads as octal, NASM's hexadecimal
 * numbers (12h), and hexadecimal numbers of more than 32 bits. */
static p5_status check_number(const checker *c, const code_statement *s, const char *at, size_t length)
{
    const size_t digits = strspn(at, "0123456789"), hex = strspn(at, "0123456789abcdefABCDEF");
    if (digits >= length && *at == '0' && strspn(at, "0") < length) {
        error_set(c->error, P5_ERR_SYNTAX, "'%.*s' begins with 0: the GNU assembler reads it as octal",
                  (int)length, at);
        error_hint(c->error, "leave out the 0, or write 0x for hexadecimal");
    } else if (hex + 1 == length && tolower((unsigned char)at[hex]) == 'h') {
        error_set(c->error, P5_ERR_SYNTAX, "'%.*s': hexadecimal numbers begin with 0x", (int)length, at);
        error_hint(c->error, "write 0x%.*s", (int)hex, at);
    } else if (at[0] == '0' && tolower((unsigned char)at[1]) == 'x' &&
               length - 2 - strspn(at + 2, "0") > 2 * sizeof(uint32_t)) {
        error_set(c->error, P5_ERR_SYNTAX, "'%.*s' has more than 32 bits", (int)length, at);
    } else {
        return P5_OK;
    }
    return refuse(c, s, at);
}

/* Rejects ST0 to ST7, which are ST(0) to ST(7) in GNU syntax, and words with a dollar sign. */
static p5_status check_name(const checker *c, const code_statement *s, const char *at, size_t length)
{
    if (length == 3 && strncasecmp(at, "st", 2) == 0 && at[2] >= '0' && at[2] <= '7') {
        error_set(c->error, P5_ERR_SYNTAX, "'%.*s' is no register in GNU syntax", (int)length, at);
        error_hint(c->error, "write st(%c)", at[2]);
        return refuse(c, s, at);
    }
    if (*at == '$' && length > 1) {
        error_set(c->error, P5_ERR_SYNTAX, "'%.*s' is AT&T's immediate or NASM's hexadecimal number",
                  (int)length, at);
        error_hint(c->error, "write a number without the dollar sign; hexadecimal ones begin with 0x");
        return refuse(c, s, at);
    }
    return P5_OK;
}

static bool is_branch(const char *at, size_t length)
{
    return (length > 0 && tolower((unsigned char)*at) == 'j') || is_word(at, length, "call") ||
           (length >= 4 && strncasecmp(at, "loop", 4) == 0) || is_word(at, length, "xbegin");
}

/* Returns true if the word is a label that the text defines anywhere, or $, the current address of NASM and
 * MASM. */
static bool is_label(const char *text, const char *at, size_t length)
{
    for (const char *found = text; (found = strstr(found, ":")) != NULL; found++) {
        const char *end = found;
        while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        if ((size_t)(end - text) >= length && strncmp(end - length, at, length) == 0 &&
            ((size_t)(end - text) == length || !in_word(end[-(ptrdiff_t)length - 1])))
            return true;
    }
    return length == 1 && *at == '$';
}

/* Rejects a label alone as an operand, with or without an offset: it is memory for the GNU assembler and
 * MASM, but an address for NASM. The operands of branches are addresses for all of them. */
static p5_status check_operands(const checker *c, const code_statement *s, const char *mnemonic,
                                size_t length)
{
    const char *end = s->text + s->length;
    if (is_branch(mnemonic, length))
        return P5_OK;
    for (const char *at = mnemonic + length; at < end;) {
        at = skip_blanks(at, end);
        const size_t word = word_length(at, end);
        const char *after = skip_blanks(at + word, end);
        if (word > 0 && !isdigit((unsigned char)*at) && !is_register(at, word) &&
            (after == end || *after == ',' || *after == '+' || *after == '-') &&
            is_label(c->text, at, word)) {
            error_set(c->error, P5_ERR_SYNTAX,
                      "'%.*s' alone is memory in GNU syntax and an address in NASM's", (int)word, at);
            error_hint(c->error, "write [%.*s], or offset %.*s", (int)word, at, (int)word, at);
            return refuse(c, s, at);
        }
        while (at < end && *at != ',') {
            const char *end_of_special = code_skip(at);
            at = end_of_special > at ? end_of_special : at + 1;
        }
        at += at < end;
    }
    return P5_OK;
}

static p5_status check_words(const checker *c, const code_statement *s, const char *from)
{
    const char *end = s->text + s->length;
    p5_status status = P5_OK;
    size_t length;
    for (const char *at = next_word(from, end); at < end && status == P5_OK;
         at = next_word(at + length, end)) {
        length = word_length(at, end);
        status = isdigit((unsigned char)*at) ? check_number(c, s, at, length) : check_size(c, s, at, length);
        if (status == P5_OK)
            status = check_name(c, s, at, length);
    }
    return status;
}

static p5_status check_intel(const checker *c, const code_statement *s)
{
    size_t length;
    const char *end = s->text + s->length, *word = first_word(s, &length);
    if (length == 0) {
        if (*word != '%' && *word != '[')
            return P5_OK; /* the assembler reports it */
        error_set(c->error, P5_ERR_SYNTAX, "this is of NASM's preprocessor or directives");
        error_hint(c->error,
                   "write GNU syntax: .macro, .rept, NAME = VALUE; or assemble by nasm -f elf32 and use "
                   "--function");
        return refuse(c, s, word);
    }
    if (*word == '.')
        return P5_OK; /* a directive */
    p5_status status = check_statement_word(c, s, word, length);
    const char *second = skip_blanks(word + length, end);
    if (status == P5_OK) /* the second word is the statement in NAME EQU 5 or TABLE DD 1 */
        status = check_statement_word(c, s, second, word_length(second, end));
    if (status == P5_OK)
        status = check_words(c, s, word + length);
    if (status == P5_OK)
        status = check_operands(c, s, word, length);
    return status;
}

p5_status code_check(const char *name, const char *text, bool att, p5_error *error)
{
    const checker c = {name, text, error};
    code_cursor cursor = {text, 1, false};
    code_statement s;
    p5_status status = P5_OK;
    while (status == P5_OK && code_next(&cursor, &s)) {
        size_t length;
        const char *word = first_word(&s, &length);
        if (is_word(word, length, ".att_syntax") || is_word(word, length, ".intel_syntax"))
            att = is_word(word, length, ".att_syntax");
        else if (s.after_semicolon) {
            error_set(error, P5_ERR_SYNTAX, "a semicolon separates instructions, and begins no comment");
            error_hint(error, "comments begin with #; for a NASM source, measure the object "
                              "that nasm -f elf32 makes, with --function");
            status = refuse(&c, &s, s.text);
        } else if (!att) {
            status = check_intel(&c, &s);
        }
    }
    return status;
}

/* ---- Places of the assembler's messages ---- */

/* Sets *word to what a message quotes, as in "junk `foo' after expression" or "symbol 'foo' is not defined",
 * and returns its length. Returns 0 if the message quotes nothing. */
static size_t quoted_word(const char *message, const char **word)
{
    const char *quote = strpbrk(message, "`'");
    if (quote == NULL)
        return 0;
    *word = quote + 1;
    return strcspn(quote + 1, " ,'`");
}

/* Looks in the statements of the error's line, or in all if it has no line, for the word that the message
 * quotes. Sets the error's place to the word, or to the first statement of the line if the word is not
 * there. */
void p5_code_locate(const char *text, p5_error *error)
{
    const char *word = "";
    const size_t length = quoted_word(error->message, &word);
    code_cursor cursor = {text, 1, false};
    code_statement s;
    while (code_next(&cursor, &s)) {
        if (error->line != 0 && s.line != error->line)
            continue;
        const char *found = NULL, *end = s.text + s.length;
        for (const char *at = s.text; length > 0 && found == NULL && at + length <= end; at++)
            if (strncmp(at, word, length) == 0 && (at == s.text || !in_word(at[-1]) || !in_word(*word)) &&
                (at + length == end || !in_word(at[length]) || !in_word(word[length - 1])))
                found = at;
        if (found == NULL && (error->line == 0 || error->column != 0))
            continue;
        error->line = s.line;
        error->column = column_of(text, found != NULL ? found : s.text);
        if (found != NULL)
            return;
    }
}

/* Rejects a register without a percent sign in AT&T code: there it would be a symbol. Directives are not
 * checked. */
static p5_status check_att(const checker *c)
{
    code_cursor cursor = {c->text, 1, false};
    code_statement s;
    while (code_next(&cursor, &s)) {
        size_t length;
        const char *end = s.text + s.length, *word = first_word(&s, &length);
        for (const char *at = next_word(word + length, end); at < end; at = next_word(at + length, end)) {
            length = word_length(at, end);
            if (*word == '.' || !is_register(at, length) || at[-1] == '%')
                continue;
            error_set(c->error, P5_ERR_SYNTAX, "'%.*s' is no register in AT&T syntax", (int)length, at);
            error_hint(c->error, "write %%%.*s", (int)length, at);
            return refuse(c, &s, at);
        }
    }
    return P5_OK;
}

p5_status p5_code_check(const char *text, p5_error *error)
{
    const checker c = {NULL, text, error};
    const bool att = p5_code_is_att(text);
    p5_status status = att ? check_att(&c) : P5_OK;
    return status == P5_OK ? code_check(NULL, text, att, error) : status;
}
