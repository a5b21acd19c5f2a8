#!/usr/bin/env python3
"""waves.py P5SCOPE GUESTS SOURCE: a value change dump is what its window is: it begins and ends there, knows nothing beyond, shows what each pipe
executes, comes through FST unchanged, and GTKWave shows it by the save file of docs/gtkwave."""
import bisect, json, os, shutil, subprocess, sys, tempfile

program, guests, source = (os.path.abspath(p) for p in sys.argv[1:4])
if not (shutil.which("vcd2fst") and shutil.which("fst2vcd")):
    print("no vcd2fst: skipped")
    sys.exit(77)
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
failed = 0


def expect(what, got, want):
    global failed
    if got != want:
        failed += 1
        print(f"FAIL: {what}: expected {want}, got {got}")


def run(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)


def read(path):
    """Signals by name, each a list of (time, value); and the first and last time."""
    names, signals, scope, times, time = {}, {}, "", [], None
    with open(path, encoding="utf-8") as file:
        for line in file:
            word = line.split()
            if not word:
                continue
            if word[0] == "$scope":
                scope = word[2]
            elif word[0] == "$var":
                names[word[3]] = f"{scope}.{word[4]}"
                signals[names[word[3]]] = []
            elif word[0][0] == "#":
                time = int(word[0][1:])
                times.append(time)
            elif word[0][0] in "01xX" and len(word) == 1 and time is not None:
                signals[names[word[0][1:]]].append((time, word[0][0]))
            elif word[0][0] in "bs" and len(word) == 2 and time is not None:
                value = word[0][1:]
                signals[names[word[1]]].append((time, value if word[0][0] == "s" else "x" if "x" in value else int(value, 2)))
    expect(f"{path}: times", times, sorted(times))
    return signals, times[0], times[-1]


def values(changes):
    """Without what is overwritten at the same time, and what changes nothing."""
    out = []
    for time, value in changes:
        if out and out[-1][0] == time:
            out.pop()
        if not out or out[-1][1] != value:
            out.append((time, value))
    return out


guest = [f"{guests}/quicksort", "1"]
window = ["--from", "sort", "--to", "150000c", "--ctr0", "data_read_miss"]
run(program, "trace", "-q", "-o", "w.vcd", *window, *guest)
run(program, "trace", "-q", "-o", "w.jsonl", "-e", "instructions_executed,instructions_executed_v_pipe", *window, *guest)
rows = [json.loads(line) for line in open("w.jsonl", encoding="utf-8")]
start, stop = (next(row for row in rows if row.get("kind") == kind) for kind in ("start", "stop"))
signals, first, last = read("w.vcd")
expect("the dump begins with the window", first, start["clock"])
expect("it ends with the window", stop["clock"] <= last <= stop["clock"] + 100, True)
for name, changes in signals.items():
    expect(f"{name} at the end", changes[-1][1] in ("x", "-"), True)
    expect(f"{name} at the beginning", changes[0][0], first)
known = ("pins.PM0", "pins.PM1", "pins.IERR_n", "pmu.CESR", "pmu.CTR0", "pmu.CTR1", "cpu.CPL")
for name in known:
    expect(f"{name} is known at the beginning", values(changes for changes in signals[name] if changes[0] == first)[0][1] != "x", True)

# What enters EX of each pipe is as many instructions as are counted, with an address each; V goes with U.
counted = {name: stop["totals"][name] - start["totals"][name] for name in stop["totals"]}
entries = {pipe: [(t, v) for t, v in values(signals[f"cpu.{pipe}_address"]) if v != "x"] for pipe in "UV"}
v_pipe = counted["instructions_executed_v_pipe"]
expect("instructions in V", len(entries["V"]), v_pipe)
expect("instructions in U", len(entries["U"]), counted["instructions_executed"] - v_pipe)
expect("enough of both", min(len(entries["U"]), v_pipe) > 5000, True)
u_times = {t for t, _ in entries["U"]}
expect("V without U", [e for e in entries["V"] if e[0] not in u_times][:3], [])
text = {t: v for t, v in values(signals["cpu.U"])}
expect("addresses without a text", [t for t, _ in entries["U"] if text.get(t, "-") == "-" and t not in text][:3], [])

# Through FST, the compressed form of GTKWave.
run("vcd2fst", "w.vcd", "w.fst")
run("fst2vcd", "-f", "w.fst", "-o", "back.vcd")
again, fst_first, _ = read("back.vcd")
expect("FST begins with the window", fst_first, first)
for name, changes in signals.items():
    same = again.get(name, [])
    expect(f"{name} through FST", values(same)[:-1] == values(changes)[:-1] and len(values(changes)) > 0, True)

# Uses of the bus that touch are one: within a clock it never goes down and up again.
busy = [time for time, _ in signals["bus.busy"][1:-1]]
expect("bus.busy changes once in a clock", (len(busy) > 100, len(busy)), (True, len(set(busy))))
# Every instruction has its text, however many different ones there are.
with open("many.bin", "wb") as image:
    image.write(b"".join(b"\xb8" + number.to_bytes(4, "little") for number in range(6000)) + b"\xeb\xfe")  # mov eax, number; jmp to itself
run(program, "trace", "-q", "-o", "many.vcd", "--max-instructions", "6100", "--flat", "0x8000", "many.bin")
many, _, _ = read("many.vcd")
texts = {v for t, v in many["cpu.U"] + many["cpu.V"] if v.startswith("mov")}
expect("texts of 6000 different instructions", len(texts), 6000)

# V is empty at the latest when the next instruction enters U, however long no other pairs.
with open("alone.bin", "wb") as image:
    image.write(b"\x90\x90" + b"\x0f\xaf\xc0" * 2000 + b"\xeb\xfe")  # nop; nop; imul ax,ax; jmp to itself
run(program, "trace", "-q", "-o", "alone.vcd", "--max-instructions", "2100", "--flat", "0x8000", "alone.bin")
for path in ("w.vcd", "alone.vcd"):
    pipes, _, _ = read(path)
    entered = [t for t, v in values(pipes["cpu.U_address"]) if v != "x"]
    v_changes = values(pipes["cpu.V_address"])
    shown = [(t, until) for (t, v), (until, _) in zip(v_changes, v_changes[1:]) if v != "x"]
    late = [(t, until) for t, until in shown if bisect.bisect_left(entered, until) > bisect.bisect_right(entered, t)]
    expect(f"{path}: V pipe shown", (len(shown) > 0, late[:3]), (True, []))

# With -I there is no pipe to be seen, but where the program is at each row.
run(program, "trace", "-q", "-o", "i.vcd", "-I", "10000c", *guest)
sparse, _, _ = read("i.vcd")
expect("lanes with -I", [n for n in sparse if n.startswith("cpu.")], ["cpu.CPL", "cpu.address", "cpu.instruction"])
# A window that never opens knows nothing.
run(program, "trace", "-q", "-o", "n.vcd", "--from", "99999999999c", *guest)
never, first_never, last_never = read("n.vcd")
expect("nothing known", ([first_never, last_never], {v for c in never.values() for _, v in c} - {0, "0"}), ([0, 0], {"x", "-"}))

# The save file, by GTKWave itself.
if shutil.which("gtkwave") and shutil.which("xvfb-run"):
    with open("show.tcl", "w", encoding="utf-8") as script:
        script.write(f"""gtkwave::setMarker {entries["V"][0][0]}
puts "window [gtkwave::getMinTime] [gtkwave::getWindowStartTime]"
puts "shown [gtkwave::getDisplayedSignals]"
puts "pipes [gtkwave::getTraceValueAtMarkerFromName cpu.U] [gtkwave::getTraceValueAtMarkerFromName cpu.V]"
exit
""")
    done = run("xvfb-run", "-a", "gtkwave", "-S", "show.tcl", "w.vcd", f"{source}/docs/gtkwave/p5scope.gtkw")
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line[:6] in ("window", "shown ", "pipes ")}
    expect("GTKWave opens at the window", lines.get("window"), [str(first), str(first)])
    plain = [name.split("[")[0] for name in lines.get("shown", [])]
    expect("the save file shows every signal", sorted(plain), sorted(signals))
    expect("what is in the pipes", lines.get("pipes"), [dict(values(signals["cpu." + p]))[entries["V"][0][0]] for p in "UV"])
else:
    print("no gtkwave or no xvfb-run: the save file is not tried")
sys.exit(1 if failed else 0)
