# The clocks of a row change with the model; here the form is looked at, and numbers that follow from the instructions.
cp $GUESTS/quicksort $GUESTS/markers $GUESTS/markers.elf $GUESTS/hello $GUESTS/rdpmc .
p5scope trace -o t.csv -I 200000i -e instructions_executed quicksort 1 && sed 's/^# .*/# .../' t.csv | cut -d, -f1,2,5,13
p5scope trace -o t.csv --markers -e instructions_executed --deltas markers && cut -d, -f1,2,8 t.csv | tail -n +3
p5scope trace -o t.csv --pmu -e data_read markers.elf; cut -d, -f2,3,8,9,10 t.csv | tail -n +2
p5scope trace -o - --format csv --pmu --pce --ctr0 data_read:u -e branches:u rdpmc | grep -v CTR | cut -d, -f2,3,8 | tail -n +2
p5scope trace -o t.jsonl --at main,work markers && jq -r 'select(.kind) | [.kind, .label // ""] | join(" ")' t.jsonl
p5scope trace -o t.jsonl --from wrok --to 3000i -I 500i -e instructions_executed quicksort 1
p5scope trace -o t.jsonl --from sort --to 150000i -I 10000i -e instructions_executed quicksort 1; jq -c 'select(.row != null) | [.kind, .instructions]' t.jsonl
p5scope trace -o t.db -I 300000i quicksort 1 && sqlite3 t.db 'SELECT number, kind FROM interval; SELECT count(*) FROM event; SELECT complete FROM run'
p5scope trace -o t.kanata --to 40i hello && sed -n '1p; /^I	0/p; /^L	0/p; /^R	0/p' t.kanata
p5scope trace -o t.json --at main -I 1000000c hello && jq -c '.[] | select(.tid == 1) | [.name, .ph]' t.json
p5scope trace hello
p5scope trace -o t.xml hello
p5scope trace -o t.xml --format chrom hello
p5scope trace -o t.csv -I 0 hello
p5scope trace -o t.csv -I 10x hello
p5scope trace -o t.csv --at main,sart quicksort
p5scope trace -o t.csv --from 12 hello 2>&1 | head -3
p5scope trace -o t.csv -e nonsense hello
p5scope trace -o t.db.zst hello
p5scope trace -o t.csv nothing-there
p5scope merge -o t.db
p5scope merge t.json
p5scope stat -I 500000i -e instructions_executed --summary quicksort 1 2>&1 | grep -c instructions_executed
p5scope stat -I 500000i -x, -e instructions_executed quicksort 1 2>&1 >/dev/null | cut -d, -f2,4
p5scope stat -I 500000i -j -e instructions_executed quicksort 1 2>&1 >/dev/null | jq -c 'select(.event) | [has("interval"), .event, .value]'
p5scope stat -I 1000c -r 2 hello
p5scope trace -o t.csv --from 2000c --to 1000c quicksort 1
p5scope trace -q -o t.csv --from sort --to 20000i -e clocks quicksort 1; grep -c interval t.csv
p5scope trace -q -o t.csv --from 1e15c -e clocks quicksort 1
p5scope trace -o t.csv --bus-clock quicksort 1
p5scope trace -o t.db --deltas quicksort 1
p5scope trace -q -o t.vcd -e clocks hello && grep -c ' CLK ' t.vcd; p5scope trace -q -o t.vcd --bus-clock -e clocks hello && grep ' CLK ' t.vcd
p5scope trace -o t.kanata -I 100i hello
p5scope trace -o t.kanata.zst -e clocks hello
p5scope trace -o t.knt --markers hello
p5scope trace -o t --format kanata --at main hello; ls t
p5scope trace -q -o t.json --from work --at main,work -e clocks markers && jq -c '.[] | select(.tid == 1 and .ph != "M") | [.name, .ph]' t.json | uniq -c
p5scope trace -q -o t.jsonl --from sort --to +2000i -e clocks quicksort 1; jq -s 'map(select(.kind)) | .[-1].instructions - .[0].instructions' t.jsonl
p5scope trace -q -o t.jsonl --from sort --to +2000c -e clocks quicksort 1; jq -s 'map(select(.kind)) | .[-1].clock - .[0].clock | . >= 2000 and . < 2050' t.jsonl
p5scope trace -q -o t.jsonl --to +2000i -e clocks quicksort 1; jq -s 'map(select(.kind)) | .[-1].instructions' t.jsonl
p5scope trace -q -o t.csv --from 1000i --to 1000c quicksort 1
p5scope trace -q -o t.csv --from 2c --to 3c quicksort 1
p5scope trace -o t.csv --to +2000 quicksort 1
p5scope trace -o t.csv --to +0i quicksort 1
p5scope trace -o t.csv --from +5i quicksort 1
p5scope trace -q -o t.jsonl --from work --to work -e instructions_executed markers && jq -r 'select(.kind).kind' t.jsonl
p5scope trace -q -o t.jsonl --from work --at work -e clocks markers && jq -r 'select(.kind) | [.kind, .label // ""] | join(" ")' t.jsonl | head -4
p5scope trace -q -o t.jsonl --to work --at work,main -e clocks markers && jq -r 'select(.kind) | [.kind, .label // ""] | join(" ")' t.jsonl
p5scope trace -q -o t.jsonl --at work+2 -e clocks markers && jq -r 'select(.kind == "entry").label' t.jsonl
p5scope trace -o t.csv --functions quicksort 1
p5scope trace -o t.json --functions=many quicksort 1
# intervals need a unit, whichever verb they are for
p5scope stat -I 1000 hello
p5scope top -I 100k hello
p5scope trace -o t.csv -I 0x100 hello
p5scope stat -q -n -x, -I 2us hello 2>&1 >/dev/null | grep -c ,clocks
p5scope stat -q -n -x, -I 400clocks hello 2>&1 >/dev/null | grep -c ,clocks
p5scope trace -q -o t.csv -I 0.002ms -e clocks hello >/dev/null; grep -c interval t.csv
p5scope trace -o t.csv -e clocks,mmx_instructions_executed_u_pipe --model p54c-133 hello
# an event that is selected twice is one column: a name stands once in JSON and in a database
p5scope trace -q -o twice.db -e 'data_read,data_r*d,data_read' -I 1000c hello && sqlite3 twice.db 'SELECT name FROM event'
p5scope stat -q -j -o twice.json -e 'data_read,data_r*d,data_read' hello && p5scope merge -o twice.db twice.json
