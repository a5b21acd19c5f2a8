#!/usr/bin/env python3
"""http.py P5SCOPE GUEST: a run that waits for gdb closes other connections with a message and continues to wait. Only the user may open the socket."""
import os
import socket
import stat
import subprocess
import sys
import tempfile
import time

program, guest = sys.argv[1:3]
with tempfile.TemporaryDirectory() as folder:
    place = os.path.join(folder, "gdb")
    run = subprocess.Popen([program, "run", "--gdb", place, "--timeout", "600", guest], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not os.path.exists(place):
        assert run.poll() is None, run.stderr.read()
        time.sleep(0.02)

    def connect():
        while True:  # between bind and listen it refuses
            peer = socket.socket(socket.AF_UNIX)
            peer.settimeout(300)
            try:
                peer.connect(place)
                return peer
            except ConnectionRefusedError:
                time.sleep(0.02)

    for text in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /$qSupported#37 HTTP/1.1\r\n\r\n", b"\x16\x03\x01"):
        peer = connect()
        peer.sendall(text)
        try:
            answer = peer.recv(100)
        except ConnectionResetError:
            answer = b""
        assert answer == b"", f"{text!r} is answered by {answer!r}"
        peer.close()
    assert stat.S_IMODE(os.stat(place).st_mode) == 0o600, oct(os.stat(place).st_mode)
    peer = connect()
    peer.sendall(b"+$qSupported#37")
    assert peer.recv(100).startswith(b"+"), "gdb itself is not answered"
    peer.sendall(b"$k#6b")
    said = run.communicate(timeout=600)[1].decode()
    assert said.count("refused a connection that does not speak gdb's protocol") == 3, said
for address in ("0.0.0.0:0", "192.0.2.1:1234"):
    done = subprocess.run([program, "run", "--gdb", address, guest], capture_output=True, check=False)
    assert done.returncode not in (0, 124) and b"from this host only" in done.stderr, done
