/* What a program asks about itself: /proc/self/exe, maps and the names of its descriptors. Natively and as a
 * guest alike. */
#include "guest.h"

enum { RDONLY = 0, BYTES = 1 << 16 };
static char text[BYTES];
static u32 about[24];

static u32 length_of(const char *s)
{
    u32 n = 0;
    while (s[n] != '\0')
        n++;
    return n;
}
static const char *base_of(const char *path)
{
    const char *base = path;
    for (; *path != '\0'; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}
static u32 hex(const char **at)
{
    u32 value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value << 4 | (u32)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (u32)(c - 'a' + 10);
        else
            return value;
    }
}

/* The rights of the mapping that `address` lies in, as the file says them; "none" if none does. */
static const char *rights_of(const void *address, const char **name)
{
    static char rights[5];
    for (const char *at = text; *at != '\0';) {
        u32 start = hex(&at);
        at++;
        u32 end = hex(&at);
        at++;
        for (u32 i = 0; i < 4; i++)
            rights[i] = at[i];
        *name = at;
        while (*at != '\0' && *at != '\n') {
            if (at[0] == ' ' && at[1] != ' ' && at[1] != '\n')
                *name = at + 1;
            at++;
        }
        at += *at == '\n';
        if ((u32)address >= start && (u32)address < end)
            return rights;
    }
    return "none";
}
static void program(const char *argv0)
{
    char link[1024] = {0};
    int length = guest_syscall(SYS_readlink, "/proc/self/exe", link, sizeof link - 1);
    CHECK_RANGE(1, 1023, length);
    CHECK('/', link[0]);
    CHECK(1, guest_same(base_of(argv0), base_of(link)));
    CHECK(4, guest_syscall(SYS_readlink, "/proc/self/exe", text, 4));
    /* realpath reads the link at each part of a path. */
    char number[24], pid[24] = {0};
    CHECK(-EINVAL, guest_syscall(SYS_readlink, "/proc", text, 4));
    CHECK_RANGE(1, 9, guest_syscall(SYS_readlink, "/proc/self", pid, sizeof pid - 1));
    CHECK(1, guest_same(guest_number(number, guest_syscall(SYS_getpid)), pid));
    int fd = guest_syscall(SYS_open, "/proc/self/exe", RDONLY);
    CHECK(4, guest_syscall(SYS_read, fd, text, 4));
    CHECK(0x464c457f, *(u32 *)text);
    CHECK(0, guest_syscall(SYS_fstat64, fd, about));
    CHECK_RANGE(1000, 1000000, about[11]);
    CHECK(0, guest_syscall(SYS_close, fd));
}

static void mappings(void)
{
    const char *name;
    u32 size = 0, local = 0;
    const u32 heap = ((u32)guest_syscall(SYS_brk, 0) + 4095) & ~4095u;
    CHECK(heap + 100, guest_syscall(SYS_brk, heap + 100));
    int fd = guest_syscall(SYS_open, "/proc/self/maps", RDONLY), got;
    CHECK_RANGE(3, 9, fd);
    while ((got = guest_syscall(SYS_read, fd, text + size, BYTES - 1 - size)) > 0)
        size += (u32)got;
    CHECK(0, got);
    text[size] = '\0';
    CHECK(1, guest_same("r-xp", rights_of((const void *)mappings, &name)));
    CHECK(1, guest_same("rw-p", rights_of(text, &name)));
    const char *rights = rights_of(&local, &name);
    CHECK('r', rights[0]);
    CHECK('w', rights[1]);
    CHECK('p', rights[3]);
    for (u32 i = 0; i < 7; i++)
        CHECK("[stack]"[i], name[i]);
    CHECK(1, guest_same("rw-p", rights_of((const void *)heap, &name)));
    for (u32 i = 0; i < 6; i++)
        CHECK("[heap]"[i], name[i]);
    CHECK(1, guest_same("none", rights_of((const void *)0x10, &name)));
    CHECK(0, guest_syscall(SYS_close, fd));
}

/* Files by the names of their descriptors. */
static void descriptors(void)
{
    enum { WRONLY = 1, CLOEXEC = 02000000, F_GETFD = 1 };
    char name[] = "/proc/self/fd/0", dev[] = "/dev/fd/0", none[] = "/dev/fd/99";
    int ends[2];
    CHECK(0, guest_syscall(SYS_pipe, ends));
    CHECK_RANGE(3, 8, ends[0]);
    name[14] = (char)('0' + ends[1]);
    dev[8] = (char)('0' + ends[0]);
    int to = guest_syscall(SYS_open, name, WRONLY), from = guest_syscall(SYS_open, dev, RDONLY | CLOEXEC);
    CHECK_RANGE(5, 9, to);
    CHECK_RANGE(6, 9, from);
    CHECK(1, guest_syscall(SYS_fcntl64, from, F_GETFD));
    CHECK(0, guest_syscall(SYS_fcntl64, to, F_GETFD));
    CHECK(3, guest_syscall(SYS_write, to, "abc", 3));
    CHECK(2, guest_syscall(SYS_read, ends[0], text, 2));
    CHECK(1, guest_syscall(SYS_read, from, text + 2, 2));
    CHECK(1, text[0] == 'a' && text[1] == 'b' && text[2] == 'c');
    CHECK(0, guest_syscall(SYS_stat64, dev, about));
    CHECK(0010000, about[4] & 0170000);
    CHECK(0, guest_syscall(SYS_close, ends[1]));
    CHECK(3, guest_syscall(SYS_write, to, "abc", 3));
    CHECK(0, guest_syscall(SYS_close, to));
    CHECK(3, guest_syscall(SYS_read, from, text, 9));
    CHECK(0, guest_syscall(SYS_read, from, text, 9));
    CHECK(-ENOENT, guest_syscall(SYS_open, none, RDONLY));
    CHECK(-ENOENT, guest_syscall(SYS_stat64, none, about));
    CHECK(-ENOENT, guest_syscall(SYS_open, "/dev/fd/x", RDONLY));
    CHECK(-ENOENT, guest_syscall(SYS_open, "/proc/self/fd/x", RDONLY));
    CHECK(0, guest_syscall(SYS_access, "/dev/stdout", 4));
    CHECK(0, guest_syscall(SYS_close, from));
    CHECK(0, guest_syscall(SYS_close, ends[0]));
}

/* What stat says of a device; a signal with a value. */
static void rest(void)
{
    enum { GETPID = 20, SIGPROCMASK = 175, SIGTIMEDWAIT = 177, SIGQUEUEINFO = 178, FSTAT64 = 197 };
    enum { RDEV = 8, SIGUSR1 = 10, SI_QUEUE = -1, VALUE = 77 };
    u32 about[24] = {0}, set[2] = {1 << (SIGUSR1 - 1), 0}, now[2] = {0, 0}, found[32] = {0};
    int null = guest_syscall(SYS_open, "/dev/null", 0, 0);
    CHECK(0, guest_syscall(FSTAT64, null, about));
    CHECK(0x103, about[RDEV]);
    const u32 info[32] = {SIGUSR1, 0, (u32)SI_QUEUE, 1, 2, VALUE};
    CHECK(0, guest_syscall(SIGPROCMASK, 0, set, 0, 8));
    CHECK(0, guest_syscall(SIGQUEUEINFO, guest_syscall(GETPID), SIGUSR1, info));
    CHECK(SIGUSR1, guest_syscall(SIGTIMEDWAIT, set, found, now, 8));
    CHECK((u32)SI_QUEUE, found[2]);
    CHECK(VALUE, found[5]);
    CHECK(0, guest_syscall(SYS_close, null));
}

/* Old programs get limits of at most 7FFFFFFFh. */
static void limits(void)
{
    enum { OLD_GETRLIMIT = 76, GETRLIMIT = 191 };
    for (u32 which = 0; which < 10; which++) {
        u32 old[2], now[2];
        CHECK(0, guest_syscall(OLD_GETRLIMIT, which, old));
        CHECK(0, guest_syscall(GETRLIMIT, which, now));
        for (unsigned i = 0; i < 2; i++)
            CHECK(now[i] < 0x7fffffff ? now[i] : 0x7fffffff, old[i]);
    }
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    CHECK(2, argc);
    CHECK(1, length_of(argv[0]) > 0);
    program(argv[0]);
    mappings();
    descriptors();
    rest();
    limits();
    return guest_failures != 0;
}
