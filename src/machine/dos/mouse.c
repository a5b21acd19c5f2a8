/* INT 33h: the driver of a mouse that nobody touches: it never moves, and its two buttons are never pressed. Microsoft
 * Mouse Programmer's Reference, version 8. */
#include <string.h>

#include "machine/base/notice.h"
#include "machine/bios/video.h"
#include "machine/dos/dos_internal.h"
#include "machine/load/data_area.h"

enum {
    INSTALLED = 0xffff, /* there is a driver */
    BUTTONS = 2,
    VERSION = 0x0805, /* 8.05 */
    TYPE_PS2 = 4,
    STATE_BYTES = 0x2c, /* memory that a program needs to save the driver's state */
    DEFAULT_SENSITIVITY = 50,
    DEFAULT_DOUBLE_SPEED = 50, /* of the mouse, from which on the pointer moves twice as far */
    SCREEN_WIDTH = 640,        /* of the virtual screen, in pixels, in all modes */
    ROW_HEIGHT = 8,            /* of a line of text on the virtual screen */
    LAST_FUNCTION = 0x34       /* of the reference */
};

/* Returns the height of the virtual screen in pixels. */
static uint16_t screen_height(const dos *d)
{
    const video_mode *mode = video_mode_find(bios_load(&d->bios, BDA_VIDEO_MODE, 1));
    if (mode == NULL)
        return 200;
    return mode->kind == VIDEO_TEXT ? (uint16_t)(ROW_HEIGHT * (bios_load(&d->bios, BDA_ROWS, 1) + 1))
                                    : mode->height;
}

/* Sets the driver's defaults: the pointer is hidden, in the middle of the screen. */
static void mouse_reset(dos *d)
{
    uint16_t bottom = (uint16_t)(screen_height(d) - 1);
    d->mouse = (dos_mouse){.right = SCREEN_WIDTH - 1,
                           .bottom = bottom,
                           .x = SCREEN_WIDTH / 2,
                           .y = (uint16_t)((bottom + 1) / 2),
                           .hidden = 1,
                           .horizontal = DEFAULT_SENSITIVITY,
                           .vertical = DEFAULT_SENSITIVITY,
                           .double_speed = DEFAULT_DOUBLE_SPEED};
}

/* Limits a signed value to a range. */
static uint16_t between(uint16_t value, uint16_t least, uint16_t most)
{
    int16_t wanted = (int16_t)value;
    return wanted < (int16_t)least ? least : wanted > (int16_t)most ? most : value;
}

/* Moves the pointer, within the permitted range. */
static void set_position(dos *d, uint16_t x, uint16_t y)
{
    dos_mouse *m = &d->mouse;
    m->x = between(x, m->left, m->right);
    m->y = between(y, m->top, m->bottom);
}

/* 07h and 08h: the smaller value is the lower bound, whichever register it is in. */
static void set_range(dos *d, uint16_t *least, uint16_t *most)
{
    uint16_t cx = bios_word(&d->bios, ENGINE_ECX), dx = bios_word(&d->bios, ENGINE_EDX);
    bool ordered = (int16_t)cx <= (int16_t)dx;
    *least = ordered ? cx : dx;
    *most = ordered ? dx : cx;
    set_position(d, d->mouse.x, d->mouse.y);
}

/* 0Ch: sets the handler ES:DX of the events CX, none of which ever happens. */
static void set_handler(dos *d)
{
    d->mouse.mask = bios_word(&d->bios, ENGINE_ECX);
    d->mouse.handler =
        (uint32_t)(bios_segment(&d->bios, ENGINE_ES) >> 4) << 16 | bios_word(&d->bios, ENGINE_EDX);
}

/* 14h: sets the handler and returns the previous one. */
static void exchange_handler(dos *d)
{
    uint32_t before = d->mouse.handler;
    uint16_t mask = d->mouse.mask;
    set_handler(d);
    bios_set_word(&d->bios, ENGINE_ECX, mask);
    bios_set_pointer(&d->bios, ENGINE_EDX, before);
}

/* Sends a notice about a function of the reference whose answer or effect a program may need. Others return nothing and
 * concern how the pointer looks, where it is shown and how it moves, the light pen, and the language. 11h, 12h and those
 * after 34h are not of the reference; programs call them to detect other drivers. */
static void missing_function(dos *d, uint16_t function)
{
    static const uint8_t harmless[] = {0x09, 0x0a, 0x0d, 0x0e, 0x0f, 0x10,
                                       0x11, 0x12, 0x13, 0x1c, 0x1d, 0x22};
    if (function <= LAST_FUNCTION && memchr(harmless, function, sizeof harmless) == NULL)
        notice_once(&d->machine->notices, NOTICE_OTHER, 0xd0600u | function,
                    "mouse function %02Xh (INT 33h) is not implemented", function);
}

void dos_mouse_service(dos *d)
{
    bios *b = &d->bios;
    dos_mouse *m = &d->mouse;
    uint16_t cx = bios_word(b, ENGINE_ECX), dx = bios_word(b, ENGINE_EDX);
    switch (bios_word(b, ENGINE_EAX)) {
    case 0x00:
    case 0x21: /* a reset of the driver without the hardware */
        mouse_reset(d);
        bios_set_word(b, ENGINE_EAX, INSTALLED);
        bios_set_word(b, ENGINE_EBX, BUTTONS);
        break;
    case 0x01: /* show the pointer; 02h hides it */
        m->hidden = m->hidden != 0 ? m->hidden - 1 : 0;
        break;
    case 0x02:
        m->hidden++;
        break;
    case 0x03: /* the position, and that no button is pressed */
        bios_set_word(b, ENGINE_EBX, 0);
        bios_set_word(b, ENGINE_ECX, m->x);
        bios_set_word(b, ENGINE_EDX, m->y);
        break;
    case 0x04:
        set_position(d, cx, dx);
        break;
    case 0x05: /* presses of a button: none */
    case 0x06: /* releases of a button: none */
        bios_set_word(b, ENGINE_EAX, 0);
        bios_set_word(b, ENGINE_EBX, 0);
        bios_set_word(b, ENGINE_ECX, 0);
        bios_set_word(b, ENGINE_EDX, 0);
        break;
    case 0x07:
        set_range(d, &m->left, &m->right);
        break;
    case 0x08:
        set_range(d, &m->top, &m->bottom);
        break;
    case 0x0b: /* motion since the last call */
        bios_set_word(b, ENGINE_ECX, 0);
        bios_set_word(b, ENGINE_EDX, 0);
        break;
    case 0x0c:
        set_handler(d);
        break;
    case 0x14:
        exchange_handler(d);
        break;
    case 0x15: /* the size of the driver's state */
        bios_set_word(b, ENGINE_EBX, STATE_BYTES);
        break;
    case 0x1a: /* sensitivity; 1Bh returns it */
        m->horizontal = bios_word(b, ENGINE_EBX);
        m->vertical = cx;
        m->double_speed = dx;
        break;
    case 0x1b:
        bios_set_word(b, ENGINE_EBX, m->horizontal);
        bios_set_word(b, ENGINE_ECX, m->vertical);
        bios_set_word(b, ENGINE_EDX, m->double_speed);
        break;
    case 0x24: /* the driver's version and the mouse's type */
        bios_set_word(b, ENGINE_EBX, VERSION);
        bios_set_word(b, ENGINE_ECX, TYPE_PS2 << 8);
        break;
    case 0x26: /* the largest coordinates, and that the driver is active */
        bios_set_word(b, ENGINE_EBX, 0);
        bios_set_word(b, ENGINE_ECX, SCREEN_WIDTH - 1);
        bios_set_word(b, ENGINE_EDX, (uint16_t)(screen_height(d) - 1));
        break;
    default:
        missing_function(d, bios_word(b, ENGINE_EAX));
        break;
    }
}

const snapshot_table dos_mouse_state = {
    SNAPSHOT(dos_mouse, "mouse", FIELD_ANY(x, y, left, right, top, bottom, hidden, mask, handler),
             FIELD_ANY(horizontal, vertical, double_speed)),
    .since = 2};
