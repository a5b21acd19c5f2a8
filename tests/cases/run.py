#!/usr/bin/env python3
"""Runs `p5scope check` on case files and on the rows of tables of cases.

run.py P5SCOPE [OPTION]... FILE|DIR...

Every pairs.tsv below a DIR is a table. Its columns are separated by tabs: name, models (both, p55c or p54c), code, clocks, instructions in the
V pipe, other counts, and why. The program of a row repeats the code and a NEG, which never pairs, 16 times, and ends with DEC and JNZ, which
pair and take a clock; the counts are those of one trip. If the code pushes or pops, an ADD that restores ESP precedes
them; it takes a clock of its own. A value of P55C/P54C differs between the models, and - expects nothing.
"""
import os
import re
import subprocess
import sys
import tempfile

MODELS = {"both": "p55c-200 p54c-133", "p55c": "p55c-200", "p54c": "p54c-133"}
# The data that the code refers to, in the first-level cache.
DATA = """\
        mov edi,offset buf
        mov eax,[edi]
        mov eax,[edi+32]
        mov eax,[edi+256]
        xor eax,eax
        fld1
        fldz
"""
STACK = """\
        mov ecx,8
        lea edx,[esp-256]
W:      mov eax,[edx]
        add edx,32
        dec ecx
        jnz W
        xor eax,eax
        xor edx,edx
        sub esp,128
"""
PROGRAM = """\
{data}        mov ebp,N
        .balign 32
L:      .rept 16
{code}
        neg esi
        .endr
{restore}        dec ebp
        jnz L
.bss
.balign 4096
buf:    .skip 4096
"""


def expectations(event, value):
    if "/" in value:
        return [f"#! expect@{model} {event} {v}" for model, v in zip(("p55c", "p54c"), value.split("/"))]
    return [f"#! expect {event} {value}"] if value != "-" else []


def case(row):
    name, models, code, clocks, v_pipe, others, why = row
    code = code.split("; ")
    lines = [f"#! case {name}", f"#! models {MODELS[models]}", "#! n 20 120", f"#! note {why}"]
    lines += expectations("clocks", clocks) + expectations("instructions_executed_v_pipe", v_pipe)
    stack = 4 * sum(line.startswith(("push", "sub esp,4")) - line.startswith("pop") for line in code)
    lines += expectations("instructions_executed", str(16 * (len(code) + 1) + 2 + (stack != 0)))
    for count in [] if others == "-" else others.split(", "):
        lines += expectations(*count.split(" "))
    return "\n".join(lines) + "\n" + PROGRAM.format(
        data=STACK if stack else DATA,
        code="\n".join(f"        {line}" for line in code),
        restore=f"        add esp,{16 * stack}\n" if stack else "",
    )


def expand(table, folder, rows):
    """Writes a case file for each row of the table, and adds its place and text to `rows`."""
    os.makedirs(folder)
    with open(table) as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            row = line.split("\t")
            if len(row) != 7 or row[1] not in MODELS:
                sys.exit(f"{table}:{number}: expected name, models, code, clocks, V pipe, other counts and why, not: {line}")
            path = os.path.join(folder, row[0] + ".s")
            if path in rows:
                sys.exit(f"{table}:{number}: the name {row[0]} is taken")
            rows[path] = f"{table}:{number}", line
            with open(path, "w") as out:
                out.write(case(row))


def main(p5scope, *arguments):
    with tempfile.TemporaryDirectory() as work:
        rows = {}
        for folder in filter(os.path.isdir, arguments):
            for path, _, names in os.walk(folder):
                if "pairs.tsv" in names:
                    expand(os.path.join(path, "pairs.tsv"), os.path.join(work, os.path.relpath(path, "/")), rows)
        done = subprocess.run([p5scope, "check", *arguments, *([work] if rows else [])], stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            path = re.search(re.escape(work) + r"/[^ :]*\.s", line)
            if path:
                place, row = rows[path[0]]
                line = line.replace(path[0], place) + f"\n       {row}"
            print(line)
    return done.returncode


sys.exit(main(*sys.argv[1:]))
