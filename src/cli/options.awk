# awk -v mode=MODE [-v verb=VERB] -f options.awk options.tsv conflicts.tsv [TEMPLATE]: what is made from the two tables of options.
#   header   option_table.h: numbers of the options and the fields of their values
#   table    option_table.c: the rows
#   bash, zsh, fish   TEMPLATE with the arms of its cases at @OPTIONS@ and @VALUES@
#   man      TEMPLATE, the man page of VERB, with the names of options at @option NAME..., and at @options all that it does not mention
BEGIN {
    FS = "\t"
    guest = "run stat top trace record"
    rows = "list explain msr check bench report annotate diff"
    groups = "shared own output machine guest kernel"
    ctype["flag"] = ctype["unset"] = "bool "
    ctype["text"] = ctype["word"] = ctype["char"] = "const char *"
    ctype["uint"] = "uint64_t "
    ctype["positive"] = ctype["percent"] = "double "
    ctype["interval"] = "run_interval "
    ctype["choice"] = "unsigned "
    ctype["list"] = "text_list "
    ctype["operand"] = ctype["alias"] = ""
}
function fail(message) { printf "%s:%d: error: %s\n", FILENAME, FNR, message >"/dev/stderr"; failed = 1; exit 1 }
# The name of an option's field in cli_options. asm and static are keywords of C.
function identifier(text) { gsub(/-/, "_", text); return text == "asm" ? "code" : text == "static" ? "listing" : text }
function constant(text) { gsub(/-/, "_", text); return "OPTION_" toupper(text) }
function quoted(text) { gsub(/[\\"]/, "\\\\&", text); return text == "-" ? "NULL" : "\"" text "\"" }
function has(list, item) { return index(" " list " ", " " item " ") > 0 }
function all_verbs(text) { sub(/^guest$/, guest, text); sub(/^rows$/, rows, text); return text }
# Returns the option as messages name it: -l or --name.
function shown(text) { return letter_of[text] != "" ? "-" letter_of[text] : "--" text }

FNR == 1 { file++ }
file <= 2 && (/^#/ || /^verbs\t/) { next }

file == 1 {
    if (NF != 10) fail("10 columns are expected, not " NF)
    n++
    verbs[n] = all_verbs($1); name[n] = $2; letter[n] = $3; argument[n] = $4; group[n] = $6; flags[n] = $7; completes[n] = $9; help[n] = $10
    split($5, word, " ")
    type[n] = word[1]; of[n] = word[2]; most[n] = word[3]
    if (!(type[n] in ctype)) fail("there is no type '" type[n] "'")
    if (!has(groups, group[n])) fail("there is no group '" group[n] "'")
    if ((argument[n] == "-") != (type[n] == "flag" || type[n] == "unset")) fail("a flag has no argument, another option has one")
    field[n] = type[n] == "unset" || type[n] == "alias" ? of[n] : name[n]
    if (type[n] == "alias") { option[n] = of[n]; target[n] = of[n] } else option[n] = name[n]
    c = ctype[type[n]]
    if (c != "" && field[n] in ctype_of && ctype_of[field[n]] != c) fail("the rows of " field[n] " have values of two types")
    if (c != "") ctype_of[field[n]] = c
    if (letter[n] != "-") letter_of[name[n]] = letter[n]
    if (!(option[n] in number)) { number[option[n]] = ++options; option_name[options] = option[n] }
    split(verbs[n], word, " ")
    for (i in word) {
        if ((word[i], name[n]) in row_of) fail(word[i] " has two options " name[n])
        if (letter[n] != "-" && (word[i], letter[n]) in row_of) fail(word[i] " has two options -" letter[n])
        row_of[word[i], name[n]] = row_of[word[i], letter[n]] = n
    }
    next
}
file == 2 {
    if (NF != 6) fail("6 columns are expected, not " NF)
    if ($4 != "excludes" && $4 != "needs" && $4 != "only") fail("there is no relation '" $4 "'")
    rules++
    rule_verbs[rules] = all_verbs($1); condition[rules] = $2; subject[rules] = $3; relation[rules] = $4; object[rules] = $5; message[rules] = $6
    terms = split(($2 == "-" ? "" : $2 " ") $3 " " $5, term, " ")
    verb_count = split(rule_verbs[rules], word, " ")
    for (i = 1; i <= terms; i++) {
        gsub(/[!+=~]/, "", term[i])
        for (j = 1; j <= verb_count; j++)
            if (!((word[j], term[i]) in row_of)) fail(word[j] " has no option " term[i])
    }
    if ($6 == "-") {
        terms = split($5, term, " ")
        text = ""
        for (i = 1; i <= terms; i++) text = text (i == 1 ? "" : i == terms ? " or " : ", ") shown(term[i])
        message[rules] = relation[rules] == "needs" ? "{a} needs " text "." : "{a} cannot be combined with {b}."
    }
    next
}
mode != "man" && /^@OPTIONS@$/ { write_options(); next }
mode != "man" && /^@VALUES@$/ { write_values(); next }
mode == "man" && /^@option / { write_heading($0); next }
mode == "man" && /^@options$/ { write_rest(); next }
{ print }
END {
    if (failed) exit 1
    if (mode == "header") write_header()
    if (mode == "table") write_table()
}

function write_header(    i) {
    print "/* Made by options.awk from options.tsv. */"
    print "typedef enum cli_option {"
    for (i = 1; i <= options; i++) print "    " constant(option_name[i]) ","
    print "    OPTION_COUNT\n} cli_option;\n"
    print "#define CLI_OPTION_FIELDS \\"
    for (i = 1; i <= options; i++)
        if (option_name[i] in ctype_of) print "    " ctype_of[option_name[i]] identifier(option_name[i]) "; \\"
    print ""
}

function flag(row, word) { return has(flags[row], word) ? " | OPTION_IS_" toupper(word) : "" }
function write_table(    i, least, real) {
    print "/* Made by options.awk from options.tsv and conflicts.tsv. */\n#include \"cli/options.h\"\n"
    print "const cli_option_row cli_option_rows[] = {"
    for (i = 1; i <= n; i++) {
        real = type[i] == "alias" ? row_of[word_1(verbs[i]), of[i]] : i
        least = type[i] == "uint" ? of[i] : 0
        if (type[i] == "list") most[i] = of[i]
        if (most[i] == "" || most[i] == "max") most[i] = "UINT64_MAX"
        printf "    {\"%s\", \"%s\", %s, %s, VALUE_%s, %s,\n", verbs[i], name[i], letter[i] == "-" ? "0" : "'" letter[i] "'", constant(option[i]),
            toupper(type[real]), quoted(argument[i])
        printf "     %s, %s, %s, %s, \"%s\", 0%s,\n     %s},\n", field[i] in ctype_of ? "offsetof(cli_options, " identifier(field[i]) ")" : "0", least, most[i],
            type[real] == "choice" ? quoted(of[real]) : "NULL", group[i], flag(i, "optional") flag(i, "hidden") flag(i, "view") flag(i, "contents") flag(i, "part"), quoted(help[i])
    }
    print "};\nconst size_t cli_option_row_count = sizeof cli_option_rows / sizeof cli_option_rows[0];\n"
    print "const cli_conflict cli_conflicts[] = {"
    for (i = 1; i <= rules; i++)
        printf "    {\"%s\", %s, \"%s\", CONFLICT_%s, \"%s\",\n     %s},\n", rule_verbs[i], quoted(condition[i]), subject[i], toupper(relation[i]), object[i], quoted(message[i])
    print "};\nconst size_t cli_conflict_count = sizeof cli_conflicts / sizeof cli_conflicts[0];"
}
function word_1(text) { sub(/ .*/, "", text); return text }

# ---- Completions ----

function arm(patterns, body) {
    if (mode == "fish") { gsub(/ /, "' '", patterns); printf "        case '%s'\n            %s\n", patterns, body }
    else { gsub(/ /, " | ", patterns); printf "    %s) %s ;;\n", patterns, body }
}
function write_options(    i, j, verb_count, word, names, all) {
    for (i = 1; i <= n; i++) {
        verb_count = split(verbs[i], word, " ")
        for (j = 1; j <= verb_count; j++) {
            if (!(word[j] in names)) all = all " " word[j]
            names[word[j]] = names[word[j]] (has(flags[i], "hidden") ? "" : " --" name[i])
        }
    }
    verb_count = split(all, word, " ")
    for (j = 1; j <= verb_count; j++) arm(word[j], "printf '%s\\n'" names[word[j]])
}
# Returns a command that sets the words of a completion. @SECTION:KIND becomes a call of the template's _p5scope_names.
function words_of(text,    open) {
    open = mode == "fish" ? "(" : "$("
    while (match(text, /@[a-z]+:[a-z-]+/)) {
        call = substr(text, RSTART + 1, RLENGTH - 1)
        sub(/:/, " ", call)
        text = substr(text, 1, RSTART - 1) open "_p5scope_names " call ")" substr(text, RSTART + RLENGTH)
    }
    return mode == "bash" ? "words=\"" text "\"" : mode == "zsh" ? "found=\"" text "\"" : "set found " text
}
function write_values(    i, j, verb_count, word, patterns, values) {
    for (i = 1; i <= n; i++) {
        values = completes[i]
        if (values == "-" && type[i] == "choice") { values = of[i]; gsub(/\|/, " ", values) }
        if (values == "-") continue
        patterns = ""
        verb_count = split(verbs[i], word, " ")
        for (j = 1; j <= verb_count; j++)
            patterns = patterns (j > 1 ? " " : "") word[j] ":--" name[i] (letter[i] != "-" ? " " word[j] ":-" letter[i] : "")
        arm(patterns, words_of(values))
    }
}

# ---- Man pages ----

# Returns an option as the heading of its text in a man page: letters bold, values that the user chooses underlined.
function heading(row,    text, value) {
    value = argument[row]
    if (type[row] == "choice") { value = completes[row] == "-" ? "*" of[row] "*" : "*" completes[row] "*"; gsub(/[| ]/, "*|*", value) }
    else if (value == "-") value = ""
    else {
        text = value; value = ""
        while (match(text, /[A-Z][A-Z0-9]*/)) {
            value = value substr(text, 1, RSTART - 1) "_" tolower(substr(text, RSTART, RLENGTH)) "_"
            text = substr(text, RSTART + RLENGTH)
        }
        value = value text
    }
    if (has(flags[row], "optional")) value = "[=" value "]"
    else if (value != "") value = " " value
    return (letter[row] != "-" ? "*-" letter[row] "*, " : "") "*--" name[row] "*" value
}
function write_heading(line,    i, count, word, text) {
    count = split(line, word, " ")
    for (i = 2; i <= count; i++) {
        if (!((verb, word[i]) in row_of)) fail(verb " has no option " word[i])
        mentioned[word[i]] = 1
        text = text (i > 2 ? "; " : "") heading(row_of[verb, word[i]])
    }
    print text
}
# Writes the options that the page does not mention. p5scope-run(1) has the options of a guest for all verbs.
function write_rest(    i, line) {
    for (i = 1; i <= n; i++) {
        if (!has(verbs[i], verb) || has(flags[i], "hidden") || name[i] in mentioned) continue
        if (verb != "run" && ("run", name[i]) in row_of) continue
        line = help[i]
        gsub(/[*_\\<>#~`]/, "\\\\&", line)
        printf "%s\n\t%s.\n\n", heading(i), line
    }
}
