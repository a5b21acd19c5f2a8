/* Files that are mapped: what a shared mapping and the file's own calls see of each other, natively and as a
 * guest alike. The argument is a directory that may be written. */
#include "guest.h"

enum {
    RDONLY = 0,
    RDWR = 2,
    CREAT = 0100,
    TRUNC = 01000,
    APPEND = 02000,
    READ = 1,
    WRITE = 2,
    SHARED = 1,
    PRIVATE = 2,
    FIXED = 0x10,
    PAGE = 4096,
    MS_ASYNC = 1,
    MS_SYNC = 4,
    MAYMOVE = 1,
    DONTNEED = 4,
    SYS_truncate = 92,
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
/* Whether the system can read there. */
static int there(int pipe, const volatile void *at)
{
    return guest_syscall(SYS_write, pipe, at, 1);
}

static void both_ways(int fd, int reader)
{
    int a = mapped(fd, 2 * PAGE, READ | WRITE, SHARED, 0), b = mapped(reader, 2 * PAGE, READ, SHARED, 0);
    int c = mapped(fd, PAGE, READ | WRITE, SHARED, 1), d = mapped(fd, PAGE, READ | WRITE, PRIVATE, 0);
    volatile u32 *x = (volatile u32 *)a, *y = (volatile u32 *)b, *z = (volatile u32 *)c;
    volatile u32 *own = (volatile u32 *)d;
    CHECK(0x01010101, x[0]);
    x[1] = 0x1234;
    CHECK(0x1234, y[1]); /* at once, through another mapping */
    CHECK(0x1234, in_file(reader, 4));
    z[2] = 0x5678;
    CHECK(0x5678, x[PAGE / 4 + 2]);
    CHECK(0x5678, in_file(fd, PAGE + 8));
    put(fd, 8, 0x9abc); /* what is written later */
    CHECK(0x9abc, x[2]);
    CHECK(0x9abc, y[2]);
    x[3] = 0x7777; /* beside it */
    put(fd, 16, 0x8888);
    CHECK(0x7777, in_file(fd, 12));
    CHECK(0x8888, x[4]);
    own[5] = 0x4444; /* a private one keeps to itself */
    CHECK(0x01010101, in_file(fd, 20));
    CHECK(0x01010101, x[5]);
    CHECK(0, guest_syscall(SYS_madvise, a, PAGE, DONTNEED));
    CHECK(0x1234, x[1]);
    CHECK(0, guest_syscall(SYS_msync, a, 2 * PAGE, MS_SYNC));
    CHECK(0, guest_syscall(SYS_msync, a, 2 * PAGE, MS_ASYNC));
    CHECK(-EINVAL, guest_syscall(SYS_msync, a + 1, PAGE, MS_SYNC));
    CHECK(-EINVAL, guest_syscall(SYS_msync, a, PAGE, MS_SYNC | MS_ASYNC));
    CHECK(0, guest_syscall(SYS_munmap, a + PAGE, PAGE)); /* half of it; c has that page, too */
    CHECK(0x5678, z[2]);
    CHECK(-ENOMEM, guest_syscall(SYS_msync, a, 2 * PAGE, MS_SYNC));
    CHECK(-EACCES, guest_syscall(SYS_mprotect, b, PAGE, READ | WRITE));
    CHECK(0, guest_syscall(SYS_mprotect, a, PAGE, 0));
    CHECK(0, guest_syscall(SYS_mprotect, a, PAGE, READ | WRITE));
    CHECK(0x1234, x[1]);
    CHECK(0, guest_syscall(SYS_munmap, b, 2 * PAGE));
    CHECK(0, guest_syscall(SYS_munmap, c, PAGE));
    x[6] = 0x6666;
    CHECK(0, guest_syscall(SYS_munmap, a, PAGE));
    CHECK(0x6666, in_file(fd, 24));
    CHECK(0x5678, in_file(fd, PAGE + 8));
    CHECK(-EACCES, mapped(reader, PAGE, READ | WRITE, SHARED, 0));
    CHECK(0, guest_syscall(SYS_munmap, d, PAGE));
}

static void sizes(int fd, int pipe)
{
    int a = mapped(fd, 4 * PAGE, READ | WRITE, SHARED, 0);
    volatile u32 *x = (volatile u32 *)a;
    x[PAGE / 4 + 1] = 0x1111;
    CHECK(1, there(pipe, x + 2 * PAGE / 4));
    CHECK(-EFAULT, there(pipe, x + 3 * PAGE / 4)); /* behind the file */
    CHECK(0, guest_syscall(SYS_ftruncate64, fd, PAGE + 100, 0));
    CHECK(-EFAULT, there(pipe, x + 2 * PAGE / 4));
    CHECK(0x1111, x[PAGE / 4 + 1]);
    CHECK(0, x[PAGE / 4 + 100]); /* the rest of the last page is zeros */
    x[PAGE / 4 + 200] = 0x2222;  /* ... and is not the file's */
    CHECK(0, guest_syscall(SYS_truncate, "file", 4 * PAGE));
    CHECK(1, there(pipe, x + 3 * PAGE / 4));
    CHECK(0, x[3 * PAGE / 4]);
    x[3 * PAGE / 4] = 0x3333;
    CHECK(0x3333, in_file(fd, 3 * PAGE));
    int more = guest_syscall(SYS_mremap, a, 2 * PAGE, 3 * PAGE, MAYMOVE); /* the pages behind are mapped */
    CHECK(1, more != a);
    x = (volatile u32 *)more;
    CHECK(0x1111, x[PAGE / 4 + 1]);
    put(fd, 2 * PAGE, 0x4444);
    CHECK(0x4444, x[2 * PAGE / 4]);
    x[2 * PAGE / 4 + 1] = 0x5555;
    CHECK(0x5555, in_file(fd, 2 * PAGE + 4));
    CHECK(0x4444, ((volatile u32 *)a)[2 * PAGE / 4]);
    CHECK(0, guest_syscall(SYS_munmap, a + 2 * PAGE, 2 * PAGE));
    CHECK(0, guest_syscall(SYS_munmap, more, 3 * PAGE));
}

static void without_descriptor(void)
{
    int fd = guest_syscall(SYS_open, "file", RDWR);
    int a = mapped(fd, PAGE, READ | WRITE, SHARED, 0);
    CHECK(0, guest_syscall(SYS_close, fd));
    ((volatile u32 *)a)[7] = 0xabcd;
    fd = guest_syscall(SYS_open, "file", RDWR | APPEND);
    CHECK(0xabcd, in_file(fd, 28));
    CHECK(4, guest_syscall(SYS_write, fd, "more", 4));
    CHECK(0xabcd, ((volatile u32 *)a)[7]);
    CHECK(0, guest_syscall(SYS_unlink, "file")); /* nor a name */
    ((volatile u32 *)a)[8] = 0xef01;
    CHECK(0xef01, in_file(fd, 32));
    /* another mapping takes its place */
    CHECK(a, guest_syscall(SYS_mmap2, a, PAGE, READ | WRITE, PRIVATE | FIXED | 0x20, -1, 0));
    CHECK(0, ((volatile u32 *)a)[8]);
    CHECK(0xef01, in_file(fd, 32));
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
    int pipe[2];
    CHECK(2, argc);
    CHECK(0, guest_syscall(SYS_chdir, argv[1]));
    CHECK(0, guest_syscall(SYS_pipe, pipe));
    for (u32 i = 0; i < sizeof bytes; i++)
        bytes[i] = 1;
    int fd = guest_syscall(SYS_open, "file", RDWR | CREAT | TRUNC, 0644);
    CHECK((int)sizeof bytes, guest_syscall(SYS_write, fd, bytes, sizeof bytes));
    int reader = guest_syscall(SYS_open, "file", RDONLY);
    both_ways(fd, reader);
    sizes(fd, pipe[1]);
    CHECK(0, guest_syscall(SYS_close, fd));
    CHECK(0, guest_syscall(SYS_close, reader));
    without_descriptor();
    devices();
    return guest_failures != 0;
}
