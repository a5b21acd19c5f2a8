"""The library, and its errors as exceptions."""

import os

from . import _library

ffi, lib = _library.open_library()


def text(pointer):
    return ffi.string(pointer).decode() if pointer else ""


def c_string(value):
    """A string of C from text, bytes or a path. ValueError if it holds a NUL, with which C would end it."""
    value = os.fsencode(value)
    if b"\0" in value:
        raise ValueError(f"{value!r} holds a NUL character")
    return ffi.new("char[]", value)


class Error(Exception):
    """An error of the library: `status` is its P5_ERR_* name; where, line, column and hint may be empty or 0."""

    __module__ = "p5scope"

    def __init__(self, error):
        self.status = ffi.string(ffi.cast("p5_status", error.status)) if not isinstance(error, str) else "P5_ERR_STATE"
        if isinstance(error, str):
            self.where, self.line, self.column, self.hint = "", 0, 0, ""
            super().__init__(error)
            return
        self.where, self.hint = text(error.where), text(error.hint)
        self.line, self.column = error.line, error.column
        place = self.where + (f":{self.line}" if self.line else "")
        super().__init__((place + ": " if place else "") + text(error.message) + (f" ({self.hint})" if self.hint else ""))


def check(status, error):
    """Raises Error for a status that is not P5_OK. A function without an error record leaves `error` empty."""
    if status != lib.P5_OK:
        error.status = status
        if not text(error.message):
            error.message = text(lib.p5_status_text(status)).rstrip(".").encode()
        raise Error(error)


def octets(values):
    """The bytes of bytes, of an array or of another buffer, or of a list of integers. A single integer is a mistake: bytes(4) would be four zeros."""
    if isinstance(values, int):
        raise TypeError("bytes are expected, not an integer")
    try:
        return memoryview(values).tobytes()
    except TypeError:
        return bytes(values)
