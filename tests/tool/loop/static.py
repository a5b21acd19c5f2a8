#!/usr/bin/env python3
"""static.py P5SCOPE: `bench --static` pairs by the manual's rules (241428, 24.5.1; 242816) and lists every instruction once, executed or not."""
import re
import subprocess
import sys

LOOP = 0x100020  # where the code of --asm begins; DEC and JNE of its counter follow it
failures = 0


def check(what, got, want):
    global failures
    if got != want:
        failures += 1
        print(f"FAIL: {what}: {got}, not {want}")


def listing(code, model="p55c-200"):
    done = subprocess.run([sys.argv[1], "bench", "--model", model, "--static", "--asm", code], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"FAIL: {code}: status {done.returncode}: {done.stderr}")
    rows = re.findall(r"^([0-9a-f]{8})  +(U|V) +(\d+) +(\d+)  (.*)$", done.stdout, re.M)
    summary = re.search(r"^(\d+) instructions, (\d+) pairs?; (\d+) clocks", done.stdout, re.M)
    instructions, in_v, _ = map(int, summary.groups())
    check(f"sums of {code}", (instructions, in_v), (len(rows), sum(row[1] == "V" for row in rows)))
    return [row[1:] for row in rows if int(row[0], 16) >= LOOP][:-2]


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
sys.exit(failures > 0)
