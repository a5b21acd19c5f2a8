"""Finds the shared library and gives cffi the declarations of its headers."""

import os
import pathlib

import cffi

try:
    from ._installed import LIBRARY  # written by the installation: a path from this folder
except ImportError:
    LIBRARY = None


def _candidates():
    """The file that P5SCOPE_LIBRARY names, or the library of the module's own installation, or the one that the system finds."""
    if os.environ.get("P5SCOPE_LIBRARY"):
        return [os.environ["P5SCOPE_LIBRARY"]]
    beside = pathlib.Path(__file__).resolve().parent / LIBRARY if LIBRARY else None
    return ([str(beside.resolve())] if beside and beside.exists() else []) + ["libp5scope.so.1"]


def open_library():
    ffi = cffi.FFI()
    ffi.cdef((pathlib.Path(__file__).parent / "_declarations.h").read_text())
    try:
        return ffi, ffi.dlopen(_candidates()[0])
    except OSError as error:
        raise ImportError(f"{error}: install libp5scope1, or name the file in P5SCOPE_LIBRARY") from None
