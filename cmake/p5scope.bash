# Bash completion for p5scope. Verbs and options come from the program's own help, events and models from its lists, so that nothing here
# has to be kept in step.
_p5scope()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
    local verb=${COMP_WORDS[1]} word i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$current"))
        return
    fi
    case $previous in
    -e | --event)
        # the part behind the last comma, brace or blank; : separates words in COMP_WORDBREAKS and ends the list of names
        local head=${current%"${current##*[,\{]}"}
        COMPREPLY=($(compgen -P "$head" -W "clocks $("$program" list events --json 2>/dev/null | sed -n 's/.*"kind":"event","name":"\([a-z0-9_]*\)".*/\1/p')" \
            -- "${current##*[,\{]}"))
        compopt -o nospace
        return
        ;;
    --format)
        [[ $verb == trace ]] && COMPREPLY=($(compgen -W "csv jsonl sqlite vcd chrome kanata" -- "$current")) && return
        ;;
    -m | --model)
        COMPREPLY=($(compgen -W "$("$program" list models --json 2>/dev/null | sed -n 's/.*"kind":"model","name":"\([a-z0-9-]*\)".*/\1/p')" -- "$current"))
        return
        ;;
    esac
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
