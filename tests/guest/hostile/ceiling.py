"""ceiling.py P5SCOPE MAP: a guest takes no more of the host's memory than docs/reliability.md promises: MAP, which maps 192 MB over and over and
touches none of it, and a million blocks of two bytes each."""
import resource
import subprocess
import sys
import tempfile

MB = 1 << 20
TRANSLATIONS, DESCRIPTIONS, MEMO, ITSELF = 128, 256, 128, 32
HUGE_PAGE = 2
BLOCKS = 1_000_000  # with 700,000, memory no longer grows


def run(most, *arguments):
    """Runs p5scope, and fails if it or a run before it took more than `most` MB."""
    done = subprocess.run([sys.argv[1], "run", "-q", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments}: status {done.returncode}: {done.stderr}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // MB
    if used > most:
        sys.exit(f"{arguments}: {used} MB, at most {most}")


run(192 // 4 * HUGE_PAGE + ITSELF, "--mem=256M", sys.argv[2])  # the page table of 4 MB takes a page of the host
with tempfile.NamedTemporaryFile(suffix=".img") as image:
    image.write(b"\xeb\x00" * BLOCKS)  # jmp to the next
    image.flush()
    run(16 + TRANSLATIONS + DESCRIPTIONS + MEMO + ITSELF, "--mem=16M", f"--max-instructions={BLOCKS}", "--flat=0x100000", image.name)
