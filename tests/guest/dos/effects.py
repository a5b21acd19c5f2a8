#!/usr/bin/env python3
"""effects.py P5SCOPE NASM SOURCE: three effects (effects.inc) leave the same memory and colours in p5scope and in DOSBox; the picture is what
memory and colours make; the time that the effect measures by RDTSC and by the 8254 is the same; the CPI stack has the clocks of video memory."""
import json, os, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from png import png

p5scope, nasm, source = sys.argv[1:4]
FRAMES = {"PLASMA": 12, "MODEX": 12, "LINEAR": 4}
CLOCK_MHZ, PIT_HZ, CORE_PER_BUS = 200, 1193182, 3
VIDEO_READ, VIDEO_WRITE = 32, 8  # bus clocks of p55c-200


def assemble(folder, *defines):
    os.makedirs(folder, exist_ok=True)
    subprocess.run([nasm, "-f", "bin", "-I", os.path.dirname(source) + "/", *(f"-D{d}" for d in defines), "-o", f"{folder}/effect.com", source], check=True)
    return f"{folder}/effect.com"


def in_p5scope(program, *options, verb="run"):
    return subprocess.run([p5scope, verb, "-q", "--timeout", "600", *options, "--dir", os.path.dirname(program) + ":rw", program],
                          capture_output=True, text=True)


def in_dosbox(program):
    folder = os.path.dirname(program)
    with open(f"{folder}/dosbox.conf", "w") as conf:
        conf.write(f"[sdl]\noutput=surface\n[cpu]\ncore=normal\ncycles=max\n[autoexec]\nmount c \"{folder}\"\nc:\neffect.com\nexit\n")
    subprocess.run(["dosbox", "-conf", f"{folder}/dosbox.conf"], timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"})
    return open(f"{folder}/DUMP.BIN", "rb").read()


def picture(effect, dump):
    """Width and rows of colours, from the DAC's 768 bytes, the start address, and memory."""
    colours = [tuple(v << 2 | v >> 4 for v in dump[3 * i:3 * i + 3]) for i in range(256)]
    start, memory = dump[768] << 8 | dump[769], dump[770:]
    if effect == "MODEX":
        at = lambda x, y: memory[64000 * (x & 3) + start + 80 * y + (x >> 2)]
        width, height = 320, 240
    else:
        width, height = (320, 200) if effect == "PLASMA" else (640, 480)
        at = lambda x, y: memory[width * y + x]
    return [[colours[at(x, y)] for x in range(width)] for y in range(height)]


def stack(program):
    """The clocks by cause, and the counts of events."""
    report = os.path.dirname(program) + "/report"
    in_p5scope(program, "-j", "-o", report, verb="stat")
    rows = [json.loads(line) for line in open(report)]
    counts = {row["event"]: row["value"] for row in rows if "event" in row}
    causes = {name.removeprefix("stall_"): value for name, value in counts.items() if name.startswith("stall_") and not name.startswith("stall_on_")}
    return causes, counts, next(row["summary"] for row in rows if "summary" in row)


with tempfile.TemporaryDirectory() as work:
    for effect, frames in FRAMES.items():
        program = assemble(f"{work}/{effect}", effect)
        ran = in_p5scope(program)
        assert ran.returncode == 0, ran
        dump = open(f"{work}/{effect}/DUMP.BIN", "rb").read()
        assert len(set(dump[770:])) > 100, f"{effect} draws too little"
        if shutil.which("dosbox"):
            other = in_dosbox(assemble(f"{work}/{effect}.dosbox", effect))
            differs = [i for i, (a, b) in enumerate(zip(dump, other)) if a != b]
            assert len(dump) == len(other) and not differs, f"{effect}: DOSBox has something else at bytes {differs[:5]} of {len(other)}"
        else:
            print("DOSBox is not installed: not compared")

        held = assemble(f"{work}/{effect}.held", effect, "HOLD")
        in_p5scope(held, "--screenshot", f"{work}/held.png")
        width, height, rows = png(f"{work}/held.png")
        assert rows == picture(effect, dump), f"{effect}: the picture is not what memory and colours say"

        said = in_p5scope(assemble(f"{work}/{effect}.measured", effect, "MEASURE")).stdout.split()
        clocks, pulses = (int(number, 16) for number in said)
        assert abs(clocks * PIT_HZ / CLOCK_MHZ / 1e6 - pulses) < 100, f"{effect}: {clocks} clocks, {pulses} pulses"

        causes, events, summary = stack(held)
        assert sum(causes.values()) == summary["clocks"], f"{effect}: the causes have {sum(causes.values())} of {summary['clocks']} clocks"
        if effect == "MODEX":  # of each frame a page is copied by bytes, and a bar is read: the processor waits for each
            reads = frames * (19200 + 640)
            assert causes["data_read"] >= reads * (VIDEO_READ * CORE_PER_BUS - 2), f"{effect}: {causes}"
        writes = frames * {"PLASMA": 64000, "MODEX": 19200 + 640, "LINEAR": 640 * 480 // 4}[effect]
        assert events["bus_cycle_duration"] >= writes * VIDEO_WRITE * CORE_PER_BUS, f"{effect}: {events['bus_cycle_duration']}"
        print(f"{effect}: {frames} frames, {summary['clocks']} clocks, {summary['clocks'] / summary['instructions']:.1f} CPI,",
              ", ".join(f"{name} {100 * part / summary['clocks']:.0f} %" for name, part in sorted(causes.items(), key=lambda c: -c[1])[:4]))
