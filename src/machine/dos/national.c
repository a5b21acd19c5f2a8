/* Country-dependent functions: AH = 38h, 63h, 65h, 66h. The country is the United States, with code page 437.
 * The tables are in guest memory, because programs ask for their addresses. */
#include <string.h>

#include "machine/dos/dos_internal.h"

enum { COUNTRY = 1, CODE_PAGE = 437, UPPER_FIRST = 0x80, CODES = 256, HALF = 128 };

/* Upper case of the codes from 80h on in code page 437, which programs can read. */
static const uint8_t upper[HALF] = {
    0x80, 0x9a, 0x45, 0x41, 0x8e, 0x41, 0x8f, 0x80, 0x45, 0x45, 0x45, 0x49, 0x49, 0x49, 0x8e, 0x8f,
    0x90, 0x92, 0x92, 0x4f, 0x99, 0x4f, 0x55, 0x55, 0x59, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f,
    0x41, 0x49, 0x4f, 0x55, 0xa5, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,
    0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf,
    0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf,
    0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf,
    0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef,
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};

/* AH = 65h AL = 05h: the characters of file names. They range from 00h to FFh, except 00h to 20h and the 14
 * listed here. */
static const uint8_t file_characters[] = {1,    0,   0xff, 0,   0,   0x20, 2,   14,  '.', '"', '/',
                                          '\\', '[', ']',  ':', '|', '<',  '>', '+', '=', ';', ','};

/* Each table is a word with its size in bytes, followed by these bytes. */
enum {
    TABLE_UPPER = DOS_NATIONAL,
    TABLE_FILES = TABLE_UPPER + 2 + HALF,
    TABLE_ORDER = TABLE_FILES + 2 + sizeof file_characters,
    /* lead bytes of two-byte characters: an empty table and a word of 0 */
    TABLE_LEAD = TABLE_ORDER + 2 + CODES
};

static uint8_t to_upper(uint8_t c)
{
    return c >= UPPER_FIRST ? upper[c - UPPER_FIRST] : c >= 'a' && c <= 'z' ? (uint8_t)(c - 32) : c;
}

/* Returns the collating weight of a character: letters with accents sort as those without. */
static uint8_t in_order(uint8_t c)
{
    static const uint8_t accents[][2] = {{0x80, 'C'}, {0x8e, 'A'}, {0x8f, 'A'}, {0x90, 'E'}, {0x92, 'A'},
                                         {0x99, 'O'}, {0x9a, 'U'}, {0xa5, 'N'}, {0xe1, 'S'}};
    c = to_upper(c);
    for (unsigned i = 0; i < sizeof accents / sizeof accents[0]; i++)
        if (c == accents[i][0])
            return accents[i][1];
    return c;
}

/* Writes a table at an offset of DOS's data segment. */
static void put_table(dos *d, uint16_t offset, const uint8_t *bytes, uint16_t size)
{
    uint32_t at = dos_linear(DOS_DATA, offset);
    dos_store(d, at, size);
    engine_write_linear(d->engine, at + 2, bytes, size);
}

void dos_national_open(dos *d)
{
    uint8_t order[CODES];
    for (unsigned c = 0; c < CODES; c++)
        order[c] = in_order((uint8_t)c);
    put_table(d, TABLE_UPPER, upper, sizeof upper);
    put_table(d, TABLE_FILES, file_characters, sizeof file_characters);
    put_table(d, TABLE_ORDER, order, sizeof order);
    put_table(d, TABLE_LEAD, NULL, 0);
    dos_store(d, dos_linear(DOS_DATA, TABLE_LEAD + 2), 0);
}

/* Executes the case-map routine, which programs call: converts AL to upper case if it is 80h or above. */
void dos_case_map(dos *d)
{
    uint8_t al = bios_low(&d->bios, ENGINE_EAX);
    bios_set_low(&d->bios, ENGINE_EAX, al >= UPPER_FIRST ? to_upper(al) : al);
}

/* Makes the 34 bytes of country information: date as month, day, year; "$" before the amount; separators ",",
 * ".", "-", ":"; two decimals; the far address of the case-map routine; "," as the list separator. */
static void make_information(uint8_t information[34])
{
    static const uint8_t texts[] = {0, 0, '$', 0, 0, 0, 0, ',', 0, '.', 0, '-', 0, ':', 0, 0, 2, 0};
    const uint32_t routine = bios_stub_address(DOS_CASE_SLOT);
    memset(information, 0, 34);
    memcpy(information, texts, sizeof texts);
    memcpy(information + 18, &routine, sizeof routine);
    information[22] = ',';
}

/* AH = 38h: Stores the country information at DS:DX. DX = FFFFh selects a country, which has no effect. */
dos_error dos_call_country(dos *d)
{
    uint8_t information[34];
    if (bios_word(&d->bios, ENGINE_EDX) == 0xffff)
        return DOS_OK;
    make_information(information);
    engine_write_linear(d->engine, dos_pointer(d, ENGINE_DS, ENGINE_EDX), information, sizeof information);
    bios_set_word(&d->bios, ENGINE_EBX, COUNTRY);
    bios_set_word(&d->bios, ENGINE_EAX, COUNTRY);
    return DOS_OK;
}

/* AH = 63h: AL = 0 returns the lead byte table in DS:SI. AL = 1 and 2 set and get the interim console flag,
 * which is off. */
dos_error dos_call_lead_bytes(dos *d)
{
    uint8_t what = bios_low(&d->bios, ENGINE_EAX);
    if (what > 2)
        return DOS_NO_FUNCTION;
    if (what == 0) {
        dos_set_segment(d, ENGINE_DS, DOS_DATA);
        bios_set_word(&d->bios, ENGINE_ESI, TABLE_LEAD + 2);
    } else if (what == 2) {
        bios_set_low(&d->bios, ENGINE_EDX, 0);
    }
    bios_set_low(&d->bios, ENGINE_EAX, 0);
    return DOS_OK;
}

/* AL = 20h, 21h, 22h: Converts to upper case DL, CX characters at DS:DX, or the text at DS:DX that ends with NUL. */
static dos_error upper_case(dos *d, uint8_t what)
{
    uint32_t at = dos_pointer(d, ENGINE_DS, ENGINE_EDX), count = bios_word(&d->bios, ENGINE_ECX);
    if (what == 0x20) {
        bios_set_low(&d->bios, ENGINE_EDX, to_upper(bios_low(&d->bios, ENGINE_EDX)));
        return DOS_OK;
    }
    for (uint32_t i = 0; i < (what == 0x21 ? count : 0xffffu); i++) {
        uint8_t c = (uint8_t)bios_load(&d->bios, at + i, 1);
        if (what == 0x22 && c == 0)
            break;
        bios_store(&d->bios, at + i, 1, to_upper(c));
    }
    return DOS_OK;
}

/* AL = 23h: Returns AX = 0 if DL is the letter for no, 1 for yes, 2 otherwise. */
static dos_error yes_or_no(dos *d)
{
    uint8_t c = to_upper(bios_low(&d->bios, ENGINE_EDX));
    bios_set_word(&d->bios, ENGINE_EAX, c == 'N' ? 0 : c == 'Y' ? 1 : 2);
    return DOS_OK;
}

/* AL = 01h: Stores the country information in the CX bytes at ES:DI. AL = 02h, 04h-07h: Stores AL and the address of a
 * table there, which are POINTER bytes. */
static dos_error information(dos *d, uint8_t what)
{
    enum { POINTER = 5 };
    static const uint16_t tables[8] = {
        [2] = TABLE_UPPER, [4] = TABLE_UPPER, [5] = TABLE_FILES, [6] = TABLE_ORDER, [7] = TABLE_LEAD};
    uint8_t bytes[41] = {what};
    uint16_t capacity = bios_word(&d->bios, ENGINE_ECX), size = POINTER;
    if (what == 1) {
        static const uint16_t words[3] = {sizeof bytes - 3, COUNTRY, CODE_PAGE};
        memcpy(bytes + 1, words, sizeof words);
        make_information(bytes + 7);
        size = sizeof bytes;
    } else if (what < 8 && tables[what] != 0) {
        const uint16_t pointer[2] = {tables[what], DOS_DATA};
        memcpy(bytes + 1, pointer, sizeof pointer);
    } else {
        return DOS_NO_FUNCTION;
    }
    if (capacity < POINTER)
        return DOS_NO_FUNCTION;
    size = size < capacity ? size : capacity;
    engine_write_linear(d->engine, dos_pointer(d, ENGINE_ES, ENGINE_EDI), bytes, size);
    bios_set_word(&d->bios, ENGINE_ECX, size);
    return DOS_OK;
}

/* AH = 65h: Converts to upper case, recognises yes and no, or stores information, by AL. */
dos_error dos_call_national(dos *d)
{
    uint8_t what = bios_low(&d->bios, ENGINE_EAX);
    if (what >= 0x20 && what <= 0x22)
        return upper_case(d, what);
    return what == 0x23 ? yes_or_no(d) : information(d, what);
}

/* AH = 66h: AL = 1 returns the active and the default code page; setting them has no effect. */
dos_error dos_call_code_page(dos *d)
{
    if (bios_low(&d->bios, ENGINE_EAX) == 1) {
        bios_set_word(&d->bios, ENGINE_EBX, CODE_PAGE);
        bios_set_word(&d->bios, ENGINE_EDX, CODE_PAGE);
    }
    return DOS_OK;
}
