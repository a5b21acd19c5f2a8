#!/bin/bash
# killed.sh PROGRAM GUESTS KANATA_CHECK [KILLS [SEED]]: runs are killed at random moments while they write each kind of file (200 kills in all);
# what is there afterwards can be read by its reader up to the cut. The kernel may break a write off within a row, so that a text's last line, if
# it has no end, is the cut.
set -u
program=$1 guests=$2 kanata=$3 kills=${4:-200}
RANDOM=${5:-1}
for tool in jq sqlite3 vcd2fst zstd; do command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAIL: $*" >&2; exit 1; }

whole_lines() { # FILE: without a last line that has no end
    [ -z "$(tail -c 1 "$1" | tr -d '\n')" ] || sed -i '$d' "$1"
}

readable() { # FILE
    case $1 in
    *.csv) whole_lines "$1"; awk -F, '/^#/ { next } !n { n = NF; next } NF != n { exit 1 }' "$1" ;;
    *.jsonl) whole_lines "$1"; jq -e . "$1" >/dev/null ;;
    *.zst) zstd -dcq "$1" 2>/dev/null >plain.jsonl; whole_lines plain.jsonl; jq -e . plain.jsonl >/dev/null ;;
    *.db) [ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] ;;
    *.vcd) whole_lines "$1"; vcd2fst "$1" "$1.fst" >/dev/null 2>messages && [ ! -s messages ] ;;
    *.json) whole_lines "$1"; { cat "$1"; echo '{}]'; } | jq -e 'length > 0' >/dev/null ;;
    *.kanata) whole_lines "$1"; "$kanata" "$1" --cut >/dev/null ;;
    *.report) whole_lines "$1"; awk -F';' '/^#/ { next } NF < 4 { exit 1 }' "$1" ;;
    *.snapshot*) "$program" run -q --max-instructions 5000000 --load "$1" >/dev/null 2>&1 ;;
    *.profile) # written after the run: whole, or its reader says that it is not
        "$program" report "$1" >/dev/null 2>messages || grep -q "$1" messages ;;
    esac
}

found=0 with=0
for ((i = 0; i < kills; i++)); do
    kinds=(t.csv t.jsonl t.jsonl.zst t.db t.vcd t.json t.kanata t.report t.snapshot t.profile)
    file=${kinds[$((i % ${#kinds[@]}))]}
    rm -f ./*
    guest=("$guests/quicksort" 3000)
    case $file in
    t.report) command=(stat -q -x ';' -I 20000c -o $file) ;;
    t.snapshot) command=(run -q --save-every 300000 --save $file) ;;
    t.profile) command=(record -q -o $file) guest=("$guests/quicksort" 3) ;;
    t.kanata) command=(trace -q -o $file) ;;
    *) command=(trace -q -I $((RANDOM % 50 + 5))000c -o $file) ;;
    esac
    "$program" "${command[@]}" --threads $((i / ${#kinds[@]} % 2 + 1)) "${guest[@]}" >/dev/null 2>&1 &
    pid=$!
    sleep "0.$(printf %03d $((RANDOM % 500)))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    for there in "$file"*; do
        case $there in *-journal | t.snapshot.*.*) continue ;; esac # of a snapshot: what was not finished has a name of its own
        [ -s "$there" ] || continue
        cp "$there" kept
        readable "$there" || { cp kept "/tmp/p5scope-killed-$file"; fail "kill $i: $there cannot be read (kept as /tmp/p5scope-killed-$file)"; }
        with=1
    done
    found=$((found + with)) with=0
done
echo "$kills kills, $found of them with something to read"
[ $found -gt $((kills / 2)) ] || fail "too few files were there: the runs are killed too early"
