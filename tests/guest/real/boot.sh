#!/bin/bash
# boot.sh P5SCOPE DIR CASE: boot loaders as Debian has them, a module of SYSLINUX, and memtest86+; SYSLINUX boots the kernel that linux.sh put into DIR/linux. Exit status 77
# (skipped) where a program or file is missing.
set -u
p5scope=$1 dir=$2 case=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

needs() { # PROGRAM|FILE...
    for what in "$@"; do
        command -v "$what" >/dev/null || [ -f "$what" ] || { echo "no $what"; exit 77; }
    done
}
# shows TEXT OPTION...: the text is there when the run ends
shows() {
    local text=$1
    shift
    "$p5scope" run -q --timeout 1200 "$@" >"$work/out" 2>"$work/err" </dev/null
    tr -d '\r' <"$work/out" | grep -q -e "$text" && return
    echo "p5scope run $*: expected '$text', came:"
    cat "$work/out" "$work/err"
    exit 1
}

case $case in
syslinux) # by itself, from a diskette, with a kernel that ends as it finds no init; its BogoMIPS: those of 200 MHz are 400
    needs syslinux mformat mcopy "$dir/linux/bzImage"
    truncate -s 1440K "$work/a.img"
    mformat -i "$work/a.img" -f 1440 :: && syslinux --install "$work/a.img" || exit 1
    printf 'DEFAULT linux\nPROMPT 0\nLABEL linux\n KERNEL bzImage\n APPEND console=ttyS0,115200 panic=-1\n' >"$work/syslinux.cfg"
    mcopy -i "$work/a.img" "$work/syslinux.cfg" "$dir/linux/bzImage" :: || exit 1
    shows 'BOOT_IMAGE=bzImage console=ttyS0,115200' "$work/a.img"
    awk '/BogoMIPS/ { good = $(NF - 2) > 396 && $(NF - 2) < 404 } END { exit !good }' <(tr -d '\r' <"$work/out") || { cat "$work/out"; exit 1; }
    ;;
modules) # SYSLINUX's own screen output: each range of memory is on a line of its own
    modules=/usr/lib/syslinux/modules/bios
    needs syslinux mformat mcopy $modules/meminfo.c32
    truncate -s 1440K "$work/a.img"
    mformat -i "$work/a.img" -f 1440 :: && syslinux --install "$work/a.img" || exit 1
    printf 'DEFAULT meminfo\nPROMPT 0\nLABEL meminfo\n COM32 meminfo.c32\n' >"$work/syslinux.cfg"
    mcopy -i "$work/a.img" "$work/syslinux.cfg" $modules/meminfo.c32 $modules/libcom32.c32 $modules/libutil.c32 :: || exit 1
    shows '^ .*[0-9a-f]*x 1 \[-\] usable$' --max-instructions 25000000 "$work/a.img"
    ;;
loadlin) # from DOS; it finds the processor in real mode, loads the kernel by XMS and enters protected mode by itself
    needs /usr/lib/loadlin/loadlin.exe.gz "$dir/linux/bzImage"
    mkdir "$work/c"
    gzip -dc /usr/lib/loadlin/loadlin.exe.gz >"$work/c/loadlin.exe" && cp "$dir/linux/bzImage" "$work/c/bzimage" || exit 1
    shows 'No working init found' --screen --dir "$work/c" "$work/c/loadlin.exe" bzimage panic=-1 # which ends the run
    ;;
grub) # the rescue image to its prompt, as a disk and as a diskette
    needs grub-mkrescue xorriso mformat /usr/lib/grub/i386-pc/boot.img
    grub-mkrescue -d /usr/lib/grub/i386-pc --fonts= --locales= --themes= --install-modules='biosdisk iso9660 normal ls' -o "$work/disk.img" >"$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
    cp "$work/disk.img" "$work/diskette.img" && truncate -s 1440K "$work/diskette.img"
    for image in disk diskette; do
        shows '^grub>' --screen --max-instructions 40000000 "$work/$image.img"
    done
    ;;
memtest) # its screen, with the processor, the clock and the memory that it finds
    image=/boot/memtest86+ia32.bin
    needs $image
    shows 'CLK/Temp: 200MHz' --screen --max-instructions 60000000 $image
    grep -q 'Pentium-MMX' "$work/out" && grep -q 'L1 Cache:   16KB' "$work/out" && grep -q 'Memory  :   64MB' "$work/out" || { cat "$work/out"; exit 1; }
    ;;
*) echo "no case $case"; exit 2 ;;
esac
