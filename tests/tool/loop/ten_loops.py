#!/usr/bin/env python3
"""ten_loops.py P5SCOPE SOURCE CASES [--write]: the table of docs/examples/limits.md is what `bench --suggest` says of ten measured loops in CASES; --write renews it.
Skipped without CASES. What a row cannot get from p5scope is why: that is written here."""
import json
import pathlib
import subprocess
import sys

program, source, cases = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
LIMITS = {"results": "waits for results", "pairing": "pairing rules", "fetch": "prefetch and decode", "memory": "memory", "branches": "mispredicted branches",
          "chain": "the dependence chain", "execution": "the instructions' own clocks"}
LOOPS = [  # name, what it is, the limit's particulars, what --suggest does or why it finds nothing
    ("ab-agi-bad", "copies words, pointers stepped just before use", "AGI", "DEC before the store"),
    ("ab-nullptr-and", "a pointer's test and use", "AGI", "other instructions move between a load and its use"),
    ("ab-dot-naive", "dot product of three", "x87", "another order of additions rounds differently"),
    ("ag-imp-rmw-load-op", "ADD to memory beside ADD from memory, 16 times", "", "MOV and ADD for one ADD from memory shifts all later pairs"),
    ("ag-imp-rmw-rmw", "two ADD to memory, 16 times", "", "2 clocks for every pair of ADD that is split"),
    ("gmp-modexact_1", "exact remainder", "MUL, SUB, SUB, IMUL", "nothing outside of the chain costs more than a clock"),
    ("ab-mispred-jmp", "a JMP that shares its entry of the branch target buffer", "", "the branches have to move apart, by another alignment"),
    ("ab-chk1", "checksum of 16-bit words", "prefixes", "32-bit additions are another algorithm"),
    ("gmp-lshift-P55", "SHLD across a vector", "SHLD pairs with nothing", "no other form of SHLD is as short"),
    ("gmp-mul_1", "multiplies a vector by a word", "MUL takes 9", "the clocks are those of two MUL"),
]
HEAD = "| loop | clocks | limited by | chain | without | `--suggest` |\n|---|---|---|---|---|---|\n"


def row(name, what, particulars, why):
    done = subprocess.run([program, "bench", cases / f"{name}.s", "--model", "p55c-200", "--suggest", "--json"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    limits = next(line for line in lines if line.get("what") == "limits")
    least = min((line["clocks"] for line in lines if line.get("what") == "suggestion"), default=None)
    limit = limits["limit"]
    without = limits["without"].get(limit, limits["without"]["all"])
    return (f"| {name}: {what} | {limits['clocks']:g} | {LIMITS[limit]}{': ' if particulars else ''}{particulars} | {limits['chain']:g} | {without:g} "
            f"| {'none' if least is None else f'{least:g}'}: {why} |\n")


if not cases.is_dir():
    print("skipped: the measured loops are not beside the source tree")
    sys.exit(77)
page = source / "docs/examples/limits.md"
before, marker, after = page.read_text(encoding="utf-8").partition(HEAD)
table = "".join(row(*loop) for loop in LOOPS)
if "--write" in sys.argv:
    page.write_text(before + HEAD + table, encoding="utf-8")
elif not marker or after != table:
    print(f"docs/examples/limits.md has another table than p5scope makes today:\n{table}")
    sys.exit(1)
