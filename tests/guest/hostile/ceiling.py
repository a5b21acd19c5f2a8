"""ceiling.py P5SCOPE: three million blocks of two bytes each take no more of the host's memory than docs/reliability.md promises."""
import resource
import subprocess
import sys
import tempfile

MB = 1 << 20
RAM, TRANSLATIONS, DESCRIPTIONS, MEMO, ITSELF = 16, 128, 256, 128, 32
BLOCKS = 2_900_000

with tempfile.NamedTemporaryFile(suffix=".img") as image:
    image.write(b"\xeb\x00" * BLOCKS)  # jmp to the next
    image.flush()
    run = [sys.argv[1], "run", "-q", f"--mem={RAM}M", f"--max-instructions={BLOCKS}", "--flat=0x100000", image.name]
    done = subprocess.run(run, capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"status {done.returncode}: {done.stderr}")
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // MB
if most > RAM + TRANSLATIONS + DESCRIPTIONS + MEMO + ITSELF:
    sys.exit(f"{most} MB")
