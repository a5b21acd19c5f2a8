"""options.py P5SCOPE SOURCE GENERATED: laws of the tables of options (src/cli/options.tsv, conflicts.tsv). Every option is accepted by its verbs, and is in
their help, man pages and three completions; every combination that is refused has its message. Help fits a screen of 24 lines and 80 columns."""
import pathlib
import re
import subprocess
import sys

program, source, generated = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
SETS = {"guest": "run stat top trace record", "rows": "list explain msr check bench report annotate diff"}
failures = []


def table(name):
    lines = [line for line in (source / "src/cli" / name).read_text().splitlines() if line and not line.startswith("#")]
    columns = lines[0].split("\t")
    rows = [dict(zip(columns, line.split("\t"))) for line in lines[1:]]
    for row in rows:
        row["verbs"] = SETS.get(row["verbs"], row["verbs"]).split()
    return rows


def run(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    return done.returncode, done.stdout, done.stderr


def check(good, message):
    if not good:
        failures.append(message)


options, conflicts = table("options.tsv"), table("conflicts.tsv")
by_verb = {}
for row in options:
    for verb in row["verbs"]:
        by_verb.setdefault(verb, {})[row["name"]] = row


def example(row):
    kind, *rest = row["type"].split()
    if row["example"] != "-":
        return row["example"]
    if kind == "choice":
        return rest[0].split("|")[0]
    return {"uint": rest[0] if rest else "", "positive": "1"}.get(kind, "x")


def words_of(row, suffix=""):
    """The words that give the option so that the term with the suffix holds."""
    name = "--" + row["name"]
    if row["argument"] == "-" or suffix == "~" or (row["flags"].find("optional") >= 0 and suffix == "" and row["name"] == "append"):
        return [name]
    return [f"{name}={example(row)}"] * (2 if suffix == "+" and row["type"].startswith("list") else 1)


def shown(row):
    return "-" + row["letter"] if row["letter"] != "-" else "--" + row["name"]


# ---- Every option is accepted, and is where its readers look for it ----

def manual(verb):
    page = source / f"docs/p5scope-{verb}.1.scd"
    return subprocess.run(["awk", "-v", "mode=man", "-v", f"verb={verb}", "-f", source / "src/cli/options.awk", source / "src/cli/options.tsv",
                           source / "src/cli/conflicts.tsv", page], capture_output=True, text=True, check=True).stdout


completions = {shell: (generated / f"completion.{shell}").read_text() for shell in ("bash", "zsh", "fish")}
arms = {"bash": r"^    {}\) printf '%s\\n'(.*) ;;$", "zsh": r"^    {}\) printf '%s\\n'(.*) ;;$", "fish": r"^        case '{}'\n *printf '%s\\n'(.*)$"}
overview = (source / "docs/p5scope.1.scd").read_text()
check(len(by_verb) == 15, f"verbs: {' '.join(by_verb)}")
for verb, rows in by_verb.items():
    visible = {f"--{name}" for name, row in rows.items() if "hidden" not in row["flags"]}
    status, text, _ = run(verb, "--help=all")
    check(status == 0 and set(re.findall(r"^  (?:-\w, |    )(--[a-z0-9-]+)", text, re.M)) == visible, f"{verb} --help=all differs from the table")
    page = manual(verb)
    check(visible <= set(re.findall(r"\*(--[a-z0-9-]+)\*", page + manual("run"))), f"p5scope-{verb}(1) lacks an option")
    section = re.search(r"^# OPTIONS\n(.*?)^# ", page, re.S | re.M)[1]
    entries = set(re.findall(r"\*(--[a-z0-9-]+)\*", "\n".join(re.findall(r"^\*-.*", section, re.M))))
    check(entries <= {f"--{name}" for name in rows}, f"p5scope-{verb}(1) has options that are none: {entries - visible}")
    check(f"See *p5scope-{verb}*(1)." in overview, f"p5scope(1) does not lead to {verb}")
    for shell, completion in completions.items():
        found = re.search(arms[shell].format(verb), completion, re.M)
        check(found and set(found[1].split()) == visible, f"completion.{shell}: the options of {verb} differ from the table")
    for row in rows.values():
        ways = [words_of(row)]
        if row["letter"] != "-":
            ways.append(["-" + row["letter"]] + ([example(row)] if row["argument"] != "-" else []))
        for words in ways:
            status, _, message = run(verb, *words, "--help")
            check(status == 0, f"{verb} {' '.join(words)}: {message}")
        if row["type"].split()[0] in ("uint", "positive", "percent", "interval"):
            unit = "s" if row["type"] == "interval" else ""
            for number in ("", " 5", "5 ", "+5", "-5", "5x", "0x", "inf", "nan", "9" * 400):
                word = f"--{row['name']}={number}{unit}"
                status, _, message = run(verb, word, "--help")
                check(status == 129 and (f"'{number}" in message or "more than" in message), f"{verb} {word} [{status}]: {message}")
    pages = re.search(r"^More options: --help=(.*), all\.$", run(verb, "--help")[1], re.M)
    for page in [""] + (pages[1].split(", ") if pages else []):
        lines = run(verb, f"--help={page}" if page else "--help")[1].splitlines()
        check(len(lines) <= 23 and all(len(line) < 80 for line in lines), f"{verb} --help={page} does not fit a screen: {len(lines)} lines")
for path in source.glob("docs/p5scope-*.[57].scd"):
    name, section = path.name.removesuffix(".scd").rsplit(".", 1)
    check(f"*{name}*({section})" in overview, f"p5scope(1) does not lead to {name}")


# ---- Every combination is refused ----

def split_term(term):
    return term.strip("!+=~"), term[-1] if term[-1] in "+=~" else ""


def needed(verb, name, rule, suffix):
    """The words that other rules need beside an option."""
    words = []
    for other in conflicts:
        subjects = [split_term(term) for term in other["a"].split()]
        condition = other["if"]
        if other is rule or other["relation"] != "needs" or verb not in other["verbs"] or (condition != "-" and not condition.startswith("!")):
            continue
        if (name, "") in subjects or (name, suffix) in subjects:
            first, of = split_term(other["b"].split()[0])
            words += words_of(by_verb[verb][first], of) + needed(verb, first, rule, of)
    return words


def refused(verb, rule, a, b, *terms):
    words = []
    for term in terms:
        name, suffix = split_term(term)
        words += words_of(by_verb[verb][name], suffix) + needed(verb, name, rule, suffix)
    status, _, message = run(verb, *words)
    expected = rule["message"]
    if expected == "-":
        others = [shown(by_verb[verb][split_term(term)[0]]) for term in rule["b"].split()]
        alternatives = " or ".join(filter(None, [", ".join(others[:-1]), others[-1]]))
        expected = f"{{a}} needs {alternatives}." if rule["relation"] == "needs" else "{a} cannot be combined with {b}."
    expected = expected.replace("{a}", a).replace("{b}", b or "")
    check(status == 129 and message.splitlines()[0] == f"p5scope: {expected}", f"{verb} {' '.join(words)}:\n  {message.strip()}\n  expected: {expected}")


cases = 0
for rule in conflicts:
    for verb in rule["verbs"]:
        rows = by_verb[verb]
        condition = [] if rule["if"] == "-" or rule["if"].startswith("!") else rule["if"].split()[:1]
        for a in rule["a"].split():
            subject = shown(rows[split_term(a)[0]])
            if rule["relation"] == "needs":
                refused(verb, rule, subject, None, *condition, a)
                cases += 1
                continue
            objects = rule["b"].split()
            if rule["relation"] == "only":
                objects = [name for name in rows if name not in objects + [a]]
            for b in objects:
                refused(verb, rule, subject, shown(rows[split_term(b)[0]]), *condition, a, b)
                cases += 1
print(f"{len(options)} rows of options, {cases} combinations are refused")
check(cases > 300, "too few combinations")
sys.exit("\n".join(failures) if failures else 0)
