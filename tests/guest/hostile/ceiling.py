"""ceiling.py P5SCOPE MAP: a guest takes no more of the host's memory than docs/reliability.md promises: MAP, which maps 192 MB over and over and
touches none of it, and three million blocks of two bytes each."""
import resource
import subprocess
import sys
import tempfile

MB = 1 << 20
TRANSLATIONS, DESCRIPTIONS, MEMO, ITSELF = 128, 256, 128, 32
HUGE_PAGE = 2
BLOCKS = 2_900_000


def run(most, *arguments):
    """Runs it; `most` MB are enough for it and for those before it."""
    done = subprocess.run([sys.argv[1], "run", "-q", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments}: status {done.returncode}: {done.stderr}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // MB
    if used > most:
        sys.exit(f"{arguments}: {used} MB, at most {most}")


run(192 // 4 * HUGE_PAGE + ITSELF, "--mem=256M", sys.argv[2])  # a page table for 4 MB lies in a page of its own of the host's
with tempfile.NamedTemporaryFile(suffix=".img") as image:
    image.write(b"\xeb\x00" * BLOCKS)  # jmp to the next
    image.flush()
    run(16 + TRANSLATIONS + DESCRIPTIONS + MEMO + ITSELF, "--mem=16M", f"--max-instructions={BLOCKS}", "--flat=0x100000", image.name)
