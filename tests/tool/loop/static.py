#!/usr/bin/env python3
"""static.py P5SCOPE: `bench --static` pairs by the manual's rules (241428, 24.5.1; 242816) and lists every instruction once, executed or not: those of
--asm, of a function, or of all functions of an object, as nm and objdump know them."""
import json
import os
import re
import subprocess
import sys
import tempfile

program = os.path.abspath(sys.argv[1])
failures = 0


def check(what, got, want):
    global failures
    if got != want:
        failures += 1
        print(f"FAIL: {what}: {got}, not {want}")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"FAIL: {' '.join(words)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def listing(code, model="p55c-200"):
    text = run(program, "bench", "--model", model, "--static", "--asm", code)
    rows = re.findall(r"^([0-9a-f]{8})  +(U|V) +(\d+) +(\d+)  (.*)$", text, re.M)
    instructions, in_v = map(int, re.search(r"^(\d+) instructions?, (\d+) pairs?; (\d+) clocks?", text, re.M).groups()[:2])
    check(f"sums of {code}", (instructions, in_v), (len(rows), sum(row[1] == "V" for row in rows)))
    return [row[1:] for row in rows]


def pairs(code, model="p55c-200"):
    return "".join(row[0] for row in listing(code, model))


# The manual's classes: UV pairs in both pipes, PU only in U, PV only in V, NP never. Two instructions
# do not pair if the second reads or writes what the first writes.
check("two simple instructions", pairs("mov eax, [esi]; add ebx, 1"), "UV")
check("a shift by a constant is first only", pairs("shl eax, 3; inc edx"), "UV")
check("a shift by a constant is not second", pairs("inc edx; shl eax, 3"), "UU")
check("CDQ pairs with nothing", pairs("inc ebx; cdq; inc ecx"), "UUU")
check("read after write", pairs("mov eax, 1; add ebx, eax"), "UU")
check("write after write", pairs("mov eax, 1; mov eax, ebx"), "UU")
check("write after read is no dependence", pairs("mov ebx, eax; mov eax, 1"), "UV")
check("ADC is first only", pairs("inc ebx; adc ecx, 1"), "UU")
check("immediate and displacement on the P54C", pairs("mov dword ptr [esi + 4], 1; inc ebx", "p54c-133"), "UU")

# Blocks with many references.
for code in ("frstor [esi]", "pusha", "enter 8, 31"):
    check(f"instructions of 300 times {code}", len(listing("; ".join([code] * 300))), 300)

# The last instruction of a block could have been first of a pair, or not.
check("the last one, of class NP", "alone: cannot be first of a pair" in listing("inc ebx; cdq")[1][3], True)
check("the last one, of class UV", "alone: nothing followed" in listing("cdq; inc ebx")[1][3], True)

# The numbers stand below the ends of their titles, and the text below the beginning of its title.
lines = run(program, "bench", "--static", "--asm", "cdq").splitlines()
title, row = lines[2], lines[5]
check("columns", [row[title.index(word) + len(word) - 1 :][:2].strip().isdigit() for word in ("clocks", "latency")] + [row[title.index("instruction") :][:3]], [True, True, "cdq"])

# An address register that the pair before wrote costs one clock; the listing says which.
rows = listing("add esi, 4; mov eax, [esi]")
check("AGI", rows[1][3].count("stall agi 1"), 1)

# Latency and clocks: FADD 3/1, IMUL 9 (242816; the table of clocks).
rows = listing("fld1; fadd st(0), st(0); imul ecx, eax; nop; nop")
check("FADD's latency", rows[1][2], "3")
check("IMUL's clocks", rows[2][1], "9")

# Each instruction is listed once, also behind a branch that is always taken.
rows = listing("xor eax, eax; je 1f; inc ebx; inc ecx; 1: inc edx; nop")
check("instructions", len(rows), 6)

# An object: functions with a size, and without one; a gap between them; a static one; code that nothing calls; an undefined function.
SOURCE = """
        .intel_syntax noprefix
        .globl first, last
        .type first, @function
first:  mov eax, [esp+4]
        test eax, eax
        je 1f
        call elsewhere
        add eax, 3
1:      ret
        .size first, .-first
        .balign 16
        .type hidden, @function
hidden: call first
        jmp last
        .size hidden, .-hidden
last:   inc eax
        ret
"""
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("f.s", "w", encoding="ascii") as file:
        file.write(SOURCE)
    run("as", "--32", "-o", "f.o", "f.s")
    functions = [line.split() for line in run("nm", "-n", "f.o").splitlines() if re.search(r" [tT] ", line)]
    code = re.findall(r"^ +([0-9a-f]+):\t", run("objdump", "-d", "--no-show-raw-insn", "f.o"), re.M)
    rows = [json.loads(line) for line in run(program, "bench", "--static", "--json", "f.o").splitlines()]
    check("functions", [(int(r["address"], 16) & 0xFFFF, r["function"]) for r in rows if r.get("what") == "function"], [(int(at, 16), name) for at, _, name in functions])
    listed = [int(r["address"], 16) & 0xFFFF for r in rows if r.get("what") == "instruction"]
    gap = range(int(run("nm", "-S", "f.o").split("first")[0].split()[-2], 16), int(functions[1][0], 16))  # filler between a function and the next one
    check("instructions of the object", listed, [int(at, 16) for at in code if int(at, 16) not in gap])
    for name in ("first", "hidden", "last"):
        mine = [r for r in rows if r.get("function") == name]
        blocks, instructions, sums = ([r for r in mine if r["what"] == what] for what in ("block", "instruction", "function"))
        check(f"sums of {name}", [sums[0][key] for key in ("instructions", "pairs", "clocks")],
              [len(instructions), sum(r["pipe"] == "V" for r in instructions), sum(r["clocks"] for r in blocks)])
        alone = [json.loads(line) for line in run(program, "bench", "--static", "--json", "f.o", "--function", name).splitlines()]
        check(f"--function {name}", alone[1:], mine)
        check(f"the text of {name}", f"\n{name}:\n" in run(program, "bench", "--static", "f.o"), True)
    check("assembly as the object", run(program, "bench", "--static", "f.s"), run(program, "bench", "--static", "f.o"))
    texts = [r["text"] for r in rows if r.get("what") == "instruction" and r["text"].startswith(("call", "jmp"))]
    check("names of targets", [re.search("<(.*)>", text).group(1) for text in texts], ["elsewhere", "first", "last"])
    # The size that a file states for a function may be wrong. What lies after the end of the code is not listed.
    for size in (100000, 0x7FFFFFFF):
        with open("size.s", "w", encoding="ascii") as file:
            file.write(f".globl f\n.type f,@function\nf: incl %eax\n ret\n.size f,{size}\n")
        code = [json.loads(line).get("text") for line in run(program, "bench", "--static", "--json", "size.s").splitlines()]
        check(f"a function of {size} bytes", [text for text in code if text], ["inc eax", "ret"])
    # A function with two names is listed once, by the one that has a size.
    with open("names.s", "w", encoding="ascii") as file:
        file.write(".globl a, b, c\n.type b,@function\n.type c,@function\na: b: c: incl %eax\n ret\n.size b,.-b\n.size c,.-c\n")
    rows = [json.loads(line) for line in run(program, "bench", "--static", "--json", "names.s").splitlines()]
    check("a function with several names", [r["what"] for r in rows[1:]], ["block", "instruction", "instruction", "function"])
    check("the name with a size", rows[1]["function"] in ("b", "c"), True)
    # A label that is no function: its own branches have targets, and a jump to a later function ends it.
    with open("label.s", "w", encoding="ascii") as file:
        file.write(
            ".globl f, g\n.type f,@function\nf: ret\n.size f,.-f\nbetween: je 1f\n incl %eax\n1: incl %ebx\n jmp g\n"
            ".type g,@function\ng: ret\n.size g,.-g\n"
        )
    rows = [json.loads(line) for line in run(program, "bench", "--static", "--json", "--function", "between", "label.s").splitlines()]
    check("a label's instructions", [r["text"].split()[0] for r in rows if r.get("what") == "instruction"], ["je", "inc", "inc", "jmp"])
    check("a label's branch targets", [r["target"] for r in rows if r.get("what") == "block"], [False, False, True])
    with open("empty.s", "w", encoding="ascii") as file:
        file.write(".globl there\n.data\nthere: .long 0\n")
    done = subprocess.run([program, "bench", "--static", "empty.s"], capture_output=True, text=True)
    check("nothing to list", (done.returncode, "no code" in done.stderr), (1, True))
    os.chdir("/")
sys.exit(failures > 0)
