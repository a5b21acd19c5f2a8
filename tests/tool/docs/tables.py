"""tables.py SOURCE: the man pages that are made of tables say what the tables say: of each event all that is to be known about it, of each
metric its formula, of each owner and reason when it occurs, of each port of the board what is there."""
import csv
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])


def page(name):
    """Its sections as the reader sees them: heading -> words, with single blanks."""
    text = subprocess.run(["sh", source / "docs/tables.sh", name, source], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"(?<!\\)\*", "", text.replace("++\n", "\n"))  # bold, line breaks
    parts = re.split(r"^# (.*)\n", text, flags=re.M)[1:]
    return {plain(heading): plain(body) for heading, body in zip(parts[::2], parts[1::2])}


def plain(text):
    return " ".join(re.sub(r"\\(.)", r"\1", text).split())


missing = []


def expect(where, body, *words):
    missing.extend(f"{where}: no '{word}'" for word in words if plain(word) not in body)


events = page("events")
lines = [line for line in open(source / "events/events.tsv") if not line.startswith("#")]
for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
    if row["kind"] == "reserved":
        continue
    names = [] if row["aliases"] == "-" else row["aliases"].split(";")
    remarks = [] if row["remarks"] == "-" else [row["remarks"]]
    counters = row["counters"].replace(" ", " and ")
    expect(row["name"], events.get(row["name"], ""), row["title"], f"{row['code']}h on counter {counters};", row["families"].split()[-1].upper(),
           row["kind"], row["grade"], row["rule"], *names, *remarks)

def rows(path):
    lines = [line for line in open(source / path) if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


owners, rules = page("owners"), {row["name"]: row["rule"] for row in rows("events/stalls.tsv")}
for row in rows("events/words.tsv"):
    for name in row["names"].split(";"):
        if row["kind"] == "reason" or (row["kind"] == "count" and name in rules):
            heading = name if row["kind"] == "reason" else f"{name.upper()} (OWNER)"
            example = [] if row["example"] == "-" else [row["example"]]
            expect(name, owners.get(heading, ""), rules.get(name, row["what"]), row["when"], row["avoid"], row["source"], *example)

metrics = page("metrics")
for file in (source / "events/metrics").glob("*.txt"):
    text = file.read_text()
    for line in re.search(r"^METRICS\n(.*?)^LONG", text, flags=re.S | re.M)[1].splitlines():
        expect(file.stem, metrics.get(file.stem.upper(), ""), *re.split("  +", line, maxsplit=1))

board = page("board")
for row in re.findall(r"^\|(?!-)(.*)\|$", (source / "docs/board.md").read_text(), flags=re.M):
    cells = [re.sub(r"`|\*\*|\[([^]]*)\]\([^)]*\)", r"\1", cell).strip() for cell in row.split("|")]
    expect("board", " ".join(board.values()), *cells)

if missing or len(events) < 70:
    sys.exit("\n".join(missing) or "no events")
