#!/usr/bin/env python3
"""schemas.py P5SCOPE GUESTS SOURCE: every line of JSON that the verbs write is valid against docs/schemas, CSV has the same rows, and the schemas
refuse what is wrong."""
import csv, io, json, os, subprocess, sys, tempfile

try:
    import jsonschema
except ImportError:
    print("no python3-jsonschema: skipped")
    sys.exit(77)

program, guests, source = (os.path.abspath(p) for p in sys.argv[1:4])
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
failed = 0


def fail(text):
    global failed
    failed += 1
    print("FAIL:", text)


def run(*words, ok=(0,)):
    done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode not in ok:
        fail(f"{' '.join(words)}: status {done.returncode}: {done.stderr[:300]}")
    return done.stdout


def schema(name):
    with open(f"{source}/docs/schemas/{name}.json", encoding="utf-8") as file:
        text = json.load(file)
    validator = jsonschema.validators.validator_for(text, jsonschema.Draft7Validator)
    validator.check_schema(text)
    return validator(text)


def check(name, text, least):
    lines = [json.loads(line) for line in text.splitlines() if line]
    if len(lines) < least:
        fail(f"{name}: {len(lines)} lines, expected {least} or more")
    validator = schema(name)
    for line in lines:
        for error in list(validator.iter_errors(line))[:1]:
            fail(f"{name}: {json.dumps(line)[:200]}: {error.message[:200]}")
    # an unknown key, or a line without keys, is wrong
    for wrong in ({}, {"nosuch": 1}, [lines[0]] if lines else []):
        if validator.is_valid(wrong):
            fail(f"{name}: the schema takes {wrong}")
    return lines


def same_table(name, words, first=1):
    """The rows of --json after the `first` lines, and those of --csv."""
    rows = [json.loads(line) for line in run(*words, "--json").splitlines()][first:]
    rows = [row for row in rows if row.get("what") not in ("limits", "window", "instruction")]  # JSON has more
    table = list(csv.DictReader(io.StringIO(run(*words, "--csv"))))
    text = lambda v: "" if v is None else "true" if v is True else "false" if v is False else " ".join(v) if isinstance(v, list) else v
    for row, cells in zip(rows, table):
        for key, value in row.items():
            got, want = cells.get(key), text(value)
            equal = got is not None and (abs(float(got) - want) <= 1e-9 * max(1, abs(want)) if isinstance(want, (int, float)) else got == want)
            if not equal and key != "host_seconds":
                fail(f"{name}: {key} is {got} in CSV and {value} in JSON")
    if len(rows) != len(table) or not rows:
        fail(f"{name}: {len(rows)} rows of JSON, {len(table)} of CSV")


quicksort, markers = f"{guests}/quicksort", f"{guests}/markers"
run("stat", "-q", "-d", "-j", "-o", "a.json", "--expect", "clocks>0,CPI<100", quicksort, "1")
run("stat", "-q", "-j", "-r", "2", "-o", "b.json", "--model", "p54c-133", "-e", "all,r2b.0", quicksort, "1")
run("stat", "-q", "-j", "-I", "100000c", "-o", "i.json", quicksort, "1")
run("record", "-q", "-o", "p", quicksort, "1")
run("record", "-q", "-o", "q", quicksort, "2")
run("trace", "-q", "-o", "t.jsonl", "--markers", "-I", "1000i", markers)
run("trace", "-q", "-o", "m.jsonl", "--monitor", "arch3", "-I", "10000i", markers)
run("trace", "-q", "-o", "u.jsonl", "--deltas", "-I", "1000i", "-e", "flops", markers)
read = lambda path: open(path, encoding="utf-8").read()
for path in ("a.json", "b.json", "i.json"):
    check("stat", read(path), 10)
check("stat-compare", run("stat", "--compare", "-j", "a.json", "b.json", "a.json"), 10)
check("trace", read("t.jsonl"), 5)
check("trace", read("u.jsonl"), 5)
check("trace", read("m.jsonl"), 3)
check("list", run("list", "-j"), 80)
check("list", run("list", "-j", "-v"), 80)
check("list", run("list", "-j", "instructions"), 400)
check("explain", run("explain", "-j"), 200)
for words in (["events"], ["events", "-v"], ["perf"], ["models"], ["instructions"]):
    same_table("list", ["list", *words], first=0)
for words, columns in ((["metrics"], "kind,group,name,unit,formula"), (["models", "-v"], "kind,name,section,key,value,meaning")):
    lines = run("list", "--csv", *words).splitlines()
    if lines[0] != columns or len(lines) < 50:
        fail(f"list --csv {words}: {len(lines)} lines, columns {lines[0]}")
run("list", "--csv", ok=(129,))
chain = f"{source}/docs/examples/chain.s"
for name, words in {
    "bench": ["bench", chain],
    "check": ["check", chain],
    "diff": ["diff", "p", "q"],
    "annotate": ["annotate", "-i", "p", "sort"],
    "msr": ["msr", "cesr", "0x00d60083"],
}.items():
    check(name, run(*words, "--json"), 2)
    same_table(name, words)
pair = ["bench", chain, "--asm", "imul eax, ebx"]
check("bench-compare", run(*pair, "--json"), 5)
same_table("bench-compare", pair)
check("bench", run("bench", "--asm", "add eax, ebx", "-v", "--json"), 50)
check("bench", run("bench", "--asm", "add esi, 4; mov eax, [esi]; sub esi, 4; nop", "--suggest", "--json"), 20)
check("bench-static", run("bench", "--static", "--asm", "add esi, 4; mov eax, [esi]; jz 1f; nop; 1: nop", "--json"), 9)
check("msr", run("msr", "--json"), 5)
check("msr", run("msr", "cesr", "--json"), 5)
same_table("msr", ["msr"])
for key in ("symbol", "line", "address", "file", "mode"):
    words = ["report", "p", "-s", key, "-e", "clocks,data_read_miss:u"]
    check("report", run(*words, "--json"), 2)
    same_table("report", words)
check("report", run("report", "p", "--children", "--json"), 3)
run("record", "-q", "--model", "p54c-133", "-c", "clocks/5000", "-o", "s", markers)
for profile in ("p", "s"):
    check("report-page", run("report", profile, "--json", "--page"), 1)
sys.exit(1 if failed else 0)
