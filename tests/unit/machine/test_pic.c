/* The 8259A pair by the rules of its data sheet. */
#include "../unit.h"
#include "machine/board/pic.h"

enum { EOI = 0x20, SPECIFIC_EOI = 0x60, ROTATE_EOI = 0xa0, ROTATE_SPECIFIC = 0xe0, SET_PRIORITY = 0xc0 };

static pic_pair initialised(uint8_t icw1, uint8_t icw4)
{
    pic_pair p;
    pic_reset(&p);
    for (uint16_t port = PIC_MASTER; port <= PIC_SLAVE; port += PIC_SLAVE - PIC_MASTER) {
        pic_write(&p, port, icw1);
        pic_write(&p, port + 1, port == PIC_MASTER ? 0x20 : 0x28);
        pic_write(&p, port + 1, port == PIC_MASTER ? 0x04 : 0x02);
        if (icw1 & 1)
            pic_write(&p, port + 1, icw4);
    }
    return p;
}

static uint8_t in_service(pic_pair *p, uint16_t port)
{
    pic_write(p, port, 0x0b);
    return pic_read(p, port);
}

static uint8_t requests(pic_pair *p, uint16_t port)
{
    pic_write(p, port, 0x0a);
    return pic_read(p, port);
}

TEST(test_fully_nested)
{
    pic_pair p = initialised(0x11, 0x01);
    assert_false(pic_intr(&p));
    pic_set_line(&p, 4, true);
    pic_set_line(&p, 1, true);
    assert_int_equal(0x12, requests(&p, PIC_MASTER));
    assert_int_equal(0x21, pic_acknowledge(&p)); /* IR0 is highest */
    assert_int_equal(0x02, in_service(&p, PIC_MASTER));
    assert_false(pic_intr(&p)); /* 4 is below what is in service */
    pic_set_line(&p, 0, true);
    assert_true(pic_intr(&p)); /* 0 is above */
    assert_int_equal(0x20, pic_acknowledge(&p));
    pic_write(&p, PIC_MASTER, EOI); /* ends the highest: 0 */
    assert_int_equal(0x02, in_service(&p, PIC_MASTER));
    pic_write(&p, PIC_MASTER, EOI);
    assert_int_equal(0x24, pic_acknowledge(&p));
}

TEST(test_masks)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_write(&p, PIC_MASTER + 1, 0x10);
    assert_int_equal(0x10, pic_read(&p, PIC_MASTER + 1));
    pic_set_line(&p, 4, true);
    assert_false(pic_intr(&p));
    assert_false(pic_open(&p, 4));
    assert_true(pic_open(&p, 5));
    pic_write(&p, PIC_MASTER + 1, 0); /* the request was kept */
    assert_true(pic_intr(&p));
}

TEST(test_edge_and_level)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_set_line(&p, 5, true);
    pic_acknowledge(&p);
    pic_write(&p, PIC_MASTER, EOI);
    pic_set_line(&p, 5, true);
    assert_false(pic_intr(&p)); /* no new edge */
    pic_set_line(&p, 5, false);
    pic_set_line(&p, 5, true);
    assert_true(pic_intr(&p));
    p = initialised(0x19, 0x01);
    pic_set_line(&p, 5, true);
    pic_acknowledge(&p);
    pic_write(&p, PIC_MASTER, EOI);
    assert_true(pic_intr(&p)); /* still high */
    pic_set_line(&p, 5, false);
    assert_false(pic_intr(&p));
}

TEST(test_spurious)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_set_line(&p, 3, true);
    pic_set_line(&p, 3, false); /* gone before the acknowledge */
    assert_int_equal(0x27, pic_acknowledge(&p));
    assert_int_equal(0, in_service(&p, PIC_MASTER));
}

TEST(test_cascade)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_set_line(&p, 12, true);
    assert_true(pic_intr(&p));
    assert_int_equal(0x2c, pic_acknowledge(&p));
    assert_int_equal(0x04, in_service(&p, PIC_MASTER));
    assert_int_equal(0x10, in_service(&p, PIC_SLAVE));
    pic_set_line(&p, 8, true);
    assert_false(pic_intr(&p)); /* the master has its input 2 in service: special fully nested mode is off */
    pic_write(&p, PIC_SLAVE, EOI);
    pic_write(&p, PIC_MASTER, EOI);
    assert_int_equal(0x28, pic_acknowledge(&p));
    /* With special fully nested mode a higher request of the same slave passes. */
    p = initialised(0x11, 0x11);
    pic_set_line(&p, 8, false);
    pic_set_line(&p, 12, false);
    pic_set_line(&p, 12, true);
    assert_int_equal(0x2c, pic_acknowledge(&p));
    pic_set_line(&p, 8, true);
    assert_int_equal(0x28, pic_acknowledge(&p));
    pic_set_line(&p, 14, true);
    assert_false(pic_intr(&p)); /* a lower one does not: the slave holds it back */
}

TEST(test_rotation)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_set_line(&p, 3, true);
    pic_acknowledge(&p);
    pic_write(&p, PIC_MASTER, ROTATE_EOI); /* 3 is the lowest now, 4 the highest */
    pic_set_line(&p, 0, true);
    pic_set_line(&p, 4, true);
    assert_int_equal(0x24, pic_acknowledge(&p));
    pic_write(&p, PIC_MASTER, SPECIFIC_EOI | 4);
    assert_int_equal(0x20, pic_acknowledge(&p));
    pic_write(&p, PIC_MASTER, ROTATE_SPECIFIC | 0); /* 0 lowest, 1 highest */
    pic_write(&p, PIC_MASTER, SET_PRIORITY | 6);    /* 6 lowest, 7 highest */
    pic_set_line(&p, 1, true);
    pic_set_line(&p, 7, true);
    assert_int_equal(0x27, pic_acknowledge(&p));
    assert_int_equal(0x80, in_service(&p, PIC_MASTER)); /* a real one, not a spurious */
}

TEST(test_automatic_end)
{
    pic_pair p = initialised(0x11, 0x03);
    pic_set_line(&p, 2 + 1, true);
    assert_int_equal(0x23, pic_acknowledge(&p));
    assert_int_equal(0, in_service(&p, PIC_MASTER));
    pic_write(&p, PIC_MASTER, 0x80); /* rotate in automatic EOI mode */
    pic_set_line(&p, 5, true);
    pic_acknowledge(&p);
    pic_set_line(&p, 5, false);
    pic_set_line(&p, 5, true);
    pic_set_line(&p, 6, true);
    assert_int_equal(0x26, pic_acknowledge(&p)); /* after 5, which became the lowest */
}

TEST(test_special_mask)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_set_line(&p, 1, true);
    pic_acknowledge(&p);
    pic_write(&p, PIC_MASTER + 1, 0x02); /* mask the one in service */
    pic_write(&p, PIC_MASTER, 0x68);
    pic_set_line(&p, 6, true);
    assert_true(pic_intr(&p)); /* a lower one passes now */
    assert_int_equal(0x26, pic_acknowledge(&p));
    pic_write(&p, PIC_MASTER, EOI); /* does not end a masked one in this mode */
    assert_int_equal(0x02, in_service(&p, PIC_MASTER));
    pic_write(&p, PIC_MASTER, 0x48);
    pic_write(&p, PIC_MASTER, EOI);
    assert_int_equal(0, in_service(&p, PIC_MASTER));
}

TEST(test_poll)
{
    pic_pair p = initialised(0x11, 0x01);
    pic_write(&p, PIC_MASTER, 0x0c);
    assert_int_equal(0, pic_read(&p, PIC_MASTER)); /* nothing pending */
    pic_set_line(&p, 6, true);
    pic_write(&p, PIC_MASTER, 0x0c);
    assert_int_equal(0x86, pic_read(&p, PIC_MASTER));
    assert_int_equal(0x40, in_service(&p, PIC_MASTER));
    assert_false(pic_intr(&p));
}

TEST(test_initialisation)
{
    pic_pair p = initialised(0x11, 0x13);
    pic_write(&p, PIC_MASTER + 1, 0x55);
    pic_set_line(&p, 1, true);
    pic_write(&p, PIC_MASTER, 0x10); /* ICW1 without ICW4, cascade: mask and edges are cleared, modes off */
    pic_write(&p, PIC_MASTER + 1, 0x47);
    pic_write(&p, PIC_MASTER + 1, 0x04);
    assert_int_equal(0, pic_read(&p, PIC_MASTER + 1));
    assert_false(pic_intr(&p));
    pic_set_line(&p, 1, false);
    pic_set_line(&p, 1, true);
    assert_int_equal(0x41, pic_acknowledge(&p)); /* ICW2's low bits do not count */
    assert_int_equal(0x02, in_service(&p, PIC_MASTER));
}
