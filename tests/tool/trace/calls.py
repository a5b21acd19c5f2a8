#!/usr/bin/env python3
"""calls.py P5SCOPE GUESTS: the slices of `trace --functions` lie one within the other, are those of --at where both look, and change no count."""
import json, os, subprocess, sys, tempfile

program, guests = (os.path.abspath(p) for p in sys.argv[1:3])
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
failed = 0


def expect(what, got, want):
    global failed
    if got != want:
        failed += 1
        print(f"FAIL: {what}: expected {want}, got {got}")


def trace(*words):
    done = subprocess.run([program, "trace", "-q", "-o", "t.json", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    expect(f"{words}: status", (done.returncode, done.stderr), (0, ""))
    with open("t.json", encoding="utf-8") as file:
        return json.load(file)


def slices(events):
    return [(e["ts"], e["ts"] + e["dur"], e["name"]) for e in events if e["ph"] == "X" and e["tid"] == 3]


def at(events):
    """What --at shows: pairs of B and E."""
    out, stack = [], []
    for e in events:
        if e.get("tid") == 1 and e["ph"] == "B":
            stack.append((e["ts"], e["name"]))
        elif e.get("tid") == 1 and e["ph"] == "E" and stack:
            begin, name = stack.pop()
            out.append((begin, e["ts"], name))
    return out


for guest, words, names in (("quicksort", ["1"], "main,sort,checksum"), ("x87", ["3"], "main"), ("markers", [], "main")):
    for threads in ("1", "2"):
        both = trace("--threads", threads, "--functions=0", "--at", names, f"{guests}/{guest}", *words)
        calls = slices(both)
        expect(f"{guest}: every activation", sorted(s for s in calls if s[2] in names.split(",")), sorted(at(both)))
        open_until = []
        for begin, end, name in sorted(calls, key=lambda s: (s[0], -s[1])):
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            expect(f"{name} at {begin} within its caller", not open_until or end <= open_until[-1], True)
            open_until.append(end)
        alone = trace("--at", names, f"{guests}/{guest}", *words)
        totals = [next(e["args"] for e in events if e["name"] == "stop") for events in (both, alone)]
        expect(f"{guest}: totals", totals[0], totals[1])
        whole = max(e["ts"] for e in alone)
        expect(f"{guest}: the whole run", (min(s[0] for s in calls), max(s[1] for s in calls)), (0, whole))

# Only those that take long enough; only within the window.
guest = [f"{guests}/quicksort", "1"]
every = slices(trace("--functions=0", *guest))
expect("from 5000 clocks on", slices(trace("--functions=5000", *guest)), [s for s in every if s[1] - s[0] >= 5000])
expect("usually from 1000 on", slices(trace("--functions", *guest)), [s for s in every if s[1] - s[0] >= 1000])
part = slices(trace("--functions=0", "--from", "300000c", "--to", "400000c", *guest))
begin, end = min(s[0] for s in part), max(s[1] for s in part)
expect("the window", (300000 <= begin < 300100, 400000 <= end < 400100), (True, True))
expect("in the window", sorted(s for s in part if begin < s[0] and s[1] < end), sorted(s for s in every if begin < s[0] and s[1] < end))
expect("what was on the stack there", [name for b, e, name in sorted(part) if (b, e) == (begin, end)].count("main"), 1)


def caller_first(what, *words):
    """Viewers sort by time alone, so of slices with the same beginning the one that ends last must come first in the file; and each E must be
    that of the innermost B."""
    events = trace(*words)
    order = sorted(slices(events), key=lambda s: s[0])
    expect(f"{what}: a caller after what it calls", [(a, b) for a, b in zip(order, order[1:]) if a[0] == b[0] and a[1] < b[1]], [])
    stack, wrong = [], []
    for e in sorted((e for e in events if e.get("tid") == 1 and e["ph"] in "BE"), key=lambda e: e["ts"]):
        if e["ph"] == "B":
            stack.append(e["name"])
        elif stack.pop() not in (e["name"], "") and e["name"] != "":
            wrong.append(e)
    expect(f"{what}: B and E in pairs", (wrong, stack), ([], []))
    return events, order


names = ["--at", "main,sort,checksum", "--functions=0"]
for what, window in (("all", []), ("in the middle", ["--from", "300000c", "--to", "400000c"]), ("from sort", ["--from", "sort", "--to", "+50000c"])):
    events, order = caller_first(what, *names, *window, *guest)
    if window:
        expect(f"{what}: several begin with the window", sum(s[0] == order[0][0] for s in order) > 1, True)
        first = [e["name"] for e in events if e.get("tid") == 1 and e["ph"] == "B"][:2]
        expect(f"{what}: main calls sort", first, ["main", "sort"])
sys.exit(1 if failed else 0)
