p5scope check good.s
p5scope check -v good.s
p5scope check wrong.s
p5scope check directive.s event.s model.s syntax.s symbol.s empty.s
p5scope check good.s -k nosuch
p5scope check --exitfirst wrong.s good.s
p5scope check --junit out.xml good.s wrong.s directive.s >/dev/null; sed 's/time="[0-9.]*"/time=""/' out.xml
mkdir d && cp good.s d/a.s && cp good.s d/b.s && p5scope check d
p5scope check -m nosuch good.s
p5scope check -m p54c-133 good.s
p5scope check -m p55c-200 good.s
p5scope check counters.s
p5scope check msr.s msr2.s
printf '#! case once\n#! models p55c-200\n#! n 50 250\n#! expect clocks 0\nmov eax, 1\n' >once.s; p5scope check once.s
p5scope check -j 4 good.s
printf '#! n 1 2\n#! expect-fault #GP(0) at there\n#! expect-register eax 4\n#! expect-memory cell 05 00\nmov eax,5\nmov [cell],eax\nud2\nthere: nop\n.bss\ncell: .skip 4\n' >state.s; p5scope check state.s
printf '#! n 1 2\n#! expect-fault #UD\nmov eax,5\n' >end.s; printf '#! n 1 2\n#! expect-memory nowhere 00\nmov eax,5\n' >label.s; p5scope check end.s label.s
printf '#! expect-fault #UD(0)\nud2\n' >code.s; p5scope check code.s
{ printf '#! models p55c-200 p54c-133\n#! n 1 2\n'; yes '#! expect instructions_executed 1' | head -100; printf '#! expect@p54c-133 clocks 9\n.rept N\nnop\n.endr\n'; } >long.s; p5scope check -v long.s | grep -v instructions_executed
{ echo "#! models" $(p5scope list -j models | jq -r .name); echo '#! n 1 2'; yes '#! expect clocks 9' | head -60; echo nop; } >many.s; p5scope check -m p54c-133 many.s | grep -c 'expected 9'
printf '#! expect clocks 1\n.error "a\001 0 99999999 0"\n' >mark.s; p5scope check mark.s
printf '#! expect \033[31mclocks 1\nnop\n' >escape.s; p5scope check escape.s
printf '#! expect clocks 1\n.fill 100000000\n' >fill.s; p5scope check fill.s
mkdir ring && cp good.s ring && ln -s . ring/a && ln -s . ring/b && p5scope check ring
