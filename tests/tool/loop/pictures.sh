#!/bin/sh
# pictures.sh P5SCOPE GUESTS: Chromium shows the time line: a row for each instruction and an arrow for each that held another back, details on focus, nothing
# wider than the window, no complaints, nothing from outside; it is not blank, light and dark and printed. Hostile text stays text.
p5scope=$1 guests=$2
. "$(dirname "$0")/../profile/common.sh"
needs chromium
needs jq
code='add esi, 4; mov eax, [esi]; fld dword ptr [esi]; fadd dword ptr [esi]; fstp dword ptr [esi]; sub esi, 4'
"$p5scope" bench --asm "$code" --model p55c-200 --trips 4 -o "$scratch/page.html" >/dev/null || fail "no page"
"$p5scope" bench --asm "$code" --model p55c-200 --trips 4 -o "$scratch/picture.svg" >/dev/null || fail "no picture"
"$p5scope" bench --asm "$code" --model p55c-200 --trips 4 --json >"$scratch/data" || fail "no data"
insns=$(jq -s 'map(select(.what == "instruction")) | length' "$scratch/data")
arrows=$(jq -s 'map(select(.what == "instruction") | .held_by[]) | length' "$scratch/data")
[ "$insns" = 32 ] && [ "$arrows" -ge 8 ] || fail "$insns instructions, $arrows that held others back"
browse "$scratch/page.html" --dump-dom >"$scratch/dom"
[ "$(grep -o 'class="i"' "$scratch/dom" | wc -l)" = "$insns" ] || fail "not a row for each instruction"
[ "$(grep -o 'class="a"' "$scratch/dom" | wc -l)" = "$arrows" ] || fail "not an arrow for each that held another back"
[ "$(grep -o 'aria-label="\[[0-9]*\]' "$scratch/dom" | wc -l)" = "$insns" ] || fail "not details for each instruction"
grep -q 'held back by \[0\] add esi, 4: address esi' "$scratch/dom" || fail "the AGI is not explained"
grep -q 'Limited by' "$scratch/dom" || fail "the page does not say what limits the loop"
[ "$(grep -c 'class="i"' "$scratch/picture.svg")" = "$insns" ] || fail "the picture by itself has other rows"
browse "$scratch/picture.svg" --dump-dom >/dev/null
# The Pentium without MMX has no stage F: the only box of that kind is the legend's.
"$p5scope" bench --asm "$code" --model p54c-133 --trips 4 -o "$scratch/p54c.svg" >/dev/null || fail "no picture of a P54C"
[ "$(grep -o 'class="f"' "$scratch/p54c.svg" | wc -l)" = 1 ] || fail "an instruction of a P54C is in stage F"
if command -v xmllint >/dev/null; then
    xmllint --noout "$scratch/picture.svg" || fail "the picture is no XML"
fi
grep -Eiq '<script[^>]*src|(src|href)="(https?:)?//|@import|url\((https?:|//)' "$scratch/page.html" && fail "the page needs something from outside"
# Nothing is wider than the window, and the keys reach every row.
sed 's|</body>|<script>drawn[0].focus();for(let n=0;n<3;n++)document.activeElement.dispatchEvent(new KeyboardEvent("keydown",{key:"ArrowDown",bubbles:true}));parent.postMessage([innerWidth,document.documentElement.scrollWidth,document.activeElement.dataset.n,details.textContent.slice(0,3)],"*")</script></body>|' \
    "$scratch/page.html" >"$scratch/copy.html"
printf '<!doctype html><body><script>addEventListener("message",e=>{document.body.append(" width "+e.data.join(" "))});for(const w of [400,1000,1600])document.write("<iframe src=copy.html width="+w+" height=600></iframe>")</script>' >"$scratch/widths.html"
browse "$scratch/widths.html" --allow-file-access-from-files --virtual-time-budget=20000 --dump-dom >"$scratch/widths"
for width in 400 1000 1600; do
    needs_width=$(grep -o "width $width [0-9]* 3 \[3\]" "$scratch/widths" | cut -d' ' -f3)
    [ -n "$needs_width" ] && [ "$needs_width" -le $width ] || fail "at $width pixels: $(grep -o 'width [0-9]* [^<]*' "$scratch/widths")"
done
# A window of a run, and text that is none of ours.
"$p5scope" trace -q --pipeline "$scratch/run.html" --from main --to +60i "$guests/quicksort" 1 >/dev/null || fail "no page of a run"
browse "$scratch/run.html" --dump-dom >"$scratch/run.dom"
shown=$(grep -o 'class="i"' "$scratch/run.dom" | wc -l) # an instruction that waits for its partner at the end is not in EX yet
[ "$shown" -ge 58 ] && [ "$shown" -le 60 ] || fail "the window of 60 instructions has $shown"
cp "$guests/quicksort" "$scratch/<script>document.title=1<" 2>/dev/null && {
    (cd "$scratch" && "$p5scope" trace -q -o hostile.html --from main --to +5i './<script>document.title=1<' 1 >/dev/null) || fail "no page of a file with an odd name"
    browse "$scratch/hostile.html" --dump-dom | grep -q '<title>1</title>' && fail "a name was executed"
}
printf '<!doctype html><title>blank</title>' >"$scratch/blank.html"
shot() { browse "$scratch/$2" --window-size=1000,900 --screenshot="$scratch/$1.png" ${3:-} >/dev/null; [ -s "$scratch/$1.png" ] || fail "no picture $1"; }
shot light page.html
shot dark page.html --force-dark-mode
shot svg picture.svg
shot blank blank.html
browse "$scratch/page.html" --print-to-pdf="$scratch/page.pdf" >/dev/null
size() { wc -c <"$1"; }
for picture in light dark svg; do
    [ "$(size "$scratch/$picture.png")" -gt $((5 * $(size "$scratch/blank.png"))) ] || fail "the page is blank ($picture)"
done
[ "$(size "$scratch/page.pdf")" -gt 15000 ] || fail "nothing is printed"
