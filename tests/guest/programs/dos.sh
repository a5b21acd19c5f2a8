#!/bin/bash
# dos.sh P5SCOPE DIR CASE: a DOS program of testprogs/dos, whose programs are in DIR.
set -u
p5scope=$1 dir=$2 case=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect STATUS TEXT OPTION... PROGRAM...: runs it; carriage returns are not compared.
expect() {
    local status=$1 text=$2 came
    shift 2
    came=$("$p5scope" run --timeout 600 "$@" 2>&1)
    local ended=$?
    came=${came//$'\r'/}
    if [ $ended != "$status" ] || [ "$came" != "$text" ]; then
        printf 'p5scope run %s\nexpected [%s]:\n%s\ncame [%s]:\n%s\n' "$*" "$status" "$text" $ended "$came"
        exit 1
    fi
}

# refused TEXT FILE: status 126 and a message that has TEXT.
refused() {
    local came
    came=$("$p5scope" run --timeout 600 "$2" 2>&1)
    local ended=$?
    case $ended:$came in
    126:*"$1"*) ;;
    *) printf 'p5scope run %s\nexpected [126] with: %s\ncame [%s]: %s\n' "$2" "$1" $ended "$came"; exit 1 ;;
    esac
}

case $case in
hello) expect 3 $'Hello from DOS.\narguments: one two' "$dir/hello.com" one two ;;
clocks)
    expect 0 $'clocks 14000 reads 1000 instructions 7000\nthe 8254 agrees' "$dir/clocks.exe"
    # the same loop at CPL 3, under the Linux personality
    expect 0 $'14000\n1000\n7000' --pce --ctr0 data_read:uk --ctr1 instructions_executed:uk "$dir/clocks"
    ;;
files)
    expect 0 "files are in order" --dir "$work:rw" "$dir/files.com"
    [ -z "$(ls -A "$work")" ] || { echo "it left something behind:"; ls -la "$work"; exit 1; }
    expect 1 $'failed at step 1' --dir "$work" "$dir/files.com" # nothing can be made where nothing may be written
    ;;
memory) expect 0 "memory is in order" "$dir/memory.com" ;;
extender) expect 0 "3 ticks in protected mode" "$dir/extender.exe" ;;
execute) expect 43 $'Hello from DOS.\narguments: 1 2 3 \nback again' --dir "$dir" "$dir/execute.com" ;;
input)
    expect 0 $'first\n[first]\n[second\n]\nthird and more' "$dir/input.com" < <(printf 'first\nsecond\nthird\n and more')
    expect 0 $'first\n[first]\n[second\n]\nthird' "$dir/input.com" < <(printf 'first\r\nsecond\r\nthird\r\n')
    ;;
compiled) # by bcc, Debian's compiler for DOS, with its own run-time library
    command -v bcc >/dev/null && [ -d /usr/lib/bcc/include ] || { echo "no bcc with elks-libc"; exit 77; }
    cat >"$work/p.c" <<'END'
#include <stdio.h>
int main(argc, argv) int argc; char **argv;
{
    FILE *f = fopen("x.txt", "w");
    int i, c;
    long sum = 0;
    for (i = 0; i < 100; i++) fprintf(f, "line %d\n", i);
    fclose(f);
    f = fopen("x.txt", "r");
    while ((c = getc(f)) != EOF) sum += c;
    printf("%d arguments, the last %s, sum %ld\n", argc, argv[argc - 1], sum);
    return 3;
}
END
    (cd "$work" && bcc -Md -o p.com p.c) || exit 1
    mkdir "$work/c"
    sum=$(for i in {0..99}; do echo "line $i"; done | od -An -v -tu1 | tr -s ' ' '\n' | awk '{ s += $1 } END { print s }')
    expect 3 "3 arguments, the last two, sum $sum" --dir "$work/c:rw" "$work/p.com" one two
    ;;
own_drive) # without a share there is only the program itself, on Z:
    expect 2 "failed at step 2" "$dir/execute.com"
    expect 1 "failed at step 1" "$dir/files.com"
    ;;
divide)
    expect 136 "Floating point exception at 0x00008152: div cx" "$dir/divide.com"
    ;;
damaged)
    cp "$dir/clocks.exe" "$work/good.exe"
    # change OFFSET BYTES: of the header
    change() { cp "$work/good.exe" "$work/bad.exe" && printf "$2" | dd of="$work/bad.exe" bs=1 seek=$(($1)) conv=notrunc status=none; }
    change 8 '\377\377'
    refused "truncated" "$work/bad.exe"
    change 6 '\377\377'
    refused "relocations" "$work/bad.exe"
    change 0xa '\377\377'
    refused "memory; DOS has" "$work/bad.exe"
    head -c 70000 /dev/zero >"$work/bad.com"
    refused "at most" "$work/bad.com"
    : >"$work/bad.com"
    refused "empty" "$work/bad.com"
    ;;
snapshot)
    "$p5scope" run --save "$work/s" --save-at 60000i "$dir/clocks.exe" >"$work/first" || exit 1
    "$p5scope" run --load "$work/s" "$dir/clocks.exe" >"$work/second" || exit 1
    tail -n 1 "$work/first" | cmp - <(tail -n 1 "$work/second") || exit 1
    ;;
record)
    "$p5scope" record -o "$work/p" "$dir/clocks.exe" >/dev/null || exit 1
    "$p5scope" report "$work/p" >"$work/report" || exit 1
    grep -q 'clocks.exe' "$work/report" || { cat "$work/report"; exit 1; }
    "$p5scope" trace -o "$work/t.csv" -I 10000c "$dir/clocks.exe" >/dev/null || exit 1
    [ "$(wc -l <"$work/t.csv")" -gt 5 ] || { cat "$work/t.csv"; exit 1; }
    ;;
maps) # functions by the maps of linkers, whose addresses begin with the program: COM, and MZ with its segment
    cat >"$work/p.asm" <<'END'
bits 16
[map symbols p.map]
org BEGIN
start:  call work
        mov ax, 4c00h
        int 21h
work:   mov cx, 1000
.again: loop .again
        ret
END
    (cd "$work" && nasm -f bin -DBEGIN=100h -o p.com p.asm) || exit 1
    printf ' Address         Publics by Value\n\n 0000:0100       start\n 0000:0108  Abs  work\n' >"$work/borland.map"
    printf '0000:0100*      start\n0000:0108+      work\n' >"$work/watcom.map"
    printf '00000100 T start\n00000108 T work\n' >"$work/nm"
    # a header of one paragraph, all of it in one page
    { printf 'MZ\041\0\001\0\0\0\002\0\100\0\377\377\0\0\0\002\0\0\0\0\0\0\034\0\0\0\0\0\0\0'; cat "$work/p.com"; } >"$work/p.exe"
    printf '\%03o' $(($(stat -c %s "$work/p.exe"))) | { read -r size; printf "$size" | dd of="$work/p.exe" bs=1 seek=2 conv=notrunc status=none; }
    sed 's/0000:010/0000:000/' "$work/watcom.map" >"$work/exe.map"
    for run in p.com:p.map p.com:borland.map p.com:watcom.map p.com:nm p.exe:exe.map; do
        "$p5scope" record -q -o "$work/p" --symbols "$work/${run#*:}" "$work/${run%:*}" || { echo "$run"; exit 1; }
        # 1 + 1000 + 1 instructions, and 1 + 2
        "$p5scope" report --csv -e executions "$work/p" | cut -d, -f1,4 | grep '^work\|^start' | sort >"$work/came"
        printf 'start,3\nwork,1002\n' | diff - "$work/came" || { echo "$run"; exit 1; }
    done
    ;;
real) # mov ax,0e41h; int 10h; cs and ip to AX as the exit status: (1234h + 100h) & 7f
    printf '\270\101\016\315\020\214\310\350\000\000\133\001\330\044\077\346\364\364' >"$work/image"
    status=$(((0x1234 + 0x10a & 0x3f) * 2 + 1))
    expect $status "A" --flat=1234:0100 --real "$work/image"
    expect $status "A" --flat=0x001234:00100 --real "$work/image"
    "$p5scope" run --flat=1234 --real "$work/image" 2>&1 | grep -q 'SEGMENT:OFFSET' || exit 1
    "$p5scope" run --flat=9fff:ffff --real "$work/image" 2>/dev/null
    [ $? = 126 ] || { echo "an address where there is no memory: expected [126]"; exit 1; }
    ;;
same_bits) # with one thread and with two
    for threads in 1 2; do
        "$p5scope" stat --threads $threads -o "$work/$threads" "$dir/clocks.exe" >/dev/null || exit 1
        grep -v ' options: \| on the host' "$work/$threads" >"$work/counts$threads"
    done
    diff "$work/counts1" "$work/counts2" || exit 1
    "$p5scope" run --check-memo "$dir/clocks.exe" >/dev/null || exit 1
    ;;
*) echo "no case $case"; exit 2 ;;
esac
