#!/usr/bin/env python3
"""limits.py P5SCOPE SOURCE: what limits a loop. The first loops have limits and bounds that follow from the rules of the Optimization Manual (242816); for all
others, cases of this tree and random code, the law is that no bound is below the dependence chain or above the measured clocks. The product enforces it
only for waits for results and memory (from below) and pairing rules (from above); the others have to obey it by themselves."""
import json, os, pathlib, random, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
failed = 0
EPSILON = 1e-6


def fail(text):
    global failed
    failed += 1
    print("FAIL:", text)


def bench(*words):
    """The measured clocks, the limits and the instructions of one trip."""
    done = subprocess.run([program, "bench", "--json", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        return None, None, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    clocks = next(line["per_trip"] for line in lines if line.get("what") == "clocks")
    return clocks, next(line for line in lines if line.get("what") == "limits"), [line for line in lines if line.get("what") == "instruction"]


# code, what is set up before, model: limit, clocks, clocks without that limit, chain; DEC and JNZ of the loop are a pair.
# An AGI costs a clock when the address register was written in the clock before. ADD [m],r takes 3 clocks, FADD 3, FDIV 39, IMUL 9 or 10, MOVZX 3 (NP).
EXPECTED = [
    ("add esi, 4; nop; mov eax, [esi]; sub esi, 4", None, "p55c-200", "results", 4, 3, 2),
    ("lea eax, [eax+ebx]; add eax, ecx; add eax, edx", None, "p55c-200", "chain", 4, None, 4),
    ("fadd st, st(1)", "fld1; fld1", "p55c-200", "chain", 3, None, 3),
    ("imul eax, ebx", None, "p54c-133", "chain", 10, None, 9),
    ("shl eax, 3; shl ebx, 3; shl ecx, 3; shl edx, 3", None, "p55c-200", "pairing", 5, 3, 1),
    ("mov eax, [esi]; mov ebx, [esi+32]", None, "p55c-200", "memory", 3, 2, 1),
    ("mov eax, [esi+1022]", "mov esi, 1", "p55c-200", "memory", 5, 2, 1),
    ("adc eax, ebx; adc ecx, ebx; adc edx, ebx", None, "p55c-200", "execution", 4, None, 3),
    # The AGI is one clock of 24, less than a tenth: the other 23 are pairs of instructions that take a clock each.
    ("add esi, 4; nop; mov eax, [esi]; sub esi, 4" + "; mov eax, 1; mov ebx, 1" * 20, None, "p55c-200", "execution", 24, None, 2),
    ("cdq; idiv ecx", "mov ecx, 7", "p55c-200", "chain", 49, None, 48),
    # Through memory: ADD [m],r takes 3 clocks, and the next trip reads what it writes; a load, an addition and a store of a clock each. A store to another
    # register's address may be to the same place and ends the chain; one to other bytes does not.
    ("add [esi], eax", None, "p55c-200", "execution", 4, None, 3),
    ("mov eax, [esi+8]; add eax, ebx; mov [esi+8], eax", None, "p54c-133", "execution", 4, None, 3),
    ("mov eax, [esi]; add eax, ebx; mov [esi], eax; mov [esi+4], ecx", None, "p55c-200", "execution", 4, None, 3),
    ("mov eax, [esi]; add eax, ebx; mov [esi], eax; mov [edi+4], ecx", None, "p55c-200", "execution", 4, None, 1),
    ("add esi, 4; mov eax, [esi]; add eax, ebx; mov [esi], eax; sub esi, 4", None, "p55c-200", "results", 6, None, 2),
    # A load that has only some bytes of the store depends on it, too.
    ("mov al, [esi+1]; add eax, ebx; mov [esi], eax", None, "p55c-200", "execution", 4, None, 3),
    ("mov eax, [esi]; add eax, ebx; mov [esi+1], al", None, "p55c-200", "execution", 4, None, 3),
    # An ADD or SUB of ESP before POP costs an AGI, LEAVE 3 clocks and an AGI; MOV after PUSH a clock, because they do not pair. PUSH to PUSH costs nothing.
    ("sub esp, 4; pop eax", None, "p55c-200", "results", 4, 3, 3),
    ("push ebp; mov ebp, esp; leave", None, "p55c-200", "chain", 6, None, 6),
    ("push eax; push ebx; pop ecx; pop edx", None, "p55c-200", "execution", 3, None, 1),
    # Two FISTP of 6 clocks, FXCH alone, and a clock until a result can be stored: 18 clocks. Writing 16 bytes to the bus takes as long, so nothing is saved
    # without that clock, and nothing without the bus. Without both, and with FXCH as the partner of FILD, 16 clocks are left.
    ("fild qword ptr [eax]; fild qword ptr [eax+8]; fxch st(1); fistp qword ptr [edx]; fistp qword ptr [edx+8]; inc esi; inc edi", "mov edx, 0x2000", "p55c-200",
     "several", 18, None, 1),
    # LODS steps ESI without an AGI: 2 clocks each, and SUB with its AGI 2. Without pairing rules each LODS takes a NOP along.
    ("lodsb; nop; nop; lodsb; sub esi, 2", "mov esi, 0x2000", "p55c-200", "pairing", 7, 6, 6),
    # Without waits for x87 results FADD would take its clock in X1 alone, but the sum needs each of them: the chain is the bound.
    ("fadd st, st(1); inc ebx; inc ecx", "fld1; fld1", "p55c-200", "chain", 3, None, 3),
    # IMUL 10 clocks, two pairs, DEC with JNZ. If IMUL paired with CMP, ADD would pair with ADD [m] and CMP with DEC; JNZ would be alone: a clock more.
    ("imul edx, eax; cmp eax, ecx; add ecx, eax; add edx, [edi+48]; cmp ecx, ecx", "mov edi, 0x3000", "p54c-133", "execution", 13, None, 11),
]
for code, setup, model, limit, clocks, without, chain in EXPECTED:
    words = ["--asm", code, "--model", model] + (["--setup", setup] if setup else [])
    measured, limits, why = bench(*words)
    if limits is None:
        fail(f"{code}: {why}")
        continue
    got = (limits["limit"], measured, limits["clocks"], None if without is None else limits["without"][limit], limits["chain"])
    if got[:3] != (limit, clocks, clocks) or (without is not None and got[3] != without) or (chain is not None and abs(got[4] - chain) > EPSILON):
        fail(f"{code} on {model}: limit, measured, priced, without, chain are {got}, expected {limit}, {clocks}, {clocks}, {without}, {chain}: {limits['chain_text']}")

# The instructions that hold others back, by the same rules.
HELD = [
    ("add esi, 4; nop; mov eax, [esi]; nop", None, [(2, 0, "address", "esi")]),
    ("mov eax, ebx; add ecx, eax", None, [(1, 0, "register", "eax")]),
    ("fld1; fadd st, st(1); fstp dword ptr [esi]", "fld1", [(2, 1, "x87", "st(0)")]),
    ("pmullw mm0, mm1; paddw mm2, mm0", None, [(1, 0, "mmx", "mm0")]),
]
for code, setup, expected in HELD:
    words = ["--asm", code, "--model", "p55c-200"] + (["--setup", setup] if setup else [])
    _, limits, insns = bench(*words)
    if limits is None:
        fail(f"{code}: {insns}")
        continue
    got = [(i["number"], by["number"], by["kind"], by["register"]) for i in insns for by in i["held_by"]]
    if not set(expected) <= set(got):
        fail(f"{code}: held back {got}, expected {expected}")

# Laws.
def laws(words):
    measured, limits, insns = bench(*words)
    name = " ".join(words)
    if limits is None:
        return [] if "no instruction is executed once per trip" in insns or "x87 register stack" in insns else [f"{name}: {insns}"]
    wrong = []
    if abs(limits["clocks"] - measured) > EPSILON and "--function" not in words:
        wrong.append(f"{name}: priced {limits['clocks']}, measured {measured}")
    for key, value in limits["without"].items():
        if value < limits["chain"] - EPSILON or value > measured + EPSILON:
            wrong.append(f"{name}: without {key} {value}, chain {limits['chain']}, measured {measured}")
        if value < limits["without"]["all"] - EPSILON:
            wrong.append(f"{name}: without {key} {value}, without all {limits['without']['all']}")
    if limits["chain"] > measured + EPSILON:
        wrong.append(f"{name}: chain {limits['chain']}, measured {measured}: {limits['chain_text']}")
    order = ["pf", "f", "d1", "d2", "ex", "begin", "end", "ready"]
    for insn in insns:
        clocks = [insn[key] for key in order if key in insn and key != "ready"]
        if clocks != sorted(clocks):
            wrong.append(f"{name}: the stages of {insn} are not in order")
        for by in insn["held_by"]:
            if by["number"] >= insn["number"]:
                wrong.append(f"{name}: {insn['number']} is held back by {by['number']}")
    return wrong


REGISTERS = ["eax", "ebx", "ecx", "edx"]
FORMS = ["add {0}, {1}", "mov {0}, [{2}+{3}]", "mov [{2}+{3}], {0}", "add {0}, [{2}+{3}]", "add [{2}+{3}], {0}", "lea {0}, [{1}+{0}*4+{3}]", "shl {0}, 3", "adc {0}, {1}",
         "imul {0}, {1}", "movzx {0}, byte ptr [{2}+{3}]", "xor {0}, {0}", "inc {0}", "cmp {0}, {1}", "add esi, 4; sub esi, 4", "push {0}; pop {1}", "test {0}, {1}", "mov {0}, {1}",
         "fld dword ptr [{2}+{3}]; fstp dword ptr [{2}+{3}+64]", "fld1; fadd dword ptr [{2}+{3}]; fstp st(0)", "bswap {0}", "mov ax, bx", "sbb {0}, 5"]


def random_code(seed):
    pick = random.Random(seed)
    places = pick.choice([2, 64])  # few: values go through memory
    parts = [pick.choice(FORMS).format(pick.choice(REGISTERS), pick.choice(REGISTERS), pick.choice(["esi", "edi"]), 4 * pick.randrange(places)) for _ in range(pick.randrange(2, 14))]
    return ["--asm", "; ".join(parts), "--setup", "mov esi, 0x2000; mov edi, 0x3000", "--model", pick.choice(["p55c-200", "p54c-133"])]


cases = [[str(path), "--model", model] for path in sorted(source.glob("tests/cases/pairing/*.s")) + sorted(source.glob("tests/cases/agi/*.s"))
         + [source / name for name in ("docs/examples/chain.s", "tests/cases/events/x87-stalls.s", "tests/cases/events/mmx-interlocks.s", "tests/cases/mmx/multiply-one-between.s")]
         for model in ("p55c-200", "p54c-133") if model == "p55c-200" or "mmx" not in str(path)]
with ThreadPoolExecutor(2) as pool:
    for wrong in pool.map(laws, cases + [random_code(seed) for seed in range(100)]):
        for text in wrong:
            fail(text)
sys.exit(failed != 0)
