/* Names, links and folders: what a file system says of them, natively and as a guest alike. The argument is a
 * directory that may be written and has nothing called "tree". */
#include "guest.h"

enum {
    RDONLY = 0,
    WRONLY = 1,
    RDWR = 2,
    CREAT = 0100,
    EXCL = 0200,
    TRUNC = 01000,
    APPEND = 02000,
    DIRECTORY = 0200000,
    NOFOLLOW = 0400000,
    PERM = 1,
    ACCES = 13,
    EXIST = 17,
    XDEV = 18,
    NOTDIR = 20,
    ISDIR = 21,
    NOTEMPTY = 39,
    LOOP = 40,
    CALL_link = 9,
    CALL_chmod = 15,
    CALL_fchmod = 94,
    CALL_fstat64 = 197,
    S_TYPE = 0170000,
    S_DIR = 0040000,
    S_LNK = 0120000,
    FILES = 40
};

static u32 about[24]; /* struct stat64 */
static u32 mode_of(const char *path)
{
    return guest_syscall(SYS_lstat64, path, about) == 0 ? about[4] : ~0u;
}
static u32 links_of(const char *path)
{
    return guest_syscall(SYS_lstat64, path, about) == 0 ? about[5] : ~0u;
}
static u32 inode_of(const char *path)
{
    return guest_syscall(SYS_lstat64, path, about) == 0 ? about[22] : ~0u;
}
static u32 size_of(const char *path)
{
    return guest_syscall(SYS_lstat64, path, about) == 0 ? about[11] : ~0u;
}
static void file(const char *path, const char *text)
{
    int fd = guest_syscall(SYS_open, path, WRONLY | CREAT | EXCL, 0644);
    CHECK_RANGE(3, 99, fd);
    CHECK((int)guest_length(text), guest_syscall(SYS_write, fd, text, guest_length(text)));
    CHECK(0, guest_syscall(SYS_close, fd));
}

/* How many entries a folder shows, "." and ".." too, and whether one is called that. */
static int entries(const char *path, const char *name, int *shown)
{
    static u8 list[200];
    int fd = guest_syscall(SYS_open, path, RDONLY | DIRECTORY), count = 0, size;
    *shown = 0;
    while ((size = guest_syscall(SYS_getdents64, fd, list, sizeof list)) > 0)
        for (int at = 0; at < size; at += list[at + 16] | list[at + 17] << 8) {
            *shown += guest_same((const char *)list + at + 19, name);
            count++;
        }
    CHECK(0, size);
    guest_syscall(SYS_close, fd);
    return count;
}

static void folders(void)
{
    int shown;
    CHECK(0, guest_syscall(SYS_mkdir, "a", 0755));
    CHECK(-EXIST, guest_syscall(SYS_mkdir, "a", 0755));
    CHECK(-ENOENT, guest_syscall(SYS_mkdir, "none/a", 0755));
    CHECK(0, guest_syscall(SYS_mkdir, "a/b", 0700));
    CHECK(S_DIR | 0700, mode_of("a/b"));
    file("a/file", "text");
    CHECK(-NOTDIR, guest_syscall(SYS_mkdir, "a/file/c", 0755));
    CHECK(4, entries("a", "file", &shown));
    CHECK(1, shown);
    CHECK(-NOTEMPTY, guest_syscall(SYS_rmdir, "a"));
    CHECK(-ISDIR, guest_syscall(SYS_unlink, "a/b"));
    CHECK(-NOTDIR, guest_syscall(SYS_rmdir, "a/file"));
    CHECK(-ISDIR, guest_syscall(SYS_open, "a", WRONLY));
    CHECK(-ISDIR, guest_syscall(SYS_open, "a", RDONLY | CREAT, 0644));
    CHECK(-NOTDIR, guest_syscall(SYS_open, "a/file", RDONLY | DIRECTORY));
    CHECK(0, guest_syscall(SYS_chdir, "a/b"));
    CHECK(4, size_of("../file"));
    CHECK(4, size_of("../../a/./b/../file"));
    CHECK(0, guest_syscall(SYS_chdir, "../.."));
    CHECK(0, guest_syscall(SYS_rmdir, "a/b"));
    CHECK(-ENOENT, guest_syscall(SYS_rmdir, "a/b"));
    CHECK(3, entries("a", "b", &shown));
    CHECK(0, shown);
}

static void renames(void)
{
    file("one", "1");
    file("two", "22");
    u32 inode = inode_of("one");
    CHECK(0, guest_syscall(SYS_rename, "one", "two"));
    CHECK(inode, inode_of("two"));
    CHECK(1, size_of("two"));
    CHECK(-ENOENT, guest_syscall(SYS_rename, "one", "two"));
    CHECK(0, guest_syscall(SYS_rename, "two", "two"));
    CHECK(-NOTDIR, guest_syscall(SYS_rename, "a", "two"));
    CHECK(-ISDIR, guest_syscall(SYS_rename, "two", "a"));
    CHECK(0, guest_syscall(SYS_mkdir, "empty", 0755));
    CHECK(-NOTEMPTY, guest_syscall(SYS_rename, "empty", "a"));
    CHECK(-EINVAL, guest_syscall(SYS_rename, "a", "a/inside"));
    CHECK(0, guest_syscall(SYS_rename, "a", "empty"));
    CHECK(4, size_of("empty/file"));
    CHECK(~0u, mode_of("a"));
    CHECK(0, guest_syscall(SYS_rename, "empty/file", "a"));
    CHECK(0, guest_syscall(SYS_rmdir, "empty"));
}

static void links(void)
{
    char text[16] = {0};
    CHECK(1, links_of("a"));
    CHECK(0, guest_syscall(CALL_link, "a", "again"));
    CHECK(2, links_of("a"));
    CHECK(inode_of("a"), inode_of("again"));
    CHECK(0, guest_syscall(SYS_rename, "a", "again")); /* the same file: nothing happens */
    CHECK(2, links_of("a"));
    CHECK(0, guest_syscall(SYS_unlink, "a"));
    CHECK(1, links_of("again"));
    CHECK(0, guest_syscall(SYS_mkdir, "folder", 0755));
    CHECK(-PERM, guest_syscall(CALL_link, "folder", "other"));
    CHECK(0, guest_syscall(SYS_symlink, "../again", "folder/link"));
    CHECK(S_LNK, mode_of("folder/link") & S_TYPE);
    CHECK(8, size_of("folder/link"));
    CHECK(8, guest_syscall(SYS_readlink, "folder/link", text, sizeof text));
    CHECK(1, guest_same("../again", text));
    CHECK(-EINVAL, guest_syscall(SYS_readlink, "again", text, sizeof text));
    CHECK(-LOOP, guest_syscall(SYS_open, "folder/link", RDONLY | NOFOLLOW));
    int fd = guest_syscall(SYS_open, "folder/link", RDONLY);
    CHECK(4, guest_syscall(SYS_read, fd, text, sizeof text));
    guest_syscall(SYS_close, fd);
    CHECK(0, guest_syscall(SYS_symlink, "round", "round"));
    CHECK(-LOOP, guest_syscall(SYS_open, "round", RDONLY));
    CHECK(-EXIST, guest_syscall(SYS_open, "round", RDWR | CREAT | EXCL, 0644));
    CHECK(0, guest_syscall(SYS_unlink, "round"));
    CHECK(0, guest_syscall(SYS_unlink, "folder/link"));
    CHECK(0, guest_syscall(SYS_rmdir, "folder"));
}

static void opens(void)
{
    u32 word = 0;
    int fd = guest_syscall(SYS_open, "kept", RDWR | CREAT | EXCL, 0600);
    CHECK(-EXIST, guest_syscall(SYS_open, "kept", RDWR | CREAT | EXCL, 0600));
    CHECK(0, guest_syscall(SYS_unlink, "kept")); /* lives on until it is closed */
    CHECK(~0u, mode_of("kept"));
    CHECK(4, guest_syscall(SYS_write, fd, "abcd", 4));
    CHECK(4, guest_syscall(SYS_pread64, fd, &word, 4, 0, 0));
    CHECK(0x64636261, word);
    CHECK(0, guest_syscall(CALL_fstat64, fd, about));
    CHECK(0, about[5]);
    CHECK(4, about[11]);
    CHECK(0, guest_syscall(SYS_close, fd));

    fd = guest_syscall(SYS_open, "log", WRONLY | CREAT | APPEND, 0200);
    int second = guest_syscall(SYS_open, "log", WRONLY | APPEND);
    CHECK(3, guest_syscall(SYS_write, fd, "one", 3));
    CHECK(3, guest_syscall(SYS_write, second, "two", 3));
    CHECK(3, guest_syscall(SYS_write, fd, "end", 3));
    CHECK(9, size_of("log"));
    CHECK(0, guest_syscall(SYS_close, second));
    second = guest_syscall(SYS_open, "log", WRONLY | TRUNC);
    CHECK(0, size_of("log"));
    CHECK(0, guest_syscall(CALL_fchmod, fd, 0640));
    CHECK(0640, mode_of("log") & 0777);
    guest_syscall(SYS_close, fd);
    guest_syscall(SYS_close, second);
    CHECK(0, guest_syscall(SYS_unlink, "log"));
}

static void many(void)
{
    int shown;
    char name[] = "many/00";
    CHECK(0, guest_syscall(SYS_mkdir, "many", 0755));
    for (int i = FILES; i-- > 0;) {
        name[5] = (char)('0' + i / 10), name[6] = (char)('0' + i % 10);
        file(name, name);
    }
    CHECK(FILES + 2, entries("many", "07", &shown));
    CHECK(1, shown);
    for (int i = 0; i < FILES; i++) {
        name[5] = (char)('0' + i / 10), name[6] = (char)('0' + i % 10);
        CHECK(7, size_of(name));
        CHECK(0, guest_syscall(SYS_unlink, name));
    }
    CHECK(0, guest_syscall(SYS_rmdir, "many"));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    CHECK(2, argc);
    CHECK(0, guest_syscall(SYS_chdir, argv[1]));
    CHECK(0, guest_syscall(SYS_mkdir, "tree", 0755));
    CHECK(0, guest_syscall(SYS_chdir, "tree"));
    folders();
    renames();
    links();
    opens();
    many();
    CHECK(0, guest_syscall(SYS_unlink, "again"));
    CHECK(0, guest_syscall(SYS_unlink, "two"));
    CHECK(0, guest_syscall(SYS_chdir, ".."));
    CHECK(0, guest_syscall(SYS_rmdir, "tree"));
    return guest_failures != 0;
}
