"""words.py P5SCOPE SOURCE: laws of events/words.tsv. Every owner, event, reason for not pairing, register and exception is explained; the example
of an explanation makes happen what it explains; and the latencies and throughputs of `list instructions` are those that `bench` measures."""
import csv
import json
import pathlib
import re
import shlex
import subprocess
import sys

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def check(good, message):
    if not good:
        failures.append(message)


def run(*words):
    done = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    return done.returncode, done.stdout, done.stderr


def table(path):
    lines = [line for line in open(source / path, encoding="utf-8") if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def bench(topic, *more):
    return run("bench", *more, *([] if topic["options"] == "-" else shlex.split(topic["options"])), "--asm", topic["example"])


words = table("events/words.tsv")
owners = {row["name"] for row in table("events/stalls.tsv")}
events = {row["name"] for row in table("events/events.tsv") if row["kind"] != "reserved"}
reasons = set(re.findall(r'^    \[UNPAIRED_\w+\] = "(.+)",$', (source / "src/core/pipe/unpaired.c").read_text(), re.M))
named = {kind: [name for row in words if row["kind"] == kind for name in row["names"].split(";")] for kind in {row["kind"] for row in words}}

# ---- Each name has exactly one explanation, and none explains what does not exist ----

for kind, there in (("count", owners | events), ("reason", reasons)):
    check(sorted(named[kind]) == sorted(there), f"{kind}: without a row, twice, or unknown: {sorted(set(named[kind]) ^ there)}")
registers = {line.split()[1] for monitor in ("p5", "p6", "arch3") for line in run("msr", "--monitor", monitor)[1].splitlines()}
registers |= {line.split()[1] for line in run("msr", "--model", "p54c-133")[1].splitlines()}
check(set(named["register"]) == registers, f"registers: {set(named['register']) ^ registers}")
vectors = {int(name) for name in named["exception"] if name.isdigit()}
check(vectors == set(range(19)) - {2, 9, 15}, f"exceptions: {vectors}")
for row in words:
    check(all(row[field] not in ("-", "") for field in ("when", "source")), f"{row['names']}: when it occurs or the source is missing")
    check(row["avoid"] not in ("-", "") or row["kind"] == "column", f"{row['names']}: how to avoid it is missing")
    check((row["what"] == "-") == (row["kind"] in ("count", "register")), f"{row['names']}: what it is")

# ---- The example shows what it explains ----

# What no code of bench can bring about: it has no handlers, no other bus master and no later monitor; and what another reason always precedes.
WITHOUT = {"exception", "halt", "hardware_interrupts", "external_snoops", "stall_on_write_to_an_e_or_m_state_line", "too long", "perfevtsel0",
           "#DF", "#MC"}
for row in words:
    names = row["names"].split(";")
    if row["example"] == "-":
        check(names[0] in WITHOUT or row["kind"] in ("column", "part"), f"{names[0]}: no example")
        continue
    status, text, message = bench(row, "--json")
    if row["kind"] == "exception":
        check(status == 1 and f"(exception {names[1]})" in message, f"{names[0]}: {message}")
        continue
    check(status == 0, f"{names[0]}: {message}")
    found = {line["name"] for line in map(json.loads, text.splitlines()[1:]) if line.get("per_trip", 0) > 0}
    if row["kind"] == "count":
        check(set(names) <= found, f"{names[0]}: its example does not show {set(names) - found}")
    if row["kind"] == "reason":
        check(f"alone: {names[0]}\n" in bench(row)[1], f"{names[0]}: its example does not show it")

# ---- explain finds every name, and says for each what the tables say ----

listed = " ".join(run("explain")[1].split())
for row in map(json.loads, run("explain", "--json")[1].splitlines()):
    check(row["what"] and (row["when"] or row["kind"] == "metric group"), f"explain --json {row['name']}: nothing is said")
    check(row["name"] in listed, f"explain does not list {row['name']}")
for row in words:
    for name in row["names"].split(";"):
        _, text, message = run("explain", *name.split())
        check(row["when"] in " ".join(text.split()), f"explain {name}: {text or message}")
        wide = [line for line in text.splitlines() if len(line) > 79 and line[0] == " " and "p5scope bench" not in line]
        check(not wide, f"explain {name}: {wide} is too wide")
for field in ("cesr.PC0", "pc0", "stall_agi", "r1f", "p5-bank-conflicts", "BTB hit rate", "branch-misses"):
    check(run("explain", field)[0] == 0, f"explain {field}")
for row in table("events/events.tsv"):
    code = re.sub("h$", "", row["code"], flags=re.I) if "code" in row else ""
    for form in (f"{code}h", f"0x{code}") if row["kind"] != "reserved" and code else ():
        check(f"{row['name']} (event)" in run("explain", form)[1], f"explain {form} does not show {row['name']}")
for form in ("40h", "0x40", "12"):
    check("(event)" not in run("explain", form)[1], f"explain {form} shows an event")
status, _, message = run("explain", "agy")
check(status == 129 and "did you mean 'agi'" in message, f"explain agy: {message}")
_, _, message = run("explain", "IPX")
check(message.count("'IPC'") == 1, f"a figure and a metric are called IPC, and it is suggested once: {message}")

# ---- An owner that is named for an event leads to the names of its clocks ----

for owner in owners - events:
    _, _, message = run("stat", "--expect", f"{owner}<1", "/nonexistent-guest")
    check(re.search(rf"are stall_{owner}\b", message), f"--expect {owner}: {message}")

# ---- Latency and throughput are what bench measures ----

forms = {(row["name"], row["operands"]): row for row in map(json.loads, run("list", "--json", "instructions")[1].splitlines())}
X87 = "fld1; fld1; fld1; fld1"
MEASURED = [  # form, set-up, a chain of it, independent ones
    ("FADD", "st,st(i)", X87, "fadd st, st(1)", None),
    ("FADD", "st(i),st", X87, None, "fadd st(1), st; fadd st(2), st; fadd st(3), st"),
    ("FMUL", "st,st(i)", X87, "fmul st, st(1)", None),
    ("FMUL", "st(i),st", X87, None, "fmul st(1), st; fmul st(2), st"),
    ("IMUL", "r,r", "nop", "imul eax, eax", "imul eax, ebx; imul ecx, edx"),
    ("BSWAP", "r32", "nop", "bswap eax", "bswap eax; bswap ecx"),
    ("XCHG", "r,r", "nop", "xchg ebx, ecx", None),
    ("PMULLW", "mm,mm", "nop", "pmullw mm0, mm0", "pmullw mm0, mm1; pmullw mm2, mm1; pmullw mm3, mm1"),
    ("PSLLW", "mm,i8", "nop", "psllw mm0, 1", "psllw mm0, 1; psllw mm1, 1"),
    ("MOVZX", "r,r8", "nop", "movzx eax, al", "movzx eax, bl; movzx ecx, bl"),
]


def clocks_per_instruction(setup, code):
    status, text, message = run("bench", "--json", "--repeat", "8", "--setup", setup, "--asm", code)
    check(status == 0, f"{code}: {message}")
    clocks = [line["per_trip"] for line in map(json.loads, text.splitlines()[1:]) if line.get("name") == "clocks"]
    return sum(clocks) / len(code.split(";"))


for name, operands, setup, chain, apart in MEASURED:
    for column, code in (("latency", chain), ("throughput", apart)):
        if code is not None:
            expected, measured = forms[name, operands][column], clocks_per_instruction(setup, code)
            check(abs(measured - int(expected)) < 0.2, f"{name} {operands}: {column} {expected}, measured {measured}")
for (name, operands), row in forms.items():
    check(bool(operands) == bool(row["operands_in_words"]), f"{name} {operands}: its operands in words")
legend = run("list", "instructions", "fadd")[1]
letters = {letter for row in forms.values() for letter in row["source"].split(",") if letter}
for letter in letters:
    check("A source of" in run("explain", letter)[1], f"explain {letter}")
check(all(re.search(rf"[:;] {letter} ", " ".join(legend.split())) for letter in letters), f"list instructions has no legend of {letters}")

print("\n".join(failures))
sys.exit(1 if failures else 0)
