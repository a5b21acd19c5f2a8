/* Opens and writes the host's files for handles and file control blocks. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine/dos/dos_internal.h"

int dos_program_again(const dos *d)
{
    return fcntl(d->program, F_DUPFD_CLOEXEC, 3);
}

/* Returns -1 and DOS_DENIED in *wrong. */
static int denied(dos_error *wrong)
{
    *wrong = DOS_DENIED;
    return -1;
}

bool dos_read_only(const share_place *place, const struct stat *about)
{
    return !place->writable || (about->st_mode & S_IWUSR) == 0;
}

uint8_t dos_attributes(const share_place *place, const struct stat *about)
{
    if (S_ISDIR(about->st_mode))
        return DOS_SUBDIRECTORY;
    return dos_read_only(place, about) ? DOS_READ_ONLY | DOS_ARCHIVE : DOS_ARCHIVE;
}

int dos_open_host(const dos *d, const dos_path *path, int flags, share_place *place, dos_error *wrong)
{
    struct stat about;
    *wrong = DOS_OK;
    if (dos_path_is_program(d, path))
        return (flags & (O_ACCMODE | O_TRUNC)) == O_RDONLY ? dos_program_again(d) : denied(wrong);
    if (path->text[0] == '\0')
        return denied(wrong);
    *wrong = dos_path_find(d, path, (flags & O_CREAT) != 0, place);
    if (*wrong != DOS_OK)
        return -1;
    if (place->directory < 0 || ((flags & O_CREAT) != 0 && !place->writable))
        return denied(wrong);
    bool changes = (flags & (O_ACCMODE | O_TRUNC)) != O_RDONLY && (flags & O_EXCL) == 0;
    if (changes && share_about(place, &about) == 0 && dos_read_only(place, &about))
        return denied(wrong);
    int host = share_open(place, flags, 0666);
    if (host < 0) {
        *wrong = dos_error_of(host);
        return -1;
    }
    if (fstat(host, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= UINT32_MAX)
        return host;
    close(host);
    return denied(wrong);
}

dos_error dos_write_host(int host, share_quota *quota, uint32_t position, const void *bytes, size_t size,
                         size_t *done)
{
    *done = 0;
    if (position > UINT32_MAX - size)
        return DOS_DENIED;
    uint64_t before = share_size(host);
    int64_t fits = share_fits(quota, before, position, size);
    if (fits < 0)
        return dos_error_of((int32_t)fits);
    ssize_t put = pwrite(host, bytes, (size_t)fits, position);
    if (put < 0)
        return dos_error_of(-errno);
    share_charge_growth(quota, host, before);
    *done = (size_t)put;
    return DOS_OK;
}

int64_t dos_unpack_time(uint16_t time, uint16_t day)
{
    struct tm t = {.tm_hour = time >> 11,
                   .tm_min = time >> 5 & 63,
                   .tm_sec = (time & 31) * 2,
                   .tm_year = (day >> 9) + 80,
                   .tm_mon = (day >> 5 & 15) - 1,
                   .tm_mday = day & 31};
    return timegm(&t);
}

/* Converts seconds since 1970 to a directory entry's time (units of two seconds) and date (years since 1980). */
void dos_pack_time(int64_t seconds, uint16_t *time, uint16_t *day)
{
    struct tm t = {0};
    time_t host = (time_t)seconds;
    gmtime_r(&host, &t);
    *time = (uint16_t)(t.tm_hour << 11 | t.tm_min << 5 | t.tm_sec / 2);
    *day = (uint16_t)((t.tm_year < 80 ? 0 : t.tm_year - 80) << 9 | (t.tm_mon + 1) << 5 | t.tm_mday);
}
