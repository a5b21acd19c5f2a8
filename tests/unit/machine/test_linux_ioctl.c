/* FIONREAD of descriptors of the host: as ioctl_list(2) and the host's kernel have it. */
#include "linux_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "machine/linux/calls.h"

static void bytes_that_can_be_read(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    p5_machine *machine = linux_guest_open(none, none);
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
    p5_machine_close(machine);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
