#!/usr/bin/env bash
# long.sh BUILD [MILLIONS] [--write]: a long run (default 10,000 million instructions) of Lua under `p5scope stat`, all events: does it keep its
# speed and its memory? For each tenth of the run prints million instructions a second of CPU time and resident memory. --write puts the table
# into docs/performance.md.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
arguments MILLIONS 10000 "$@"
millions=$number
[ -f "$guests/stamp" ] || { echo "Lua is not there: ./dev guests builds it" >&2; exit 2; }
step=$((millions / 10))
[ "$step" -gt 0 ] || { echo "at least 10 million instructions" >&2; exit 2; }

{ echo 'for round = 1, 1e9 do'; cat "$here/work.lua"; echo 'end'; } >"$work/endless.lua"
mkfifo "$work/rows"
"$build/p5scope" stat -I "${step}000000i" --max-instructions="${step}0000000" -e instructions_executed -x ';' --log-fd=3 \
    "$guests/lua" - <"$work/endless.lua" 3>"$work/rows" >/dev/null &
pid=$!
ticks=$(getconf CLK_TCK)
before=0 tenth=0
while IFS=';' read -r _; do
    tenth=$((tenth + 1))
    read -r user system < <(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 12,13) || break
    memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    [ -n "$memory" ] || break
    echo "$tenth $((user + system - before)) $memory" |
        awk -v step="$step" -v ticks="$ticks" '{ printf "%d|%.0f|%.1f\n", $1 * step, step * ticks / $2, $3 / 1024 }' | tee -a "$work/table"
    before=$((user + system))
    [ "$tenth" -lt 10 ] || break
done < <(grep --line-buffered ';instructions_executed;\|;instructions_executed$' "$work/rows")
wait "$pid" || true
[ "$(wc -l <"$work/table")" -ge 9 ] || { echo "the run ended early" >&2; exit 1; }
awk -F '|' 'NR > 1 { if (!low || $2 < low) low = $2; if ($2 > high) high = $2 } NR == 1 { first = $3 } { last = $3 }
    END { printf "after the first tenth: %.0f to %.0f million instructions a second; memory from %.1f to %.1f MB\n", low, high, first, last }' \
    "$work/table" | tee "$work/summary"

[ -n "$write" ] || exit 0
echo "Lua, $millions million instructions, measured $(today): $(cat "$work/summary")." | write_page long
