#!/bin/bash
# linux_run.sh P5SCOPE DIR CASE: boots the kernel that linux.sh put into DIR/linux. Exit status 77 (skipped) if it has not been built, unless
# P5_REQUIRE_LINUX is set.
set -u
p5scope=$1 dir=$2/linux case=$3
if [ ! -f "$dir/stamp" ]; then
    echo "no kernel in $dir: ./dev guests builds it"
    [ -n "${P5_REQUIRE_LINUX:-}" ] && exit 1
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# boot VERB STATUS OPTION...: the kernel with its console on the serial port; what it writes without carriage returns is in $work/out.
boot() {
    local verb=$1 status=$2
    shift 2
    "$p5scope" "$verb" -q --timeout 1200 --cmdline 'console=ttyS0,115200 quiet' "$@" </dev/null 2>"$work/err" | tr -d '\r' >"$work/out"
    local ended=${PIPESTATUS[0]}
    [ "$ended" = "$status" ] && return
    echo "p5scope $verb $*: expected status $status, came $ended"
    cat "$work/out" "$work/err"
    exit 1
}
has() { grep -q "$1" "$work/$2" || { echo "expected '$1' in:"; cat "$work/$2"; exit 1; }; }

case $case in
shell) # counts something; BogoMIPS are twice the clock's MHz; its exit status is the run's
    mkdir "$work/c"
    echo 'i=0; s=0; while [ $i -lt 200 ]; do i=$((i+1)); s=$((s+i)); done; echo sum $s; seq 1 100 | wc -l; grep bogomips /proc/cpuinfo; exit 7' >"$work/c/count.sh"
    boot run 7 --kernel "$dir/bzImage" --init "$dir/busybox" --dir "$work/c:/c" sh count.sh
    has '^sum 20100$' out
    has '^100$' out
    awk '/bogomips/ { good = $3 > 396 && $3 < 404 } END { exit !good }' "$work/out" || { echo "BogoMIPS of 200 MHz are 400:"; cat "$work/out"; exit 1; }
    ;;
pipes) boot run 9 --kernel "$dir/vmlinux" --init "$dir/pipes" && has '^sum 500500$' out ;;
drivers) # its own drivers of the diskette and of an IDE disk write what Debian's programs read; with APICs and without
    PATH=$PATH:/usr/sbin:/sbin
    for program in mformat mke2fs debugfs; do
        command -v $program >/dev/null || { echo "$program is not installed (Debian: mtools e2fsprogs): skipped"; exit 77; }
    done
    seq 1 5000 >"$work/in.txt"
    printf '[model]\nbase = p55c-200\n[board]\napic = on\n' >"$work/apic.ini"
    for model in p55c-200 "$work/apic.ini"; do
        rm -f "$work"/*.img
        mformat -C -i "$work/a.img" -f 1440 :: && mcopy -i "$work/a.img" "$work/in.txt" :: && truncate -s 8M "$work/c.img" && mke2fs -q -t ext2 "$work/c.img" || exit 1
        boot run 11 --model "$model" --disk2 "$work/a.img" --disk2 "$work/c.img" --disk-write --kernel "$dir/bzImage-drivers" --init "$dir/disks" \
            --cmdline 'console=ttyS0,115200 apic=debug'
        mtype -i "$work/a.img" ::out.txt | cmp - "$work/in.txt" && debugfs -R 'cat /out.txt' "$work/c.img" 2>/dev/null | cmp - "$work/in.txt" || exit 1
        e2fsck -fn "$work/c.img" >"$work/check" 2>&1 || { cat "$work/check"; exit 1; }
        if [ "$model" = p55c-200 ]; then
            has ' XT-PIC .* floppy' out
        else # the timer of the APIC counts the clocks of the bus
            has ' IO-APIC .*-edge .* floppy' out
            has 'host bus clock speed is 66.6' out
        fi
    done
    ;;
threads) # futexes and thread areas; built here, as it takes no kernel
    musl=$2/musl
    gcc -m32 -std=gnu99 -O2 -march=pentium-mmx -fcf-protection=none -fno-stack-protector -fno-pie -fno-asynchronous-unwind-tables -nostdinc \
        -isystem "$musl/include" -isystem "$(gcc -print-file-name=include)" -c "$(dirname "$0")/threads.c" -o "$work/threads.o" &&
        gcc -m32 -nostdlib -static -no-pie -Wl,--build-id=none -o "$work/threads" "$musl/lib/crt1.o" "$musl/lib/crti.o" "$work/threads.o" \
            -Wl,--start-group "$musl/lib/libc.a" "$2/divide.o" -Wl,--end-group "$musl/lib/crtn.o" || exit 1
    boot run 11 --kernel "$dir/vmlinux" --init "$work/threads" && has '^threads 5000$' out
    ;;
same) # one thread, two, and pieces count the same; the model's clocks come with the timer's interrupts
    for options in '--threads 1' '--threads 2' '--threads 1 --check-memo'; do
        boot stat 0 $options --rtc 1997-06-02 --max-instructions 6000000 -o "$work/stat" --kernel "$dir/vmlinux" --init "$dir/pipes"
        grep -v ' options: \| on the host' "$work/stat" >"$work/counts"
        [ -f "$work/first" ] || cp "$work/counts" "$work/first"
        diff "$work/first" "$work/counts" || { echo "with $options"; exit 1; }
    done
    ;;
record) # functions by name: the kernel's, and the programs' in their address spaces
    boot record 9 -o "$work/profile" --kernel "$dir/vmlinux" --init "$dir/pipes"
    "$p5scope" report "$work/profile" >"$work/report"
    has ' vmlinux  *\[k\] pipe_write$' report
    has ' pipes  *\[.\] main$' report
    # what is counted is counted for code that was executed
    awk '$1 == "code" { code[$2] = 1 } $1 == "site" && $2 != "0" && !($2 in code) { print; bad = 1 } END { exit bad }' "$work/profile" || exit 1
    # bzImage with System.map names what vmlinux does
    nm "$dir/vmlinux" >"$work/System.map"
    mkdir "$work/c"
    echo 'seq 1 20 | wc -l; exit 5' >"$work/c/count.sh"
    boot record 5 -o "$work/profile" --symbols "$work/System.map" --kernel "$dir/bzImage" --init "$dir/busybox" --dir "$work/c:/c" sh count.sh
    "$p5scope" report --csv -e executions "$work/profile" >"$work/report"
    has '^start_kernel,bzImage,k' report
    has '^seq_main,busybox,u' report
    "$p5scope" record -q --max-instructions 1000 --symbols "$0" -o "$work/profile" --kernel "$dir/vmlinux" 2>"$work/err" && exit 1
    has 'has no symbols' err
    ;;
verbs) # stat and trace
    boot stat 9 -o "$work/stat" --kernel "$dir/vmlinux" --init "$dir/pipes"
    has 'data_tlb_miss' stat
    boot stat 9 -o "$work/stat" --output-append --cmdline 'console=ttyS0 quiet' --kernel "$dir/vmlinux" --init "$dir/pipes"
    [ "$(grep -c 'data_tlb_miss' "$work/stat")" = 2 ] || { echo "expected two reports in one file"; exit 1; }
    "$p5scope" run -q --max-instructions 1000000 "$dir/vmlinux" console=ttyS0 || exit 1 # as the guest
    boot trace 0 -o "$work/t.csv" -I 1000000c --max-instructions 5000000 --kernel "$dir/vmlinux"
    [ "$(wc -l <"$work/t.csv")" -gt 5 ] || { cat "$work/t.csv"; exit 1; }
    ;;
screen) # without a serial console it is on the screen, which a snapshot has, too
    "$p5scope" run -q --screen --max-instructions 30000000 --save "$work/s" --kernel "$dir/vmlinux" --cmdline panic=1 >"$work/out" 2>"$work/err" </dev/null
    has 'Kernel panic - not syncing: No working init found' out
    "$p5scope" screen "$work/s" >"$work/again" || exit 1
    cmp "$work/out" "$work/again" || exit 1
    ;;
damaged)
    # refused TEXT FILE OPTION...
    refused() {
        local text=$1 file=$2
        shift 2
        "$p5scope" run --timeout 600 --kernel "$file" "$@" >"$work/out" 2>"$work/err" </dev/null
        local ended=$?
        [ $ended = 126 ] && grep -q -e "$text" "$work/err" && return
        echo "--kernel $file $*: expected [126] with '$text', came [$ended]:"
        cat "$work/err"
        exit 1
    }
    # change OFFSET BYTES: of the bzImage
    change() { cp "$dir/bzImage" "$work/bad" && printf "$2" | dd of="$work/bad" bs=1 seek=$(($1)) conv=notrunc status=none; }
    head -c 1000 "$dir/bzImage" >"$work/bad"
    refused "truncated" "$work/bad"
    change 0x206 '\000\001'
    refused "boot protocol 1.00" "$work/bad"
    change 0x214 '\000\000\000\000'
    refused "below 1 MB" "$work/bad"
    refused "lkrn.*SYSLINUX" "$work/bad" # with what to do
    change 0x214 '\000\000\000\377'
    refused "do not fit" "$work/bad"
    change 0x260 '\377\377\377\177'
    refused "of memory" "$work/bad"
    change 0x1f1 '\377'
    head -c 20000 "$work/bad" >"$work/short"
    refused "truncated" "$work/short"
    # vmlinux: physical addresses of its second segment as those of the first
    cp "$dir/vmlinux" "$work/bad"
    dd if="$dir/vmlinux" of="$work/bad" bs=1 skip=64 seek=96 count=4 conv=notrunc status=none
    refused "physical addresses 1000000h and 1000000h overlap" "$work/bad"
    refused "neither a bzImage" "$0"
    head -c 30000000 /dev/zero >"$work/initrd"
    refused "does not fit" "$dir/bzImage" --mem 32M --initrd "$work/initrd"
    refused "--init takes a static Linux program\|not an ELF" "$dir/bzImage" --init "$0"
    ;;
*) echo "no case $case"; exit 2 ;;
esac
