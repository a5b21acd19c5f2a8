/* Files that are mapped privately: what the mapping shows, and that the file does not change. Natively and as
 * a guest alike. The argument is a directory that may be written. */
#include "guest.h"

enum {
    RDONLY = 0,
    RDWR = 2,
    CREAT = 0100,
    TRUNC = 01000,
    READ = 1,
    WRITE = 2,
    SHARED = 1,
    PRIVATE = 2,
    FIXED = 0x10,
    ANONYMOUS = 0x20,
    PAGE = 4096,
    MS_ASYNC = 1,
    MS_SYNC = 4,
    MAYMOVE = 1,
    SYS_msync = 144
};

static u8 bytes[3 * PAGE];
static int mapped(int fd, u32 size, int protection, int flags, u32 page)
{
    return guest_syscall(SYS_mmap2, 0, size, protection, flags, fd, page);
}
static u32 in_file(int fd, u32 at)
{
    u32 word = 0xdead;
    guest_syscall(SYS_pread64, fd, &word, 4, at, 0);
    return word;
}
static void put(int fd, u32 at, u32 word)
{
    CHECK(4, guest_syscall(SYS_pwrite64, fd, &word, 4, at, 0));
}
/* Returns whether the system can read there. */
static int there(int pipe, const volatile void *at)
{
    return guest_syscall(SYS_write, pipe, at, 1);
}

static void contents(int fd)
{
    int a = mapped(fd, 2 * PAGE, READ | WRITE, PRIVATE, 0), b = mapped(fd, 2 * PAGE, READ, PRIVATE, 1);
    volatile u32 *x = (volatile u32 *)a, *y = (volatile u32 *)b;
    put(fd, 2 * PAGE + 8, 0x9abc); /* before the mapping is made below */
    int c = mapped(fd, PAGE, READ, PRIVATE, 2);
    CHECK(0x9abc, ((volatile u32 *)c)[2]);
    CHECK(0x01010101, x[0]);
    x[1] = 0x1234;
    x[PAGE / 4] = 0x5678;
    CHECK(0x01010101, y[0]); /* neither another mapping nor the file sees it */
    CHECK(0x01010101, in_file(fd, 4));
    CHECK(0x01010101, in_file(fd, PAGE));
    CHECK(0, guest_syscall(SYS_msync, a, 2 * PAGE, MS_SYNC));
    CHECK(0, guest_syscall(SYS_msync, a, 2 * PAGE, MS_ASYNC));
    CHECK(-EINVAL, guest_syscall(SYS_msync, a + 1, PAGE, MS_SYNC));
    CHECK(-EINVAL, guest_syscall(SYS_msync, a, PAGE, MS_SYNC | MS_ASYNC));
    CHECK(0x01010101, in_file(fd, 4));
    CHECK(0, guest_syscall(SYS_munmap, a + PAGE, PAGE));
    CHECK(-ENOMEM, guest_syscall(SYS_msync, a, 2 * PAGE, MS_SYNC));
    CHECK(0, guest_syscall(SYS_mprotect, a, PAGE, 0));
    CHECK(0, guest_syscall(SYS_mprotect, a, PAGE, READ | WRITE));
    CHECK(0x1234, x[1]);
    CHECK(0,
          guest_syscall(SYS_mprotect, b, PAGE, READ | WRITE)); /* whatever rights the file was opened with */
    y[0] = 1;
    CHECK(0x01010101, in_file(fd, PAGE));
    CHECK(0, guest_syscall(SYS_munmap, b, 2 * PAGE));
    CHECK(0, guest_syscall(SYS_munmap, c, PAGE));
    CHECK(0, guest_syscall(SYS_munmap, a, PAGE));
}

static void sizes(int fd)
{
    int ends[2], pipe;
    CHECK(0, guest_syscall(SYS_pipe, ends));
    pipe = ends[1];
    int a = mapped(fd, 4 * PAGE, READ | WRITE, PRIVATE, 0);
    volatile u32 *x = (volatile u32 *)a;
    CHECK(1, there(pipe, x + 2 * PAGE / 4));
    CHECK(-EFAULT, there(pipe, x + 3 * PAGE / 4)); /* beyond the file */
    CHECK(0, guest_syscall(SYS_munmap, a, 4 * PAGE));
    a = mapped(fd, PAGE, 0, PRIVATE, 0); /* no rights, until mprotect gives some */
    CHECK(-EFAULT, there(pipe, (void *)a));
    CHECK(0, guest_syscall(SYS_mprotect, a, PAGE, READ));
    CHECK(0x01010101, *(volatile u32 *)a);
    CHECK(0, guest_syscall(SYS_munmap, a, PAGE));
    CHECK(0, guest_syscall(SYS_ftruncate64, fd, PAGE + 100, 0));
    a = mapped(fd, 3 * PAGE, READ | WRITE, PRIVATE, 0);
    x = (volatile u32 *)a;
    CHECK(-EFAULT, there(pipe, x + 2 * PAGE / 4));
    CHECK(0x01010101, x[PAGE / 4 + 24]);
    CHECK(0, x[PAGE / 4 + 25]); /* the rest of the last page is zeros */
    x[1] = 0x1111;
    int more = guest_syscall(SYS_mremap, a, PAGE, 2 * PAGE, MAYMOVE); /* the page after it is mapped */
    CHECK(1, more != a);
    CHECK(0x1111, ((volatile u32 *)more)[1]);
    CHECK(0, guest_syscall(SYS_munmap, more, 2 * PAGE));
    CHECK(0, guest_syscall(SYS_munmap, a, 3 * PAGE));
    CHECK(0, guest_syscall(SYS_close, ends[0]));
    CHECK(0, guest_syscall(SYS_close, ends[1]));
}

static void without_descriptor(void)
{
    int fd = guest_syscall(SYS_open, "file", RDONLY);
    int a = mapped(fd, PAGE, READ | WRITE, PRIVATE, 0);
    CHECK(0, guest_syscall(SYS_close, fd));
    fd = guest_syscall(SYS_open, "file", RDONLY);
    CHECK(0, guest_syscall(SYS_unlink, "file")); /* nor a name */
    CHECK(0x01010101, in_file(fd, 28));
    CHECK(0x01010101, ((volatile u32 *)a)[7]);
    /* another mapping takes its place */
    CHECK(a, guest_syscall(SYS_mmap2, a, PAGE, READ | WRITE, PRIVATE | FIXED | ANONYMOUS, -1, 0));
    CHECK(0, ((volatile u32 *)a)[7]);
    /* whole pages of this length would be 4 GB */
    CHECK(-ENOMEM, guest_syscall(SYS_mmap2, 0, 0xfffff001u, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0));
    int b = guest_syscall(SYS_mmap2, 0, PAGE, READ | WRITE, SHARED | ANONYMOUS, -1, 0);
    CHECK(0, ((volatile u32 *)b)[0]);
    ((volatile u32 *)b)[0] = 1;
    CHECK(0, guest_syscall(SYS_munmap, b, PAGE));
    CHECK(0, guest_syscall(SYS_close, fd));
}

static void devices(void)
{
    u32 words[2] = {1, 2};
    int zero = guest_syscall(SYS_open, "/dev/zero", RDWR), null = guest_syscall(SYS_open, "/dev/null", RDWR);
    int random = guest_syscall(SYS_open, "/dev/urandom", RDONLY);
    CHECK(8, guest_syscall(SYS_write, null, words, 8));
    CHECK(0, guest_syscall(SYS_read, null, words, 8));
    CHECK(1, words[0]);
    CHECK(8, guest_syscall(SYS_write, zero, words, 8));
    CHECK(8, guest_syscall(SYS_read, random, words, 8));
    CHECK(1, words[0] != 1 || words[1] != 2);
    CHECK(8, guest_syscall(SYS_read, zero, words, 8));
    CHECK(0, words[0] | words[1]);
    int a = mapped(zero, PAGE, READ | WRITE, PRIVATE, 0);
    CHECK(0, ((volatile u32 *)a)[0]);
    ((volatile u32 *)a)[0] = 1;
    CHECK(0, guest_syscall(SYS_munmap, a, PAGE));
    CHECK(-ENODEV, mapped(null, PAGE, READ, PRIVATE, 0));
    CHECK(0, guest_syscall(SYS_close, zero));
    CHECK(0, guest_syscall(SYS_close, null));
    CHECK(0, guest_syscall(SYS_close, random));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    CHECK(2, argc);
    CHECK(0, guest_syscall(SYS_chdir, argv[1]));
    for (u32 i = 0; i < sizeof bytes; i++)
        bytes[i] = 1;
    int fd = guest_syscall(SYS_open, "file", RDWR | CREAT | TRUNC, 0644);
    CHECK((int)sizeof bytes, guest_syscall(SYS_write, fd, bytes, sizeof bytes));
    contents(fd);
    sizes(fd);
    CHECK(0, guest_syscall(SYS_close, fd));
    without_descriptor();
    devices();
    return guest_failures != 0;
}
