#!/bin/sh
# html.sh P5SCOPE GUEST [ARGUMENT...]: Chromium reads the page: its parts are there, every event's number is that of stat -j, every link has
# its target, nothing comes from outside, and it is not blank, light and dark and printed.
p5scope=$1
shift
. "$(dirname "$0")/common.sh"
needs chromium
needs jq
stat_values "$scratch/expected" -q "$@"
"$p5scope" record -q -o "$scratch/p" "$@" >/dev/null
"$p5scope" report "$scratch/p" -o "$scratch/page.html" || fail "no page"
browse "$scratch/page.html" --dump-dom >"$scratch/dom"
[ -s "$scratch/dom" ] || { cat "$scratch/complaints"; fail "Chromium gave nothing"; }
grep -o 'data-event="[a-z0-9_]*" data-value="[0-9]*"' "$scratch/dom" | sed 's/data-event="\(.*\)" data-value="\(.*\)"/\1 \2/' >"$scratch/got"
grep -v '^clocks ' "$scratch/expected" >"$scratch/events"
sort "$scratch/got" | diff "$scratch/events" - || fail "< stat -j, > the page"
clocks=$(awk '$1 == "clocks" { print $2 }' "$scratch/expected")
sum=$(grep -o 'data-stall="[a-z0-9_]*" data-value="[0-9]*"' "$scratch/dom" | sed 's/.*data-value="//; s/"//' | awk '{ s += $1 } END { print s }')
[ "$sum" = "$clocks" ] || fail "clocks by owner add up to $sum, not $clocks"
for part in functions cpi flame rates events lines code caches btb model; do
    grep -q "<section id=\"$part\"" "$scratch/dom" || fail "no part $part"
done
[ "$(grep -o '<section id="[a-z]*"' "$scratch/dom" | head -1)" = '<section id="functions"' ] || fail "the hottest functions are not first"
# The stack over time has every owner that the run had, and the flame graph the functions that were called, as wide as what they cost.
owners=$(grep -o 'data-stall="' "$scratch/dom" | wc -l)
areas=$(grep -o '<path fill=' "$scratch/dom" | wc -l)
[ "$areas" -ge 3 ] && [ "$areas" = "$owners" ] || fail "$areas owners over time, $owners in all"
"$p5scope" report "$scratch/p" --children --json | jq -r 'select(.symbol == "main").clocks_children' >"$scratch/main"
tr -d ',' <"$scratch/dom" | grep -o '<title>[^<]* clocks [0-9.]* %</title>' | sed 's/<title>\(.*\): \([0-9]*\) clocks.*/\1 \2/' >"$scratch/frames"
grep -qx "main $(cat "$scratch/main")" "$scratch/frames" || fail "main in the flame graph: $(grep main "$scratch/frames"), not $(cat "$scratch/main")"
grep -qx "all $clocks" "$scratch/frames" || fail "the root of the flame graph: $(grep '^all ' "$scratch/frames"), not $clocks"
"$p5scope" report "$scratch/p" -o "$scratch/graph.svg" || fail "no flame graph"
[ "$(grep -c 'class="f"' "$scratch/graph.svg")" = "$(wc -l <"$scratch/frames")" ] || fail "the flame graph by itself has other frames"
# At three widths nothing is wider than the window: each copy tells the page around it.
sed 's|</body>|<script>parent.postMessage([innerWidth,document.documentElement.scrollWidth],"*")</script></body>|' "$scratch/page.html" >"$scratch/copy.html"
printf '<!doctype html><body><script>addEventListener("message",e=>{document.body.append(" width "+e.data.join(" needs "))});for(const w of [400,800,1280])document.write("<iframe src=copy.html width="+w+" height=600></iframe>")</script>' >"$scratch/widths.html"
browse "$scratch/widths.html" --allow-file-access-from-files --virtual-time-budget=20000 --dump-dom >"$scratch/widths"
for width in 400 800 1280; do
    got=$(grep -o "width $width needs [0-9]*" "$scratch/widths" | cut -d' ' -f4)
    [ -n "$got" ] && [ "$got" -le $width ] || fail "at $width pixels the page needs ${got:-?}: $(grep -o 'width [0-9]* needs [0-9]*' "$scratch/widths" | tr '\n' ';')"
done
[ "$(grep -o '<polyline' "$scratch/dom" | wc -l)" -gt 10 ] || fail "no charts over time"
[ "$(grep -o 'class="pipe pu on"' "$scratch/dom" | wc -l)" -gt 10 ] || fail "no pairing diagram"
[ "$(grep -o '<td style="--h:' "$scratch/dom" | wc -l)" = 384 ] || fail "not 128 + 128 + 64 + 64 sets"
# What the branch target buffer held is in the table entry by entry, and in the map of sets; on both processors.
# Owners have the colours of the table, and owners, events and reasons have their explanations as tooltips.
root=$(cd "$(dirname "$0")/../../.." && pwd)
grep -v '^#' "$root/events/stalls.tsv" | cut -f1,3 >"$scratch/colours"
"$p5scope" report "$scratch/p" --page | jq -r '.owners[] | "\(.name)\t\(.colour[1:])"' | grep -vxF -f "$scratch/colours" && fail "an owner has another colour"
for owner in issue branch data_read; do
    colour=$(awk -v owner=$owner '$1 == owner { print $2 }' "$scratch/colours")
    grep -o "<path fill=\"#$colour\"[^>]*><title>$owner:" "$scratch/dom" >/dev/null || fail "$owner over time is not #$colour"
    grep -o "title=\"[A-Z][^\"]*\"[^>]*>$owner</td>" "$scratch/dom" >/dev/null || fail "$owner has no tooltip"
done
grep -q 'title="next one needs its result: The next instruction' "$scratch/dom" || fail "a reason has no tooltip"
# A click on a heading sorts a table, and the field above it leaves the rows with a text.
sed 's|</body>|<script>const t=document.querySelector("#functions"),b=[...t.querySelectorAll("th button")],n=()=>[...t.querySelectorAll("tbody tr")].filter(r=>!r.hidden).map(r=>+r.cells[3].textContent.replaceAll(",","")),o=[];b[3].click();o.push(n());b[3].click();o.push(n());const f=t.querySelector("input");f.value="SORT";f.dispatchEvent(new Event("input"));o.push([...t.querySelectorAll("tbody tr")].filter(r=>!r.hidden).map(r=>r.cells[0].textContent));document.title=JSON.stringify(o)</script></body>|' "$scratch/page.html" >"$scratch/sorted.html"
browse "$scratch/sorted.html" --dump-dom | grep -o '<title>.*</title>' | head -n 1 | sed 's/<[^>]*>//g' >"$scratch/sorted"
jq -e '.[0] == (.[0] | sort | reverse) and .[1] == (.[0] | sort) and (.[0] | length) > 3 and (.[2] | length > 0 and all(contains("sort")))' "$scratch/sorted" >/dev/null || fail "sorting or searching: $(cat "$scratch/sorted")"
check_btb() { # PROFILE DOM
    entries=$(grep -c '^btb ' "$1")
    [ "$entries" -gt 5 ] || fail "only $entries entries of the branch target buffer"
    [ "$(grep -o 'data-btb="[0-9.]*"' "$2" | sort -u | wc -l)" = "$entries" ] || fail "$entries entries of the branch target buffer are not all in the table"
    [ "$(grep -o 'title="set [0-9]*: [0-9]* entries"' "$2" | awk '{ s += $3 } END { print s }')" = "$entries" ] || fail "the map of the branch target buffer has another sum"
}
check_btb "$scratch/p" "$scratch/dom"
# A P55C's key lies in the set that it is in: bank is bits 3-2, set bits 7-4 (hardware: branch target buffer; btb.h).
awk '$1 == "btb" { n = substr($4, length($4) - 1); k = index("0123456789abcdef", substr(n, 1, 1)) * 16 - 16 + index("0123456789abcdef", substr(n, 2, 1)) - 1
    if (int(k / 16) * 4 + int(k / 4) % 4 != $2) { print; exit 1 } }' "$scratch/p" || fail "an entry in the wrong set"
"$p5scope" record -q --model p54c-133 -o "$scratch/p54c" "$@" >/dev/null
"$p5scope" report "$scratch/p54c" -o "$scratch/p54c.html" || fail "no page of a P54C"
browse "$scratch/p54c.html" --dump-dom >"$scratch/p54c.dom"
check_btb "$scratch/p54c" "$scratch/p54c.dom"
for target in $(grep -o 'href="#[a-z0-9-]*"' "$scratch/dom" | sed 's/href="#//; s/"//' | sort -u); do
    grep -q "id=\"$target\"" "$scratch/dom" || fail "a link to #$target, which is not there"
done
grep -Eiq '<script[^>]*src|(src|href)="(https?:)?//|@import|url\(' "$scratch/page.html" && fail "the page needs something from outside"
# Whatever a function is called, its name is text: it ends no element, and the page is UTF-8.
hostile='</script><script>document.title=1</script><!--<script>&amp;"\'
awk 'BEGIN { name = ARGV[1]; ARGV[1] = "" } /^function .* main$/ { sub(/main$/, ""); $0 = $0 name } { print }' \
    "$hostile$(printf '\342\200\250\377')" "$scratch/p" >"$scratch/hostile"
"$p5scope" report "$scratch/hostile" -o "$scratch/hostile.html" || fail "no page of a function with an odd name"
[ "$(grep -o '<script' "$scratch/hostile.html" | wc -l)" = "$(grep -o '<script' "$scratch/page.html" | wc -l)" ] || fail "a name adds a script"
LC_ALL=C.UTF-8 grep -qav '^.*$' "$scratch/hostile.html" && fail "the page is not UTF-8"
browse "$scratch/hostile.html" --dump-dom >"$scratch/hostile.dom"
grep -q '&lt;/script&gt;&lt;script&gt;document.title=1&lt;/script&gt;&lt;!--&lt;script&gt;&amp;amp;"' "$scratch/hostile.dom" || fail "the odd name is not shown as it is"
grep -q '<title>1</title>' "$scratch/hostile.dom" && fail "a name was executed"
"$p5scope" report "$scratch/hostile" --page | jq -e --arg name "$hostile" 'any(.functions[].name; startswith($name))' >/dev/null || fail "the odd name in JSON"
# The page by itself shows its example.
browse "$(cd "$(dirname "$0")/../../.." && pwd)/src/report/profile/page.html" --dump-dom >"$scratch/example"
grep -q 'data-event="data_read_miss" data-value="20"' "$scratch/example" || fail "page.html by itself shows no example"
# Not blank: far more than a page with nothing on it.
printf '<!doctype html><title>blank</title>' >"$scratch/blank.html"
shot() { browse "$scratch/$2.html" --window-size=1100,1600 --screenshot="$scratch/$1.png" ${3:-} >/dev/null; [ -s "$scratch/$1.png" ] || fail "no picture $1"; }
shot light page
shot dark page --force-dark-mode
shot blank blank
browse "$scratch/page.html" --print-to-pdf="$scratch/page.pdf" >/dev/null
size() { wc -c <"$1"; }
for picture in light dark; do
    [ "$(size "$scratch/$picture.png")" -gt $((5 * $(size "$scratch/blank.png"))) ] || fail "the page is blank ($picture)"
done
[ "$(size "$scratch/page.pdf")" -gt 20000 ] || fail "nothing is printed"
# Printed are also the parts that are folded on the screen.
if command -v pdftotext >/dev/null; then
    pdftotext "$scratch/page.pdf" - | grep -q pair_length_u || fail "the model's fields are not printed"
fi
