# What cannot be written is told of once, and the status says it.
cp $GUESTS/hello $GUESTS/rdpmc.elf .; p5scope record -q -o kept rdpmc.elf
p5scope --help >/dev/full
p5scope --version >/dev/full
p5scope trace --help >/dev/full
p5scope report --help=all >/dev/full
p5scope list >/dev/full
p5scope list -v >/dev/full
p5scope msr >/dev/full
p5scope msr cesr 0x10 >/dev/full
p5scope stat --dump-config >/dev/full
p5scope check good.s >/dev/full
p5scope bench good.s >/dev/full
p5scope report kept >/dev/full
p5scope annotate -i kept >/dev/full
p5scope diff kept kept >/dev/full
p5scope trace -q -o - --format csv hello >/dev/full
p5scope top -q hello 2>/dev/full
