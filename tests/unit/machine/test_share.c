/* A place that a process of the host replaces by a link, after the guest's path was resolved, does not lead out of the share. */
#define _GNU_SOURCE /* O_PATH */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "machine/share/share.h"

TEST(test_replaced_by_a_link)
{
    char folder[] = "/tmp/p5scope-share-XXXXXX", outside[sizeof folder + 16];
    struct stat about;
    assert_non_null(mkdtemp(folder));
    snprintf(outside, sizeof outside, "%s/outside", folder);
    const int made = open(outside, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(made >= 0 && fchmod(made, 0600) == 0);
    close(made);
    share_place place = {.directory = open(folder, O_PATH | O_CLOEXEC), .writable = true, .name = "name"};
    assert_int_equal(symlinkat(outside, place.directory, "name"), 0);
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_true(share_set_mode(&place, 0777) < 0);
    share_set_times(&place, times);
    assert_true(share_open(&place, O_RDWR, 0) < 0);
    assert_int_equal(stat(outside, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_not_equal(about.st_mtime, 1);
    assert_int_equal(unlinkat(place.directory, "name", 0), 0);
    assert_int_equal(renameat(place.directory, "outside", place.directory, "name"), 0);
    assert_int_equal(share_set_mode(&place, 0640), 0);
    assert_int_equal(share_about(&place, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(share_set_mode(&place, 0), 0); /* whatever it may do, its owner may change that */
    assert_int_equal(share_set_mode(&place, 0640), 0);
    assert_int_equal(unlinkat(place.directory, "name", 0), 0);
    close(place.directory);
    assert_int_equal(rmdir(folder), 0);
}
