#!/usr/bin/env python3
"""flood.py P5SCOPE GUEST: a gdb client that never stops sending - a packet without an end, acknowledgements, Ctrl-C, packets - does not hold up --timeout."""
import os
import socket
import subprocess
import sys
import tempfile
import threading

program, guest = sys.argv[1:3]


def flood(place, first, rest, over):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(1)
        while not over.is_set():
            try:
                peer.connect(place)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                over.wait(0.02)
        try:
            peer.sendall(first)
            while not over.is_set():
                peer.sendall(rest)
        except OSError:
            pass


for first, rest in ((b"$", b"M" * 65536), (b"+", b"+" * 65536), (b"+", b"\x03" * 65536), (b"+", b"$g#67" * 1000), (b"$c#63", b"-" * 65536)):
    with tempfile.TemporaryDirectory() as folder:
        place, over = os.path.join(folder, "gdb"), threading.Event()
        client = threading.Thread(target=flood, args=(place, first, rest, over))
        with subprocess.Popen([program, "run", "--gdb", place, "--timeout", "0.5", guest], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            client.start()
            try:
                said = run.communicate(timeout=600)[1].decode()
            except subprocess.TimeoutExpired:
                run.kill()
                said = "it does not end"
            finally:
                over.set()
                client.join()
        assert run.returncode == 124 and "--timeout" in said, f"{first!r} {rest[:5]!r}: {run.returncode}, {said}"
