/* System calls one at a time: what Linux answers. */
#include "linux_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

/* FIONREAD */
TEST(bytes_that_can_be_read)
{
    static const char *const none[] = {NULL};
    MACHINE(machine, linux_guest_open(none, none));
    linux_process *p = machine->guest_state;
    const uint32_t at = engine_get(machine->engine, ENGINE_ESP);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "five!", 5), 5);
    const int32_t pipe_in = linux_descriptor_add(p, linux_file_new(LINUX_PIPE, ends[0], O_RDONLY), 3, false);
    const int32_t null = linux_descriptor_add(
        p, linux_file_new(LINUX_STANDARD, open("/dev/null", O_RDONLY | O_CLOEXEC), O_RDONLY), 3, false);
    uint32_t there = 0;
    assert_int_equal(linux_ioctl(p, (uint32_t[6]){(uint32_t)pipe_in, FIONREAD, at}), 0);
    assert_true(linux_read_user(p, at, &there, sizeof there));
    assert_int_equal(there, 5);
    assert_int_equal(linux_ioctl(p, (uint32_t[6]){(uint32_t)pipe_in, FIONREAD, 16}), -EFAULT);
    assert_int_equal(linux_ioctl(p, (uint32_t[6]){(uint32_t)null, FIONREAD, at}),
                     -ENOTTY); /* the null device has none */
    assert_int_equal(linux_ioctl(p, (uint32_t[6]){200, FIONREAD, at}), -EBADF);
    close(ends[1]);
}

/* preadv's offset has two words, the low one first. */
TEST(reads_beyond_4_gb)
{
    static const char *const none[] = {NULL};
    const off_t far = ((off_t)3 << 32) + 5;
    MACHINE(machine, linux_guest_open(none, none));
    linux_process *p = machine->guest_state;
    const uint32_t at = engine_get(machine->engine, ENGINE_ESP), piece[2] = {at + 8, 4};
    FILE *host = tmpfile();
    assert_int_equal(pwrite(fileno(host), "here", 4, far), 4);
    const int32_t file =
        linux_descriptor_add(p, linux_file_new(LINUX_REGULAR, dup(fileno(host)), O_RDONLY), 3, false);
    fclose(host);
    assert_true(linux_write_user(p, at, piece, sizeof piece));
    char text[4];
    assert_int_equal(linux_preadv(p, (uint32_t[6]){(uint32_t)file, at, 1, 5, 3}), 4);
    assert_true(linux_read_user(p, at + 8, text, sizeof text));
    assert_memory_equal(text, "here", 4);
    assert_int_equal(linux_preadv(p, (uint32_t[6]){(uint32_t)file, at, 1, 9, 3}),
                     0); /* the end of the file */
}

/* A signal with a value goes to the only thread. */
TEST(signals_for_a_thread)
{
    enum { OTHER = LINUX_PID + 1, SIGNAL = 10 };
    static const char *const none[] = {NULL};
    MACHINE(machine, linux_guest_open(none, none));
    linux_process *p = machine->guest_state;
    const uint32_t at = engine_get(machine->engine, ENGINE_ESP);
    assert_int_equal(linux_rt_tgsigqueueinfo(p, (uint32_t[6]){LINUX_PID, LINUX_PID, SIGNAL, at}), 0);
    assert_int_equal(linux_rt_tgsigqueueinfo(p, (uint32_t[6]){OTHER, LINUX_PID, SIGNAL, at}), -ESRCH);
    assert_int_equal(linux_rt_tgsigqueueinfo(p, (uint32_t[6]){LINUX_PID, OTHER, SIGNAL, at}), -ESRCH);
    assert_int_equal(linux_rt_tgsigqueueinfo(p, (uint32_t[6]){LINUX_PID, LINUX_PID, 65, at}), -EINVAL);
    assert_int_equal(linux_rt_tgsigqueueinfo(p, (uint32_t[6]){LINUX_PID, LINUX_PID, SIGNAL, 16}), -EFAULT);
    assert_int_equal(linux_tgkill(p, (uint32_t[6]){LINUX_PID, LINUX_PID, SIGNAL}), 0);
    assert_int_equal(linux_tgkill(p, (uint32_t[6]){OTHER, LINUX_PID, SIGNAL}), -ESRCH);
    assert_int_equal(linux_tgkill(p, (uint32_t[6]){LINUX_PID, OTHER, SIGNAL}), -ESRCH);
    assert_int_equal(linux_tgkill(p, (uint32_t[6]){0, LINUX_PID, SIGNAL}), -EINVAL);
    assert_int_equal(linux_tgkill(p, (uint32_t[6]){LINUX_PID, 0, SIGNAL}), -EINVAL);
}
