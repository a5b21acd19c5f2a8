"""gallery.py P5SCOPE GUESTS OUT: makes the pictures of README.md and docs/examples from what p5scope prints, as SVG without scripts. `./dev gallery`
runs it. Texts and lines take the reader's light or dark colours; the colours of owners are those of events/stalls.tsv."""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

program, guests, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
source = pathlib.Path(__file__).resolve().parents[2]
work = tempfile.TemporaryDirectory()

STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1b1f24}.m{font-family:ui-monospace,monospace;font-size:12px;white-space:pre}.s{fill:#59636e}"
    ".l{stroke:#8c959f;stroke-width:1;fill:none}.w{stroke:#0b6bcb;stroke-width:1.5;fill:none}.x{fill:#1b1f24}.e{text-anchor:end}.c{text-anchor:middle}"
    "@media(prefers-color-scheme:dark){text,.x{fill:#e6edf3}.s{fill:#9da7b1}.w{stroke:#58a6ff}}"
)
LINES = ["#0b6bcb", "#d9544d", "#4c9f70"]


def run(*words, stderr=False):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True, cwd=work.name, stdin=subprocess.DEVNULL)
    return done.stderr if stderr else done.stdout


def text(x, y, words, kind=""):
    return f'<text x="{x:g}" y="{y:g}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(words)}</text>'


def box(x, y, width, height, colour, title=""):
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}">{f"<title>{escape(title)}</title>" if title else ""}</rect>'


def line(points, kind="l", colour=""):
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{joined}" class="{kind}"{f" style={chr(34)}stroke:{colour}{chr(34)}" if colour else ""}/>'


def write(name, width, height, title, parts):
    """The title is also the text for readers who see no pictures."""
    whole = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
             f"<title>{escape(title)}</title><style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n")
    (out / name).write_text(whole, encoding="utf-8")


def owner_colours():
    rows = [row.split("\t") for row in (source / "events/stalls.tsv").read_text().splitlines() if row[0] != "#"]
    return {row[0]: "#" + row[2] for row in rows[1:]}


colours = owner_colours()

# ---- The pairing diagram of bench ----


def pairing():
    stages = {"1": ("D1", "#b7d3f2"), "2": ("D2", "#8fb8e8"), "X": ("EX", "#4c9f70"), "w": ("WB", "#c3c9d0"), "-": ("waits", "#f2d7a0")}
    whole = run("bench", source / "docs/examples/chain.s")
    parts, y, cell, left = [], 44, 20, 300
    clocks = re.search(r"^Trip .*?: (\d+) clocks", whole, re.M)[1]
    heading, *rows = whole[whole.index(" clock  pipe"):].splitlines()
    begin, end = re.search(r"instruction +", heading).end(), heading.index("  remarks")
    for row in filter(str.strip, rows):
        parts += [text(10, y + 15, "V" if row[9] == "V" else "U", "m"), text(34, y + 15, row[heading.index("instruction"):begin].strip(), "m")]
        for i, stage in enumerate(row[begin:end]):
            if stage in stages:
                name, colour = stages[stage]
                parts.append(box(left + i * cell, y + 2, cell - 2, cell - 3, colour, f"clock {i}: {name}"))
        parts.append(text(left + (end - begin) * cell + 14, y + 15, row[end:].strip(), "s"))
        y += 22
    legend, x = [], 10
    for name, colour in stages.values():
        legend += [box(x, y + 14, 14, 14, colour), text(x + 20, y + 26, name)]
        x += 78
    title = f"One trip through docs/examples/chain.s takes {clocks} clocks: pipe, instruction, stages clock by clock, stalls, reasons"
    write("pairing.svg", 900, y + 40, title, [text(10, 22, title, "s"), *parts, *legend])


# ---- The CPI stack ----


def cpi():
    rows = [json.loads(row) for row in run("stat", "-q", "-j", "-o", "/dev/stdout", guests / "quicksort", "1").splitlines() if row.startswith("{")]
    stalls = {row["event"].removeprefix("stall_"): row["value"] for row in rows if row.get("event", "").removeprefix("stall_") in colours and row["event"].startswith("stall_")}
    instructions = next(row["value"] for row in rows if row.get("event") == "instructions_executed")
    total, x, parts, legend = sum(stalls.values()), 10, [], []
    for i, (name, clocks) in enumerate(sorted(stalls.items(), key=lambda item: -item[1])):
        width = 780 * clocks / total
        parts.append(box(x, 40, max(width, 0.5), 46, colours[name], f"{name}: {clocks} clocks"))
        x += width
        if i < 8:
            column, row = i % 4 * 195 + 10, 112 + i // 4 * 24
            legend += [box(column, row - 12, 14, 14, colours[name]), text(column + 20, row, f"{name} {100 * clocks / total:.1f} %")]
    title = f"Where the clocks of a quicksort go: {total / instructions:.3f} clocks per instruction"
    write("cpi.svg", 800, 155, title, [text(10, 22, title, "s"), *parts, *legend])


# ---- The flame graph, as report writes it ----


def flame():
    (pathlib.Path(work.name) / "stacks").write_bytes((guests / "checks/stacks").read_bytes())
    pathlib.Path(work.name, "stacks").chmod(0o755)
    run("record", "-q", "-o", "profile", "./stacks")
    run("report", "profile", "-o", "flame.svg")
    whole = pathlib.Path(work.name, "flame.svg").read_text(encoding="utf-8")
    height = re.search(r'class="flame".* height="(\d+)"', whole)[1]
    whole = whole.replace('width="100%" height="100%"', f'width="800" height="{height}"', 1)
    (out / "flame.svg").write_text(re.sub(r"<script.*?</script>", "", whole, flags=re.S), encoding="utf-8")


# ---- The pins PM0 and PM1 ----


def pins():
    run("trace", "-q", "-o", "pins.vcd", "--ctr0", "data_read", "--ctr1", "pipeline_agi_stalls", "--from", "500000c", "--to", "+90c", guests / "quicksort", "1")
    header, _, body = pathlib.Path(work.name, "pins.vcd").read_text().partition("$enddefinitions $end")
    named = {code: name for code, name in re.findall(r"\$var \w+ \d+ (\S+) (\S+)", header)}
    wanted = {"PM0": "PM0: data_read", "PM1": "PM1: pipeline_agi_stalls", "busy": "bus busy"}
    changes, clock = {name: [] for name in wanted}, 0
    for word in body.split("\n"):
        if word.startswith("#"):
            clock = int(word[1:])
        elif word[:1] in "01x" and named.get(word[1:]) in wanted:
            changes[named[word[1:]]].append((clock, word[0]))
    begin = min(at for of in changes.values() for at, value in of if value != "x")
    end = max(clock, begin + 1)
    scale, parts = 600 / (end - begin), []
    for i, (name, label) in enumerate(wanted.items()):
        y, level, points = 62 + i * 44, None, []
        for at, value in [*changes[name], (end, None)]:
            x = 190 + max(at - begin, 0) * scale
            if level is not None:
                points.append((x, y - 22 * level))
            if value in ("0", "1"):
                level = int(value)
                points.append((x, y - 22 * level))
        parts += [text(10, y - 5, label, "m"), line(points, "w")]
    for tick in range(0, end - begin + 1, 10):
        parts += [line([(190 + tick * scale, 168), (190 + tick * scale, 174)]), text(190 + tick * scale, 188, str(tick), "s c")]
    title = "The pins PM0 and PM1, clock by clock, in 90 clocks of a quicksort"
    write("pins.svg", 800, 200, title, [text(10, 22, title, "s"), *parts])


# ---- Clocks against the stride ----


def stride():
    whole = run("run", "-q", "--pce", "--ctr0=data_read:u", "--ctr1=data_read_miss:u", guests / "stride", "hits", 16, 512, 1024)
    curves, size = {}, None
    for row in whole.splitlines():
        if row.endswith(" KB"):
            size = row.strip()
        elif re.match(r" *\d+ +[\d.]+ ", row):
            curves.setdefault(size, []).append((int(row.split()[0]), float(row.split()[1])))
    top = math.ceil(max(y for of in curves.values() for _, y in of) / 5) * 5
    place = lambda x, y: (60 + 700 * math.log2(x) / 10, 290 - 240 * y / top)
    parts = []
    for y in range(0, top + 1, 5):
        parts += [line([place(1, y), place(1024, y)]), text(52, place(1, y)[1] + 4, str(y), "s e")]
    for power in range(11):
        parts.append(text(place(2 ** power, 0)[0], 310, str(2 ** power), "s c"))
    for (name, of), colour in zip(curves.items(), LINES):
        parts.append(line([place(*point) for point in of], "w", colour))
        parts.append(f'<g style="fill:{colour}">' + "".join(f'<circle cx="{place(*p)[0]:.1f}" cy="{place(*p)[1]:.1f}" r="3"><title>{name}, stride {p[0]}: {p[1]} clocks</title></circle>' for p in of) + "</g>")
        x, y = place(*of[-1])
        parts.append(text(x - 6, y - 10, name, "e"))
    title = "Clocks of a read against the stride in bytes, for arrays of three sizes"
    write("stride.svg", 800, 330, title, [text(10, 22, title, "s"), *parts])


# ---- Published clocks beside p5scope's ----


def published():
    rows = []
    for row in (source / "docs/published.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) >= 7 and re.fullmatch(r"[\d.]+", cells[4]) and re.fullmatch(r"[\d.]+", cells[6]):
            rows.append((cells[0], cells[2], float(cells[4]), float(cells[5].replace(",", "")), float(cells[6])))
    least, most = min(row[2] for row in rows), max(row[2] for row in rows)
    low, high = 0.9, 1.1
    place = lambda clocks, ratio: (70 + 690 * math.log(clocks / least) / math.log(most / least), 60 + 200 * (high - min(max(ratio, low), high)) / (high - low))
    parts = []
    for ratio in (0.9, 0.95, 1.0, 1.05, 1.1):
        parts += [line([place(least, ratio), place(most, ratio)]), text(60, place(least, ratio)[1] + 4, f"{ratio:.2f}", "s e")]
    for power in range(math.ceil(math.log10(least)), math.floor(math.log10(most)) + 1):
        parts.append(text(place(10 ** power, 1)[0], 285, f"{10 ** power:,}" if power >= 0 else str(10.0 ** power), "s c"))
    for name, machine, clocks, ours, ratio in rows:
        x, y = place(clocks, ratio)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{LINES[machine == "P55C"]}" fill-opacity=".7"><title>{escape(name)} on {machine}: published {clocks:g}, p5scope {ours:g}</title></circle>')
    parts += [f'<circle cx="600" cy="44" r="4" fill="{LINES[0]}"/>', text(610, 48, "P54C"), f'<circle cx="680" cy="44" r="4" fill="{LINES[1]}"/>', text(690, 48, "P55C")]
    within = sum(abs(row[4] - 1) <= 0.02 for row in rows)
    title = f"p5scope's clocks over published ones, against the published: {within} of {len(rows)} figures within 2 per cent"
    write("published.svg", 800, 300, title, [text(10, 22, title, "s"), *parts])


# ---- The time line of an AGI, as bench draws it ----


def agi():
    run("bench", "--asm", "add esi, 4; mov eax, [esi]; sub esi, 4; nop", "--trips", 2, "-o", "agi.svg")
    whole = pathlib.Path(work.name, "agi.svg").read_text(encoding="utf-8")
    (out / "agi.svg").write_text(whole, encoding="utf-8")


# ---- What limits three loops, and what --suggest reaches ----


def limits():
    parts, y = [], 40
    names = {"results": "without waits for results", "pairing": "without pairing rules", "all": "without all limits"}
    loops = {"copy-naive": "pointers stepped before use", "add-naive": "sums that wait for each other", "count-naive": "counts in memory"}
    for name, words in loops.items():
        rows = [json.loads(row) for row in run("bench", source / f"docs/examples/{name}.s", "--model", "p55c-200", "--suggest", "--json").splitlines()]
        found = next(row for row in rows if row.get("what") == "limits")
        best = min((row["clocks"] for row in rows if row.get("what") == "suggestion"), default=found["clocks"])
        bars = [("as written", found["clocks"], LINES[0]), *((label, found["without"][key], "#8c959f") for key, label in names.items()),
                ("the dependence chain", found["chain"], "#8c959f"), ("after --suggest", best, LINES[2])]
        parts.append(text(10, y + 12, f"{name}: {words}"))
        for i, (label, clocks, colour) in enumerate(bars):
            parts += [text(190, y + 34 + 20 * i, label, "s e"), box(200, y + 22 + 20 * i, 24 * clocks, 15, colour, f"{label}: {clocks:g} clocks"),
                      text(206 + 24 * clocks, y + 34 + 20 * i, f"{clocks:g}")]
        y += 32 + 20 * len(bars)
    title = "What limits three loops: clocks of a trip, in the same order without limits, and after --suggest"
    write("limits.svg", 800, y, title, [text(10, 22, title, "s"), *parts])


for picture in (pairing, cpi, flame, pins, stride, published, agi, limits):
    picture()
