/* VESA BIOS Extension (VBE) Core Functions 2.0, INT 10h AH = 4Fh: modes with 8, 15, 16 and 32 bits per pixel.
 * The 4 MB of memory are accessible through a 64 KB window at A0000h and as a linear frame buffer. */
#include <string.h>

#include "machine/base/notice.h"
#include "machine/bios/bios_internal.h"
#include "machine/bios/video.h"

enum {
    /* Offsets in the ROM's segment. */
    MAKER = 0x0800, /* the maker's name, a string */
    MODE_LIST = 0x0880,
    PROTECTED = 0x0900, /* routines for protected mode */

    WINDOW = 0x10000, /* bytes */

    /* Results in AX. */
    SUPPORTED = 0x4f,
    FAILED = 0x14f,

    /* The mode in BX. */
    KEEP_BIT = 0x8000, /* do not clear the memory */
    NUMBER_BITS = 0x1ff
};

/* Number, width and height, bits per pixel. */
static const video_vesa_mode modes[] = {
    {0x100, 640, 400, 8},  {0x101, 640, 480, 8},   {0x103, 800, 600, 8},   {0x105, 1024, 768, 8},
    {0x10d, 320, 200, 15}, {0x10e, 320, 200, 16},  {0x10f, 320, 200, 32},  {0x110, 640, 480, 15},
    {0x111, 640, 480, 16}, {0x112, 640, 480, 32},  {0x113, 800, 600, 15},  {0x114, 800, 600, 16},
    {0x115, 800, 600, 32}, {0x116, 1024, 768, 15}, {0x117, 1024, 768, 16}, {0x118, 1024, 768, 32},
};
enum { MODES = sizeof modes / sizeof modes[0] };

static const video_vesa_mode *vesa_find(unsigned number)
{
    for (unsigned i = 0; i < MODES; i++)
        if (modes[i].number == number)
            return &modes[i];
    return NULL;
}

static unsigned pixel_bytes(const video_vesa_mode *mode)
{
    return (mode->bits + 7u) / 8;
}

/* --- ROM contents --- */

/* Routines that a program may copy and call in 32-bit protected mode instead of 4F05h, 4F07h and 4F09h. They use only
 * the ports of the DAC and a pair of ports of this VGA, 1CEh for an index and 1CFh for data (board/video_memory.c). */
static const uint8_t window_code[] = {
    0x50, 0x52,             /* push eax; push edx */
    0x66, 0xba, 0xce, 0x01, /* mov dx,1CEh */
    0x66, 0xb8, 0x05, 0x00, /* mov ax,5: the window's start in units of 64 KB */
    0x66, 0xef,             /* out dx,ax */
    0x42,                   /* inc edx */
    0x8b, 0x04, 0x24,       /* mov eax,[esp] */
    0x66, 0xef,             /* out dx,ax */
    0x5a, 0x58,             /* pop edx; pop eax */
    0x66, 0xb8, 0x4f, 0x00, /* mov ax,4Fh */
    0xc3                    /* ret */
};
static const uint8_t start_code[] = {
    0x50, 0x52,             /* push eax; push edx: the start is DX:CX, in units of 4 bytes */
    0x66, 0xba, 0xce, 0x01, /* mov dx,1CEh */
    0x66, 0xb8, 0x06, 0x00, /* mov ax,6: its low half */
    0x66, 0xef, 0x42,       /* out dx,ax; inc edx */
    0x66, 0x89, 0xc8,       /* mov ax,cx */
    0x66, 0xef, 0x4a,       /* out dx,ax; dec edx */
    0x66, 0xb8, 0x07, 0x00, /* mov ax,7: its high half */
    0x66, 0xef, 0x42,       /* out dx,ax; inc edx */
    0x8b, 0x04, 0x24,       /* mov eax,[esp] */
    0x66, 0xef,             /* out dx,ax */
    0x5a, 0x58,             /* pop edx; pop eax */
    0x66, 0xb8, 0x4f, 0x00, /* mov ax,4Fh */
    0xc3                    /* ret */
};
static const uint8_t colours_code[] = {
    0x60,                         /* pushad: CX colours from DX on, at ES:EDI */
    0x0f, 0xb7, 0xc9,             /* movzx ecx,cx */
    0x88, 0xd0,                   /* mov al,dl */
    0x66, 0xba, 0xc8, 0x03,       /* mov dx,3C8h */
    0xee, 0x42,                   /* out dx,al; inc edx */
    0xe3, 0x14,                   /* next: jecxz end */
    0x26, 0x8a, 0x47, 0x02, 0xee, /* mov al,es:[edi+2]; out dx,al */
    0x26, 0x8a, 0x47, 0x01, 0xee, /* mov al,es:[edi+1]; out dx,al */
    0x26, 0x8a, 0x07, 0xee,       /* mov al,es:[edi]; out dx,al */
    0x83, 0xc7, 0x04, 0x49,       /* add edi,4; dec ecx */
    0xeb, 0xea,                   /* jmp next */
    0x61,                         /* end: popad */
    0x66, 0xb8, 0x4f, 0x00,       /* mov ax,4Fh */
    0xc3                          /* ret */
};

/* Writes the table of the protected-mode interface: offsets of the routines and of their port list, then the
 * routines. Returns its size. */
static uint16_t make_protected(uint8_t *at)
{
    static const uint16_t ports[] = {0x1ce, 0x1cf, 0x3c8, 0x3c9, 0xffff, 0xffff};
    static const struct {
        const void *bytes;
        uint16_t size;
    } parts[4] = {{window_code, sizeof window_code},
                  {start_code, sizeof start_code},
                  {colours_code, sizeof colours_code},
                  {ports, sizeof ports}};
    uint16_t offset = 8;
    for (unsigned i = 0; i < 4; i++) {
        memcpy(at + i * 2, &offset, 2);
        memcpy(at + offset, parts[i].bytes, parts[i].size);
        offset = (uint16_t)(offset + parts[i].size);
    }
    return offset;
}

void vesa_rom(uint8_t *rom)
{
    static const uint16_t end = 0xffff;
    strcpy((char *)rom + MAKER, "p5scope");
    for (unsigned i = 0; i < MODES; i++)
        memcpy(rom + MODE_LIST + i * 2, &modes[i].number, 2);
    memcpy(rom + MODE_LIST + MODES * 2, &end, 2);
    make_protected(rom + PROTECTED);
}

/* --- 4F00h, 4F01h --- */

/* Writes a number of `size` bytes at offset `at` of an information block. */
static void put(uint8_t *bytes, unsigned at, unsigned size, uint32_t value)
{
    memcpy(bytes + at, &value, size);
}

/* Returns the linear address ES:DI, to which most functions write their result. */
static uint32_t destination(const bios *b)
{
    return bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDI);
}

/* 4F00h: Stores the controller information: 512 bytes if the caller has written VBE2 to the buffer, else 256. */
static uint16_t controller_information(bios *b)
{
    enum { OLD_BYTES = 256, BYTES = 512, VERSION = 0x200 };
    uint8_t block[BYTES] = "VESA";
    bool is_new = bios_load(b, destination(b), 4) == 0x32454256; /* VBE2 */
    put(block, 4, 2, VERSION);
    put(block, 6, 4, bios_rom_pointer(MAKER));
    put(block, 14, 4, bios_rom_pointer(MODE_LIST));
    put(block, 18, 2, P5_VIDEO_LINEAR_BYTES / WINDOW); /* memory in units of 64 KB */
    put(block, 20, 2, 1); /* software revision; the pointers to vendor, product and revision follow */
    for (unsigned i = 0; i < 3; i++)
        put(block, 22 + 4 * i, 4, bios_rom_pointer(MAKER));
    engine_write_linear(b->machine->engine, destination(b), block, is_new ? BYTES : OLD_BYTES);
    return SUPPORTED;
}

/* Stores size and position of red, green, blue and the reserved field in a pixel of this number of bits. Modes
 * with 8 bits have no such fields. */
static void put_colour_fields(uint8_t *block, unsigned bits)
{
    static const uint8_t fields[3][8] = {
        {5, 10, 5, 5, 5, 0, 1, 15}, {5, 11, 6, 5, 5, 0, 0, 0}, {8, 16, 8, 8, 8, 0, 8, 24}};
    enum { AT = 31 };
    if (bits > 8)
        memcpy(block + AT, fields[bits == 15 ? 0 : bits == 16 ? 1 : 2], 8);
}

/* 4F01h: Stores 256 bytes of information about mode CX. */
static uint16_t mode_information(bios *b)
{
    enum { ATTRIBUTES = 0x9b, WINDOW_ATTRIBUTES = 7, PACKED = 4, DIRECT = 6, BYTES = 256 };
    const video_vesa_mode *mode = vesa_find(bios_word(b, ENGINE_ECX) & NUMBER_BITS);
    uint8_t block[BYTES] = {0};
    if (mode == NULL)
        return FAILED;
    uint32_t pitch = mode->width * pixel_bytes(mode);
    put(block, 0, 2, ATTRIBUTES);        /* supported, colour, graphics, linear frame buffer */
    put(block, 2, 1, WINDOW_ATTRIBUTES); /* window A: movable, readable, writable; there is no window B */
    put(block, 4, 2, WINDOW >> 10);      /* in what steps it moves, and its size, in KB */
    put(block, 6, 2, WINDOW >> 10);
    put(block, 8, 2, P5_VIDEO_WINDOW >> 4);                 /* its segment */
    put(block, 12, 4, bios_stub_address(VESA_WINDOW_SLOT)); /* the stub calls vesa_window */
    put(block, 16, 2, pitch);
    put(block, 18, 2, mode->width);
    put(block, 20, 2, mode->height);
    put(block, 22, 2, 0x1008); /* characters of 8 x 16 */
    put(block, 24, 1, 1);      /* planes */
    put(block, 25, 1, mode->bits);
    put(block, 26, 1, 1);                                                  /* banks */
    put(block, 27, 1, mode->bits == 8 ? PACKED : DIRECT);                  /* memory model */
    put(block, 29, 1, P5_VIDEO_LINEAR_BYTES / (pitch * mode->height) - 1); /* pages after the first one */
    put(block, 30, 1, 1);                                                  /* reserved: 1 */
    put_colour_fields(block, mode->bits);
    put(block, 40, 4, P5_VIDEO_LINEAR);      /* linear frame buffer */
    put(block, 44, 4, pitch * mode->height); /* offset and KB of the rest */
    put(block, 48, 2, (P5_VIDEO_LINEAR_BYTES - pitch * mode->height) >> 10);
    engine_write_linear(b->machine->engine, destination(b), block, sizeof block);
    return SUPPORTED;
}

/* --- 4F02h, 4F03h --- */

/* 4F02h: Sets a VGA mode or a VESA mode. Bit 14 of BX, which selects the linear frame buffer, has no effect:
 * every VESA mode has both the window and the frame buffer. */
static uint16_t set_mode(bios *b)
{
    enum { MODE_256 = 0x13, OLD_MODES = 0x7f };
    uint16_t bx = bios_word(b, ENGINE_EBX), number = bx & NUMBER_BITS;
    const video_mode *old = number <= OLD_MODES ? video_mode_find(number) : NULL;
    const video_vesa_mode *mode = vesa_find(number);
    if (old != NULL) {
        video_set_mode(b, old, (bx & KEEP_BIT) != 0);
        return SUPPORTED;
    }
    if (mode == NULL) {
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1200u | number,
                    "BIOS: VESA mode %03Xh is not supported", number);
        return FAILED;
    }
    video_set_mode(b, video_mode_find(MODE_256), true); /* sets registers, colours, BIOS data area */
    video_set_vesa(b->machine->devices, mode, mode->width * pixel_bytes(mode));
    if ((bx & KEEP_BIT) == 0)
        memset(video_vesa_now(b->machine->devices).memory, 0, P5_VIDEO_LINEAR_BYTES);
    bios_store(b, BDA_COLUMNS, 2, mode->width / 8u);
    bios_store(b, BDA_ROWS, 1, mode->height / 16u - 1);
    bios_store(b, BDA_CHARACTER, 2, 16);
    return SUPPORTED;
}

/* 4F03h: Returns the current mode in BX. */
static uint16_t get_mode(bios *b)
{
    uint16_t mode = video_vesa_now(b->machine->devices).mode;
    bios_set_word(b, ENGINE_EBX, mode != 0 ? mode : (uint16_t)bios_load(b, BDA_VIDEO_MODE, 1));
    return SUPPORTED;
}

/* --- 4F04h --- */

/* Saves or restores the whole state: the registers, and the two parts of the data area. Ignores CX, which selects
 * parts of the state. */
bool video_serve_state(bios *b, uint8_t what)
{
    enum { BLOCK = 64, FIRST = 30, SECOND = 7 };
    uint8_t state[VIDEO_STATE_BYTES + BLOCK] = {0}, *first = state + VIDEO_STATE_BYTES,
                                      *second = first + FIRST;
    engine *e = b->machine->engine;
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EBX);
    switch (what) {
    case 0:
        bios_set_word(b, ENGINE_EBX, (sizeof state + BLOCK - 1) / BLOCK);
        return true;
    case 1:
        video_state_save(b->machine->devices, state);
        engine_read_linear(e, BDA_VIDEO_MODE, first, FIRST);
        engine_read_linear(e, BDA_ROWS, second, SECOND);
        engine_write_linear(e, at, state, sizeof state);
        return true;
    case 2:
        engine_read_linear(e, at, state, sizeof state);
        video_state_restore(b->machine->devices, state);
        engine_write_linear(e, BDA_VIDEO_MODE, first, FIRST);
        engine_write_linear(e, BDA_ROWS, second, SECOND);
        return true;
    default:
        return false;
    }
}

/* 4F04h: DL has the operation. */
static uint16_t serve_state(bios *b)
{
    return video_serve_state(b, bios_low(b, ENGINE_EDX)) ? SUPPORTED : FAILED;
}

/* --- 4F05h-4F0Ah --- */

/* Sets (BH = 0) or returns (BH = 1) the start of window A (BL = 0): DX, in units of 64 KB. 4F05h calls it after
 * its checks. Programs also call it directly, by a stub in the ROM, without checks: starts beyond the memory's end
 * then have no effect. */
void vesa_window(bios *b)
{
    if (bios_high(b, ENGINE_EBX) == 0 && bios_low(b, ENGINE_EBX) == 0)
        video_set_bank(b->machine->devices, (uint32_t)bios_word(b, ENGINE_EDX) * WINDOW);
    else if (bios_high(b, ENGINE_EBX) == 1)
        bios_set_word(b, ENGINE_EDX, (uint16_t)(video_vesa_now(b->machine->devices).bank / WINDOW));
}

/* 4F05h: Sets or returns the window's start, in VESA modes only. */
static uint16_t serve_window(bios *b)
{
    bool wrong =
        bios_low(b, ENGINE_EBX) != 0 || bios_high(b, ENGINE_EBX) > 1 ||
        (bios_high(b, ENGINE_EBX) == 0 && bios_word(b, ENGINE_EDX) >= P5_VIDEO_LINEAR_BYTES / WINDOW);
    if (wrong || video_vesa_now(b->machine->devices).mode == 0)
        return FAILED;
    vesa_window(b);
    return SUPPORTED;
}

/* 4F06h: BL = 0 sets the length of a line to CX pixels, and BL = 2 to CX bytes, rounded up to a multiple of 8
 * bytes; 1 returns the length; 3 returns the greatest length with which the mode's lines fit into the memory. */
static uint16_t serve_line(bios *b)
{
    devices *board = b->machine->devices;
    video_vesa now = video_vesa_now(board);
    const video_vesa_mode *mode = vesa_find(now.mode);
    uint8_t what = bios_low(b, ENGINE_EBX);
    if (mode == NULL || now.pitch == 0 || what > 3)
        return FAILED;
    uint32_t size = pixel_bytes(mode), wanted = bios_word(b, ENGINE_ECX) * (what == 0 ? size : 1);
    uint32_t most = P5_VIDEO_LINEAR_BYTES / mode->height & ~7u;
    wanted = (wanted + 7) & ~7u;
    if (what == 0 || what == 2) {
        if (wanted < mode->width * size || wanted > most || wanted > 0xffff)
            return 0x24f; /* not supported by the hardware */
        video_set_pitch(board, wanted);
        now.pitch = wanted;
    }
    uint32_t pitch = what == 3 ? (most < 0xfff8 ? most : 0xfff8) : now.pitch;
    bios_set_word(b, ENGINE_EBX, (uint16_t)pitch);
    bios_set_word(b, ENGINE_ECX, (uint16_t)(pitch / size));
    bios_set_word(b, ENGINE_EDX, (uint16_t)(P5_VIDEO_LINEAR_BYTES / pitch));
    return SUPPORTED;
}

/* 4F07h: BL = 0 or 80h starts the display at pixel CX of line DX; 1 returns this pixel and line. */
static uint16_t serve_start(bios *b)
{
    devices *board = b->machine->devices;
    const video_vesa now = video_vesa_now(board);
    const video_vesa_mode *mode = vesa_find(now.mode);
    uint8_t what = bios_low(b, ENGINE_EBX);
    if (mode == NULL || now.pitch == 0 || (what & 0x7f) > 1)
        return FAILED;
    uint32_t size = pixel_bytes(mode);
    if ((what & 0x7f) == 1) {
        bios_set_high(b, ENGINE_EBX, 0);
        bios_set_word(b, ENGINE_ECX, (uint16_t)(now.start % now.pitch / size));
        bios_set_word(b, ENGINE_EDX, (uint16_t)(now.start / now.pitch));
        return SUPPORTED;
    }
    uint64_t start = (uint64_t)bios_word(b, ENGINE_EDX) * now.pitch + bios_word(b, ENGINE_ECX) * size;
    if (start + (uint64_t)now.pitch * (mode->height - 1u) + mode->width * size > P5_VIDEO_LINEAR_BYTES)
        return FAILED;
    video_set_start(board, (uint32_t)start);
    return SUPPORTED;
}

/* 4F09h: BL = 0 or 80h copies CX entries (blue, green, red, unused byte) from ES:DI to the entries of the DAC from DX
 * on; 1 copies them from the DAC to ES:DI. The DAC's own order is red, green, blue. */
static uint16_t serve_colours(bios *b)
{
    uint8_t what = bios_low(b, ENGINE_EBX) & 0x7f, *dac = video_vga_of(b->machine->devices).dac;
    uint32_t first = bios_word(b, ENGINE_EDX), count = bios_word(b, ENGINE_ECX), at = destination(b);
    if (what > 1 || first > 255 || count > 256 - first)
        return FAILED;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t entry[4] = {0}, *colour = dac + (first + i) * 3;
        if (what == 0)
            engine_read_linear(b->machine->engine, at + i * 4, entry, sizeof entry);
        for (unsigned c = 0; c < 3; c++)
            *(what == 0 ? &colour[c] : &entry[2 - c]) = what == 0 ? entry[2 - c] & 0x3f : colour[c];
        if (what == 1)
            engine_write_linear(b->machine->engine, at + i * 4, entry, sizeof entry);
    }
    return SUPPORTED;
}

/* 4F0Ah: Returns address and size of the table that vesa_rom has written to the ROM. Makes the table again,
 * because only make_protected knows the size. */
static uint16_t protected_interface(bios *b)
{
    uint8_t copy[1024];
    if (bios_low(b, ENGINE_EBX) != 0)
        return FAILED;
    bios_set_pointer(b, ENGINE_EDI, bios_rom_pointer(PROTECTED));
    bios_set_word(b, ENGINE_ECX, make_protected(copy));
    return SUPPORTED;
}

/* 4F08h: Returns the DAC width, which is fixed: 6 bits per primary colour. */
static uint16_t serve_width(bios *b)
{
    if (bios_low(b, ENGINE_EBX) > 1)
        return FAILED;
    bios_set_high(b, ENGINE_EBX, 6);
    return SUPPORTED;
}

void video_vesa_service(bios *b)
{
    /* The services by AL. Each returns the result for AX. */
    static uint16_t (*const services[])(bios *) = {
        controller_information, mode_information, set_mode,    get_mode,    serve_state,
        serve_window,           serve_line,       serve_start, serve_width, serve_colours,
        protected_interface};
    /* From 10h on the functions are of supplements: power management, display identification and others. Their calls
     * are not reported, because programs call them to detect whether they exist. */
    enum { SUPPLEMENTS = 0x10 };
    uint8_t function = bios_low(b, ENGINE_EAX);
    if (function < sizeof services / sizeof services[0])
        bios_set_word(b, ENGINE_EAX, services[function](b));
    else if (function < SUPPLEMENTS)
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1400u | function,
                    "BIOS: VESA function 4F%02Xh (INT 10h) is not implemented", function);
}
