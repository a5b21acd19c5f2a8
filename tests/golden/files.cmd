# No file is written twice, or written while it is read; what several may write to, they may.
cp $GUESTS/hello $GUESTS/rdpmc.elf .; p5scope record -q -o kept rdpmc.elf; ln -s kept link; ln kept hard; ln -s new dangling
p5scope record -q -o x --callgrind x rdpmc.elf; ls x
p5scope record -q -o kept --callgrind ./kept rdpmc.elf
p5scope record -q --callgrind link --cachegrind hard rdpmc.elf
p5scope record -q -o dangling --cachegrind ../work/new rdpmc.elf; ls new
p5scope record -q --callgrind "$PWD"/../work/x --cachegrind x rdpmc.elf
p5scope record -q -o x --save x rdpmc.elf
p5scope record -q -o ./hello hello
p5scope report kept -o link
p5scope report kept -o x --callgrind x
p5scope stat -q -o kept --save link hello
p5scope run -q --save hello hello
p5scope run -q --save s --max-instructions 20 hello && p5scope run -q --load s --save s --max-instructions 30 && p5scope stat -q --load s -o s
p5scope trace -q -o t.csv --save t.csv hello
p5scope trace -q -o s --format csv --load s
truncate -s 10M disk.img; p5scope stat -q -o disk.img --disk2 disk.img rdpmc.elf; p5scope run -q --save disk.img --disk2 ./disk.img rdpmc.elf; stat -c %s disk.img
p5scope stat -q -o s --module hello --module 's with arguments' rdpmc.elf
p5scope record -q -o /dev/null --callgrind /dev/null --cachegrind /dev/null rdpmc.elf
p5scope report kept --callgrind /dev/stdout --cachegrind /dev/stdout | grep -c ^events
p5scope report kept -o /dev/null && p5scope diff kept hard --no-functions | head -1
p5scope record -q -o dangling nothing-there; readlink dangling; p5scope record -q -o dangling rdpmc.elf >/dev/null; head -c 17 new
p5scope check --junit ./good.s .; head -c 8 good.s
p5scope bench --konata good.s good.s; head -c 8 good.s
echo first >held; flock held p5scope stat -q -o held hello; cat held
echo first >held; flock held p5scope stat -q -o held --append hello; cat held
echo first >held; flock held p5scope record -q -o held hello; cat held
echo first >held.csv; flock held.csv p5scope trace -q -o held.csv hello; cat held.csv
p5scope trace -q -o held.db hello >/dev/null; flock held.db p5scope trace -q -o held.db hello; sqlite3 held.db 'SELECT count(*) FROM run'
rm -f made; p5scope record -q -o made nosuch; ls made
