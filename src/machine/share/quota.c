/* The quota of a share limits the growth of all its files together. File sizes count, including holes, and so do
 * SHARE_NAME_BYTES for each new name. A file that shrinks returns its bytes. Deleting a file of the host does not,
 * because it may still be open. A quota of NULL is no limit. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/share/share_internal.h"

uint64_t share_size(int host)
{
    struct stat about;
    return fstat(host, &about) == 0 ? (uint64_t)about.st_size : 0;
}

int64_t share_fits(const share_quota *quota, uint64_t before, uint64_t from, uint64_t size)
{
    /* The size that the file may reach. */
    uint64_t most = quota == NULL || quota->left > UINT64_MAX - before ? UINT64_MAX : before + quota->left;
    if (size != 0 && from >= most)
        return -ENOSPC;
    return (int64_t)(size < most - from ? size : most - from);
}

void share_charge(share_quota *quota, uint64_t bytes)
{
    if (quota != NULL)
        quota->left -= bytes < quota->left ? bytes : quota->left;
}

void share_charge_growth(share_quota *quota, int host, uint64_t before)
{
    if (quota == NULL)
        return;
    uint64_t size = share_size(host);
    if (size >= before)
        share_charge(quota, size - before);
    else
        quota->left += before - size;
}

int32_t share_truncate(share_quota *quota, int host, uint64_t size)
{
    uint64_t before = share_size(host);
    if (size > before && share_fits(quota, before, before, size - before) != (int64_t)(size - before))
        return -ENOSPC;
    if (ftruncate(host, (off_t)size) != 0)
        return -errno;
    share_charge_growth(quota, host, before);
    return 0;
}

int32_t share_charge_name(const share_place *place)
{
    if (place->quota != NULL && place->quota->left < SHARE_NAME_BYTES)
        return -ENOSPC;
    share_charge(place->quota, SHARE_NAME_BYTES);
    return 0;
}
