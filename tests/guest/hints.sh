#!/bin/sh
# hints.sh P5SCOPE CC: a guest that lacks what an option gives is told of the option, and with it there is no hint.
p5scope=$1 cc=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "FAIL: $1"; cat err; exit 1; }
cat >files.s <<'END'
.globl _start
_start: mov $5,%eax; mov $name,%ebx; xor %ecx,%ecx; int $0x80
        mov %eax,%ebx; shr $31,%ebx; mov $1,%eax; int $0x80
.data
name: .asciz "data.txt"
END
sed 's/data.txt/\/etc\/nothing/' files.s >system.s
printf '.globl _start\n_start: xor %%ecx,%%ecx; rdpmc; mov $1,%%eax; xor %%ebx,%%ebx; int $0x80\n' >counter.s
printf '.globl _start\n_start: paddb %%mm0,%%mm1; mov $1,%%eax; xor %%ebx,%%ebx; int $0x80\n' >mmx.s
printf '.globl _start\n_start: fxsave (%%esp)\n' >later.s
printf '.globl _start\n_start: ud2\n' >nowhere.s
for name in files system counter mmx later nowhere; do
    "$cc" -m32 -nostdlib -static -o $name $name.s || exit 77
done
echo data >data.txt
"$p5scope" run ./files 2>err; [ $? = 1 ] && grep -q "cannot open 'data.txt'.*--dir" err || fail "no hint at --dir"
"$p5scope" run --dir . ./files 2>err; [ $? = 0 ] && ! grep -q dir err || fail "the file is not there with --dir"
"$p5scope" run ./system 2>err; [ $? = 1 ] && ! grep -q dir err || fail "a hint at a file of the system"
"$p5scope" run ./counter 2>err; [ $? = 139 ] && grep -q 'rdpmc (.*--pce' err || fail "no hint at --pce"
"$p5scope" run --pce ./counter 2>err || fail "RDPMC faults with --pce"
grep -q pce err && fail "a hint at an option that is there"
"$p5scope" run --model p54c-133 ./mmx 2>err; [ $? = 132 ] && grep -q 'paddb.*(of the Pentium MMX; --model p55c-200' err || fail "no hint that a P54C has no MMX"
"$p5scope" run ./mmx 2>err || fail "a P55C has no MMX"
"$p5scope" run --isa=permissive ./later 2>err; [ $? = 132 ] && grep -q 'fxsave.*(of other processors; p5scope does not execute it)' err || fail "FXSAVE is not said to be another processor's"
"$p5scope" run ./nowhere 2>err; [ $? = 132 ] && ! grep -q processors err || fail "UD2 is said to be another processor's"
# As in perf: names of time, options that change nothing, and where the profile is.
"$p5scope" record -e cycles -g ./files 2>err
grep -q "the profile is in p5scope.data" err || fail "record does not say where the profile is"
"$p5scope" report --stdio --no-children >perf && "$p5scope" report >plain && cmp -s perf plain || fail "--stdio --no-children change the report"
"$p5scope" record -q -e nosuch -g ./files 2>err; [ $? = 129 ] || fail "record takes an event that does not exist"
"$p5scope" stat -q -x, -e task-clock,duration_time,cycles ./files 2>err; [ "$(grep -v '^#' err | cut -d, -f1 | sort -u | wc -l)" = 1 ] || fail "names of time"
exit 0
