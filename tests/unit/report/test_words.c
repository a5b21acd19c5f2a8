/* Digests of files: the examples of FIPS 180, and files that cannot be read. */
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5tool/report.h"

TEST(digests_are_those_of_fips_180)
{
    static const struct {
        const char *message, *digest;
    } examples[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (unsigned i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char path[] = "/tmp/p5scope-words-XXXXXX", text[P5_SHA256_TEXT];
        unit_file(path, examples[i].message, strlen(examples[i].message));
        assert_ptr_equal(p5_file_sha256(path, text), text);
        assert_string_equal(text, examples[i].digest);
        unlink(path);
    }
}

TEST(an_unreadable_file_has_an_empty_digest)
{
    static const char *const paths[] = {"/nowhere/to/be/found", "/"};
    for (unsigned i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[P5_SHA256_TEXT] = "before";
        assert_ptr_equal(p5_file_sha256(paths[i], text), text);
        assert_string_equal(text, "");
    }
}
