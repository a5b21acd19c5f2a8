# Bash completion for p5scope. Verbs and options come from the program's own help, events, metrics, models and registers from its lists, so
# that little here has to be kept in step.
_p5scope_names() # SECTION KIND: the names of a section of the list
{
    "$program" list "$1" --json 2>/dev/null | sed -n 's/.*"kind":"'"$2"'","name":"\([A-Za-z0-9_-]*\)".*/\1/p'
}

_p5scope()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
    local verb=${COMP_WORDS[1]} word i
    COMPREPLY=()
    [[ $current == = ]] && current= && previous==  # --option=VALUE is three words
    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 1 - (${#current} > 0)]}
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$current"))
        return
    fi
    # whatever stands in front of the last comma or brace stays
    local head=${current%"${current##*[,\{]}"} words=
    case $verb:$previous in
    help:help) words=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p') ;;
    annotate:-M | *:--disassembler-style) words=intel ;;
    *:-e | *:--event | *:--fold | *:-c | *:--period) words="clocks $(_p5scope_names events event) $(_p5scope_names perf perf-name)" ;;
    *:--ctr[01]) words=$(_p5scope_names events event) ;;
    *:-M | *:--metrics) words=$(_p5scope_names metrics metric-group) ;;
    *:-m | *:--model) words=$(_p5scope_names models model) ;;
    trace:--format) words="csv jsonl sqlite vcd chrome kanata" ;;
    report:-s | report:--sort) words="symbol line address file mode" ;;
    *:--isa) words="exact permissive" ;;
    *:--threads) words="1 2" ;;
    list:list) words="events perf metrics models instructions" ;;
    msr:msr) words=$("$program" msr 2>/dev/null | sed -n 's/^  [0-9a-f]*h  \([a-z0-9]*\) .*/\1/p') ;;
    esac
    if [[ -n $words && $current != -* ]]; then
        COMPREPLY=($(compgen -P "$head" -W "$words" -- "${current##*[,\{]}"))
        # more may follow: :u, /N, another name
        case $previous in -e | --event | -c | --period | --ctr[01] | -M | --metrics) compopt -o nospace ;; esac
        return
    fi
    if [[ $current == -* ]]; then
        for ((i = 2; i < COMP_CWORD; i++)); do # behind -- everything is the guest's
            [[ ${COMP_WORDS[i]} == -- ]] && return
        done
        COMPREPLY=($(compgen -W "$("$program" "$verb" --help=all 2>/dev/null | sed -n 's/^  \(-[A-Za-z], \|    \)--\([a-z0-9-]*\).*/--\2/p')" -- "$current"))
        return
    fi
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _p5scope p5scope
