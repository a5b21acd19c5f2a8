"""Reads the PNG files that p5scope writes."""
import struct, zlib


def png(path):
    """Width, height and rows of pixels of an RGB PNG with 8 bits."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        if kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, rows, before = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        how, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(3 * width if how != 0 else 0):
            left, up, corner = line[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            if how == 4:  # Paeth: the neighbour that is nearest to their sum
                predicted = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            else:
                predicted = (0, left, up, (left + up) // 2)[how]
            line[i] = (line[i] + predicted) & 255
        rows.append([tuple(line[3 * x:3 * x + 3]) for x in range(width)])
        before = line
    return width, height, rows
