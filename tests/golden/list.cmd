p5scope list events
p5scope list metrics
p5scope list models
p5scope list r2b.1
p5scope list -v btb_hits
p5scope list -j flops
p5scope list -j events | jq -s 'length'
p5scope list nosuch
p5scope list stall_agi
p5scope list stalls 'stall_m*'
p5scope list -j stalls data_tlb
p5scope list --csv stalls | sed -n 1,3p
p5scope list perf
p5scope list -v perf branch-misses
p5scope list -j perf cycles
p5scope list instructions 'imul*'
p5scope list instructions -v 'add m,r'
p5scope list instructions 'out*' | grep OUT
p5scope list instructions -v 'not*' | grep 'NOT\|counts'
p5scope list -j instructions pmaddwd | jq -s -c 'length, (.[0] | {name, pair, unit, confidence})'
p5scope list --csv perf cycles
p5scope list --csv -v events flops
p5scope list --csv
p5scope list -j --csv events
