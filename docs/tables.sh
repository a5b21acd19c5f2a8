#!/bin/sh
# tables.sh PAGE SOURCE: the man page "events", "owners", "metrics" or "board" as scdoc text, from the table or document it is about.
set -eu
page=$1 source=$2
# What scdoc takes for markup.
escape() { sed 's/\\/\\\\/g; s/_/\\_/g; s/\*/\\*/g; s/</\\</g; s/>/\\>/g; s/#/\\#/g; s/~/\\~/g; s/`/\\`/g'; }
case $page in
events)
    printf 'p5scope-events(7)\n\n# NAME\n\np5scope-events - the performance events of the Pentium and Pentium MMX\n\n# DESCRIPTION\n\n'
    printf 'Each event with its code in CESR, the counters that can select it, the processors that have it and the most that it can count in a clock;\nwhat is counted; and what manuals and silicon say otherwise. An occurrence counts times, a duration clocks. *exact* follows from the instructions executed,\n*modelled* rests on the model of caches, predictor and pipe, for *approximate* the sources leave a part of the rule open. Wherever p5scope\ntakes a name it takes an alias, too, in upper or lower case.\n'
    grep -v '^#' "$source/events/events.tsv" | escape | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        function of(name) { return $column[name] }
        of("kind") != "reserved" {
            counters = of("counters"); sub(/ /, " and ", counters)
            families = toupper(of("families")); sub(/ /, " and ", families)
            printf "\n# %s\n\n", of("name")
            printf "%s. Code %sh on counter %s; %s", of("title"), of("code"), counters, families
            printf "; %s%s; *%s*.\n", of("kind"), of("max") == 1 ? "" : ", at most " of("max") " a clock", of("grade")
            printf "\n%s\n", of("rule")
            if (of("remarks") != "-") printf "\n%s\n", of("remarks")
            if (of("aliases") != "-") { aliases = of("aliases"); gsub(/;/, ", ", aliases); printf "\nAliases: %s.\n", aliases }
        }'
    printf '\n# SEE ALSO\n\n*p5scope-list*(1), *p5scope-metrics*(5)\n'
    ;;
owners)
    printf 'p5scope-owners(7)\n\n# NAME\n\np5scope-owners - the owners of clocks, and the reasons for not pairing\n\n# DESCRIPTION\n\n'
    printf 'Each clock of a run has exactly one owner; the owners add up to the clocks (the CPI stack of *p5scope-stat*(1) and *p5scope-bench*(1)). An instruction that\nis issued without a partner has exactly one reason, which diagrams and *p5scope-annotate*(1) show. Budgets, metrics and *report -e* call the clocks of an owner\nstall\\_OWNER. *p5scope-explain*(1) prints the same, and explains events, metrics and registers, too.\n'
    # the rows of both tables: those of the owners' own first
    cat "$source/events/stalls.tsv" "$source/events/words.tsv" | grep -v '^#' | escape | awk -F '\t' '
        function example(options, code) { sub(/^-$/, "", options); return "p5scope bench " options (options == "" ? "" : " ") "--asm \047" code "\047" }
        function explain(heading, what, event) {
            printf "\n# %s\n\n%s\n", heading, what
            if (event != "" && event != "-") printf "The event *%s* counts such clocks or their causes.\n", event
            printf "\n*When:* %s\n\n*Advice:* %s\n\n*Manual:* %s\n", $4, $5, $6
            if ($8 != "-") printf "\n*Example:*++\n%s\n", example($7, $8)
        }
        NF == 4 { rule[$1] = $4; event[$1] = $2; next }
        $1 == "count" { n = split($2, name, ";"); for (i = 1; i <= n; i++) if (name[i] in rule && name[i] != "name") explain(toupper(name[i]) " (OWNER)", rule[name[i]], event[name[i]]) }
        $1 == "reason" { explain($2, $3, "") }'
    printf '\n# SEE ALSO\n\n*p5scope-explain*(1), *p5scope-events*(7)\n'
    ;;
metrics)
    printf 'p5scope-metrics(5)\n\n# NAME\n\np5scope-metrics - groups of metrics: the form of their files, and those that are there\n\n# DESCRIPTION\n\n'
    printf 'A file has four parts. SHORT is the title; EVENTSET the events of the group, one a line; METRICS lines of a name, with its unit in brackets,\ntwo spaces and a formula; LONG the remarks.\n\nA formula has + - \\* / and brackets, numbers (k, M and G at the end multiply), events, *clocks*, *CPI*, *IPC*,\n*seconds*, *stall\\_CAUSE*, *bus\\_read\\_bytes* and *bus\\_written\\_bytes* (of the bus cycles of the processor). Names may have the modifiers of *-e*: data\\_read:u.\n'
    for file in "$source"/events/metrics/*.txt; do
        name=$(basename "$file" .txt)
        escape <"$file" | awk -v name="$name" '
            /^SHORT/ { sub(/^SHORT */, ""); printf "\n# %s\n\n%s.\n\n", toupper(name), $0; next }
            /^(EVENTSET|METRICS|LONG)$/ { part = $0; if (part == "LONG") print ""; next }
            part == "METRICS" && NF { split($0, two, /  +/); printf "*%s*++\n", two[1]; sub(/^.*  +/, ""); printf "%s\n\n", $0 }
            part == "LONG" && NF { print }'
    done
    printf '\n# SEE ALSO\n\n*p5scope-stat*(1), *p5scope-events*(7)\n'
    ;;
board)
    printf 'p5scope-board(7)\n\n# NAME\n\np5scope-board - the PC/AT that bare-metal guests run on\n\n# DESCRIPTION\n\n'
    tail -n +2 "$source/docs/board.md" | sed 's/\*\*\([^*]*\)\*\*/\1/g; s/\[\([^]]*\)\]([^)]*)/\1/g; s/`//g' | sed 's/^## /@@/' | escape | awk '
        /^@@/ { printf "\n# %s\n", toupper(substr($0, 3)); next }
        /^\|[-|]*$/ { next }
        /^\|/ { n = split($0, cell, / *\| */); printf "%s", cell[2]; printf "++\n"; for (i = 3; i < n; i++) printf "%s%s", cell[i], i < n - 1 ? ": " : "\n\n"; next }
        /^ +/ { sub(/^ +/, "") }
        { print }'
    printf '\n# SEE ALSO\n\n*p5scope-run*(1)\n'
    ;;
*) echo "tables.sh: no page '$page'" >&2; exit 1 ;;
esac
