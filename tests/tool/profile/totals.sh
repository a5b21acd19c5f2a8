#!/bin/sh
# totals.sh P5SCOPE MODEL GUEST [ARGUMENT...]: recording changes nothing that the guest prints, and the totals of the profile, of the
# callgrind and of the cachegrind file, and the sums of their lines, are the counts of `stat -j`.
p5scope=$1 model=$2
shift 2
. "$(dirname "$0")/common.sh"
needs jq
stat_values "$scratch/expected" --model "$model" -q "$@"
"$p5scope" record --model "$model" -q -o "$scratch/p" --callgrind "$scratch/callgrind" --cachegrind "$scratch/cachegrind" --events all "$@" >"$scratch/out"
cmp "$scratch/stat.out" "$scratch/out" || fail "the guest printed something else"

# Sums of the lines: cachegrind has LINE COSTS, callgrind 0xADDRESS LINE COSTS, of which those after calls= are inclusive.
sums() {
    awk -v positions="$1" '
        /^events:/ { n = NF - 1; for (i = 1; i <= n; i++) name[i] = $(i + 1) }
        /^calls=/ || /^jcnd=/ { skip = 1; next }
        /^(0x[0-9a-f]+ )?[0-9]+ / { if (skip) { skip = 0; next } for (i = 1; i <= n; i++) sum[i] += $(i + positions) }
        /^(0x[0-9a-f]+ )?[0-9]+$/ { skip = 0 }
        END { for (i = 1; i <= n; i++) if (name[i] !~ /^stall_/ || name[i] ~ /^stall_on_/) printf "%s %.0f\n", name[i], sum[i] }' "$2" | sort
}
totals() {
    awk -v tag="$1" '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
        $1 == tag { for (i = 2; i <= NF; i++) if (name[i] !~ /^stall_/ || name[i] ~ /^stall_on_/) print name[i], $i }' "$2" | sort
}
for check in "sums 1 cachegrind" "sums 2 callgrind" "totals summary: cachegrind" "totals totals: callgrind"; do
    set -- $check
    $1 $2 "$scratch/$3" >"$scratch/got"
    diff "$scratch/expected" "$scratch/got" >"$scratch/difference" || {
        cat "$scratch/difference"
        fail "$3, $1: < stat -j, > the profile"
    }
done
# Owners of clocks add up to the clocks.
awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
    /^totals:/ { for (i = 2; i <= NF; i++) if (name[i] ~ /^stall_/ && name[i] !~ /^stall_on_/) sum += $i; if (sum != $2) { print sum, $2; exit 1 } }' \
    "$scratch/callgrind" || fail "the stalls do not add up to the clocks"
