#!/bin/sh
# interface.sh INTERFACE: what INTERFACE (interface.py) accepts and refuses of a later library. The libraries are small ones, each with one change.
set -eu
interface=$1
for tool in abidiff gdb; do
    command -v $tool >/dev/null || { echo "SKIP: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/one.h" <<'END'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
enum p5_kind { P5_KIND_A, P5_KIND_B, P5_KIND_COUNT };
typedef struct p5_opaque p5_opaque;
typedef struct p5_part {
    int a;
} p5_part;
typedef struct p5_options {
    size_t size;
    enum p5_kind kind;
    p5_part parts[2];
    bool last;
} p5_options;
int p5_first(const p5_options *options, p5_opaque *opaque);
int p5_second(int number);
END
cat >"$work/one.c" <<'END'
#include <one.h>
struct own {
    int a;
};
struct p5_opaque {
    struct own *own;
};
int p5_first(const p5_options *options, p5_opaque *opaque) { return options->last + opaque->own->a; }
int p5_second(int number) { return number; }
END

# tree NAME EDIT: a tree with its library, whose header and source have been edited by sed.
tree() {
    mkdir -p "$work/$1/include/p5scope" "$work/$1/build/package"
    sed "$2" "$work/one.h" >"$work/$1/include/p5scope/one.h"
    sed "$2" "$work/one.c" >"$work/$1/one.c"
    "${CC:-cc}" -g -shared -fPIC -I"$work/$1/include/p5scope" "$work/$1/one.c" -o "$work/$1/build/package/libp5scope.so"
}
status=0
# later EXPECTED NAME EDIT: the status that the edited library gets.
later() {
    tree "$2" "$3"
    came=0
    "$interface" "$work/last" "$work/$2" >"$work/log" 2>&1 || came=$?
    [ "$came" = "$1" ] || { echo "FAIL: $2: expected status $1, came $came"; cat "$work/log"; status=1; }
}

tree last ''
later 0 the_same ''
later 0 function_added 's/^int p5_second(int number)\(.*\)/&\nint p5_third(int number)\1/'
later 0 member_at_the_end 's/^    bool last;/&\n    uint64_t more;\n    bool most;/'
later 0 enumerator_at_the_end 's/P5_KIND_B,/& P5_KIND_C,/'
later 0 struct_of_its_own '/^struct own {/,/^};/s/int a;/long a, b;/'
later 1 function_removed '/^int p5_second/d'
later 1 parameter_of_another_type 's/int number/long number/'
later 1 parameter_added 's/int number/&, int more/'
later 1 result_of_another_type 's/^int p5_second/long p5_second/'
later 1 member_in_the_padding 's/^    bool last;/&\n    bool more;/'
later 1 member_in_the_middle 's/^    enum p5_kind kind;/&\n    uint64_t more;/'
later 1 member_removed 's/^    enum p5_kind kind;//; s/^    bool last;/&\n    uint64_t more;/'
later 1 member_of_another_type 's/^    bool last;/    uint8_t last;\n    uint64_t more;/'
later 1 members_exchanged 's/^    enum p5_kind kind;/    p5_part parts[2];/; t; s/^    p5_part parts.*/    enum p5_kind kind;/; s/^    bool last;/&\n    uint64_t more;/'
later 1 fixed_struct_has_grown 's/^    int a;/&\n    int b;/'
later 1 enumerator_in_the_middle 's/P5_KIND_B,/P5_KIND_C, &/'
exit $status
