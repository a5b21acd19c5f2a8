"""Finds the shared library and gives cffi the declarations of its headers."""

import os
import pathlib

import cffi


def open_library():
    ffi = cffi.FFI()
    ffi.cdef((pathlib.Path(__file__).parent / "_declarations.h").read_text())
    name = os.environ.get("P5SCOPE_LIBRARY") or "libp5scope.so.1"
    try:
        return ffi, ffi.dlopen(name)
    except OSError as error:
        raise ImportError(f"{error}: install libp5scope1, or name the file in P5SCOPE_LIBRARY") from None
