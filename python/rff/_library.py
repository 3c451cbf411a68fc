"""The shared library: requests to it, its errors, and what it holds."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
import warnings
from typing import Any, Callable, Iterable

import numpy as np


# What the remedies of the library, which names fields of Go, are here.
_REMEDIES = (
    ("(Unseen: zero)", '(unseen="zero")'),
    (", or let a fit leave such rows out (Missing: drop)", ""),
    ("take it for a missing label, whose row is left out (NA with Missing)", "leave its row out"),
    (", or take it for a missing value (NA with Missing)", ""),
    ("give the fit a rule for such rows (Missing)", 'give the estimator missing="mean"'),
    ("give the fit their order (DateOrder)", "make them dates before, as pandas.to_datetime does"),
    ("write it as one, or leave the row out", "make its values numbers, as by astype(float)"),
    ("write it as one, or name another column", "make its values numbers, as by astype(float)"),
    ("(Categories)", '(make the column one of categories: astype("category") in pandas)'),
    ("(Inputs)", "(those of X)"),
    ("set Settings.Uncertainty to intervals, and fit again", 'give the estimator uncertainty="intervals", and fit again'),
    ("set Settings.Uncertainty, and fit again", 'give the estimator uncertainty="variance", and fit again'),
    ("give them (Classes), or take a loss of numbers", "take RidgeClassifier or AutoClassifier, or a loss of numbers"),
)


class RffError(ValueError):
    """What the library says about settings, rows or a file.

    Attributes
    ----------
    kind : str
        The name of the error in Go, such as ``"ParameterError"``.
    known : list of str
        The possible values of a parameter that is one of some words.
    """

    def __init__(self, text: str, kind: str = "Error", known: Iterable[str] = ()):
        for there, here in _REMEDIES:
            text = text.replace(there, here)
        super().__init__(text)
        self.kind = kind
        self.known = list(known)

    def __str__(self) -> str:
        more = [word for word in self.known if word not in self.args[0]]
        return f"{self.args[0]} ({', '.join(more)})" if more else self.args[0]

    def __reduce__(self):
        return type(self), (self.args[0], self.kind, self.known)


class _Array(ctypes.Structure):
    _fields_ = [
        ("role", ctypes.c_char),
        ("kind", ctypes.c_char),
        ("size", ctypes.c_int16),
        ("unused", ctypes.c_int32),
        ("data", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("cols", ctypes.c_int64),
        ("row", ctypes.c_int64),
        ("col", ctypes.c_int64),
    ]


def _described(role: str, a: np.ndarray) -> _Array:
    rows, cols = a.shape if a.ndim == 2 else (a.shape[0], 1)
    row, col = a.strides if a.ndim == 2 else (a.strides[0], a.itemsize)
    return _Array(role.encode(), a.dtype.kind.encode(), a.itemsize, 0, a.ctypes.data, rows, cols, row, col)


_lock = threading.Lock()
_library: Any = None
_forked = False
# What jobs read and write stays alive until they are done, whatever becomes of their caller.
_under_way: dict[int, Any] = {}

FILE = "librff.so"


def _loaded() -> Any:
    global _library
    if _forked:
        raise RuntimeError(
            "rff cannot go on in a process that was forked after its first use: start "
            "processes by 'spawn' or 'forkserver' (multiprocessing.set_start_method), or by "
            "joblib's default backend, loky"
        )
    with _lock:
        if _library is None:
            path = os.path.join(os.path.dirname(__file__), FILE)
            try:
                lib = ctypes.CDLL(path)
            except OSError as e:
                raise ImportError(f"the shared library of rff does not load: {e}") from e
            lib.rff_start.argtypes = [ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32]
            lib.rff_start.restype = ctypes.c_int64
            lib.rff_wait.argtypes = [ctypes.c_int64, ctypes.c_int64]
            lib.rff_wait.restype = ctypes.c_void_p
            lib.rff_cancel.argtypes = [ctypes.c_int64]
            lib.rff_cancel.restype = None
            lib.rff_free.argtypes = [ctypes.c_int64]
            lib.rff_free.restype = None
            lib.rff_release.argtypes = [ctypes.c_void_p]
            lib.rff_release.restype = None
            _library = lib
        return _library


def _after_fork() -> None:
    global _forked
    _forked = _library is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _wait(lib: Any, job: int, milliseconds: int) -> dict:
    at = lib.rff_wait(job, milliseconds)
    try:
        return json.loads(ctypes.string_at(at))
    finally:
        lib.rff_release(at)


def call(
    operation: str,
    settings: dict | None = None,
    arrays: Iterable[tuple[str, np.ndarray]] = (),
    progress: Callable[[dict], None] | None = None,
) -> dict:
    """Return the result of an operation.

    An interrupt (Ctrl-C) cancels it: the call returns, with KeyboardInterrupt, once the
    library has stopped.

    Parameters
    ----------
    operation : str
    settings : dict
        The fields of the request.
    arrays : iterable of (role, array)
        What the library reads or writes in place.
    progress : callable
        It is called a few times a second with what the library says of a job under way.
    """
    lib = _loaded()
    arrays = list(arrays)
    text = json.dumps({"op": operation, **(settings or {})}).encode()
    described = (_Array * len(arrays))(*(_described(role, a) for role, a in arrays))
    job = lib.rff_start(text, len(text), described, len(arrays))
    _under_way[job] = arrays
    try:
        while "progress" in (reply := _wait(lib, job, 100)):
            if progress is not None:
                progress(reply["progress"])
    except BaseException:
        lib.rff_cancel(job)
        while "progress" in _wait(lib, job, 100):
            pass
        del _under_way[job]
        raise
    del _under_way[job]
    error = reply.get("error")
    if error is None:
        result = reply.get("result") or {}
        if "note" in result:
            warnings.warn(result["note"], stacklevel=4)  # of who calls an estimator's method
        return result
    if error["kind"] == "panic":
        raise RuntimeError(f"rff: {error['text']}")
    raise RffError(error["text"], error["kind"], error.get("known", ()))


class Handle:
    """A model, or sums of rows, that the library holds."""

    def __init__(self, number: int, kind: str):
        self.number, self.kind = number, kind

    def __bytes__(self) -> bytes:
        r = call("bytes", {"handle": self.number})
        try:
            return ctypes.string_at(r["data"], r["size"])
        finally:
            _loaded().rff_release(r["data"])

    def __reduce__(self):
        return read, (self.kind, bytes(self))

    def __del__(self):
        if _library is not None and not _forked and not sys.is_finalizing():
            _library.rff_free(self.number)


def read(kind: str, file: bytes) -> Handle:
    """Return what bytes of a Handle stand for."""
    a = np.frombuffer(file, np.uint8)
    return Handle(call("read", {"want": kind}, [("t", a)])["handle"], kind)


class Printer:
    """Progress for people: the estimator's parameter verbose."""

    def __init__(self):
        self.shown = False

    def __call__(self, p: dict) -> None:
        if not p["stage"]:
            return
        of = f" of {p['total']}" if p["total"] > 0 else ""
        print(f"\r[rff] {p['stage']}: {p['done']}{of}, {p['seconds']:.0f} s\033[K", end="", file=sys.stderr, flush=True)
        self.shown = True

    def end(self) -> None:
        if self.shown:
            print(file=sys.stderr)
