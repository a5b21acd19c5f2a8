/* disks: reads a file from the diskette, writes it to both disks, and shows what the kernel's interrupts came by. */
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

static int copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    if (in == NULL || out == NULL)
        return perror(in == NULL ? from : to), 1;
    for (int byte; (byte = getc(in)) != EOF;)
        putc(byte, out);
    return fclose(in) | fclose(out);
}

static int mounted(const char *what, const char *where, const char *kind)
{
    mkdir(where, 0755);
    return mount(what, where, kind, 0, "") == 0 || (perror(what), 0);
}

int main(void)
{
    if (!mounted("devices", "/dev", "devtmpfs") || !mounted("/dev/fd0", "/diskette", "vfat") ||
        !mounted("/dev/sda", "/disk", "ext2"))
        return 1;
    if (copy("/diskette/in.txt", "/diskette/out.txt") || copy("/diskette/in.txt", "/disk/out.txt") ||
        copy("/proc/interrupts", "/dev/console"))
        return 2;
    return umount("/diskette") || umount("/disk") ? 3 : 11;
}
