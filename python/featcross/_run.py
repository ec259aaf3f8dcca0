# SPDX-License-Identifier: BSD-3-Clause
"""How a long call runs: threads, a progress bar, Ctrl-C.

The library calls back at least every 100 ms, in the thread that called it.  A signal handler may
run there, and ctypes would lose an exception that it raises.  So handlers are wrapped during a
call: the exception is stored, the call is told to stop, and then the exception is raised.
"""
from __future__ import annotations

import ctypes
import functools
import operator
import os
import signal
import sys
import threading
import time

from ._library import PROGRESS, WRITE, check, fx_run, fx_sink, fx_step, lib

# Signals whose handlers raise exceptions: Ctrl-C, and time limits.
SIGNALS = (signal.SIGALRM, signal.SIGTERM, signal.SIGINT)


def processors() -> int:
    return len(os.sched_getaffinity(0))


def threads(n_jobs: int | None) -> int:
    """n_jobs as scikit-learn counts.  None: all processors, but at most OMP_NUM_THREADS, which
    joblib sets to limit its workers."""
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        return min(processors(), int(share)) if share.isdigit() and int(share) else processors()
    try:
        n = operator.index(n_jobs)
    except TypeError:
        n = 0
    if n == 0:
        raise ValueError(f"n_jobs={n_jobs!r} has no meaning; 1 is one thread, -1 all processors")
    return n if n > 0 else max(1, processors() + 1 + n)


def say(*lines: str) -> None:
    for line in lines:
        print(f"featcross: {line}", file=sys.stderr)


class DeferredErrors(list):
    """Exceptions of callbacks and signal handlers during a call of the library.  The first one is
    raised after the call.  Empty: there was none."""

    lasts = False

    def __enter__(self) -> DeferredErrors:
        self.before = {}
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):   # neither ignored nor left to the system
                    self.before[number] = handler
                    signal.signal(number, self._handler)
        self.lasts = True
        return self

    def _handler(self, number, frame) -> None:
        if not self.lasts:              # the call has not begun or is over: out of the way
            signal.signal(number, self.before[number])
            return self.before[number](number, frame)
        try:
            self.before[number](number, frame)
        except BaseException as error:
            self.append(error)

    def __exit__(self, kind, error, trace) -> None:
        self.lasts = False
        for number, handler in self.before.items():
            if signal.getsignal(number) == self._handler:   # a handler may have set another one
                signal.signal(number, handler)
        if self:
            raise self.pop(0)


def written(function, errors: list, *arguments) -> tuple[int, bytes]:
    """The status of a function of the library whose first argument is an fx_sink, and the bytes
    that it wrote.  errors: get the exception of a write that fails."""
    parts: list[bytes] = []

    def write(_, at, size):
        try:
            parts.append(ctypes.string_at(at, size))
        except BaseException as error:  # no memory
            errors.append(error)
        return bool(errors)

    status = function(fx_sink(write=WRITE(write)), *arguments)
    return status, b"".join(parts)


def _pause(stream) -> float | None:
    """Seconds from one drawing to the next; None: nobody would see it.  A notebook sends each
    drawing through a network and stores it, so it gets two per second."""
    if type(stream).__module__.startswith("ipykernel"):
        return 0.5
    return 0.1 if hasattr(stream, "isatty") and stream.isatty() else None


class Bar:
    """One line on stderr, for work that takes more than a second.  step: the fit's latest one."""

    WIDTH = 20

    def __init__(self, what: str, pause: float, errors: DeferredErrors):
        self.what, self.pause, self.errors, self.step = what, pause, errors, fx_step()
        self.start, self.last = time.monotonic(), 0.0

    def __call__(self, done: float) -> None:
        now = time.monotonic()
        if now - self.start < 1 or now - self.last < self.pause:
            return
        self.last = now
        full = int(self.WIDTH * done)
        left = f"{(now - self.start) * (1 - done) / done:.0f} s left" if done > 0 else ""
        objective = f"objective {self.step.objective:.6g}" if self.step.seconds > 0 else ""
        self._write(f"\r{self.what} [{'#' * full:.<{self.WIDTH}}] {100 * done:3.0f} % {left:<13} "
                    f"{objective:<22}")

    def close(self) -> None:
        if self.last:
            self._write("\r" + " " * (len(self.what) + self.WIDTH + 46) + "\r")

    def _write(self, line: str) -> None:
        try:
            sys.stderr.write(line)
            sys.stderr.flush()
        except BaseException as error:  # closed, say
            self.errors.append(error)


def bar_of(what: str, errors: DeferredErrors, verbose: int) -> Bar | None:
    """None: nobody would see it, or wants to."""
    pause = _pause(sys.stderr) if verbose else None
    return None if pause is None else Bar(what, pause, errors)


@functools.lru_cache(maxsize=64)
def _silent_run(n: int) -> fx_run:
    """One without a callback, made once for a number of threads."""
    return fx_run(threads=n)


def call(function: str, *arguments, n_jobs: int | None = None, verbose: int = 0,
         what: str = "", brief: bool = False, max_memory: int = 0,
         errors: DeferredErrors | None = None) -> None:
    """Calls a function of the library whose last argument is an fx_run; raises as check() does.

    max_memory: bytes that the library may use; 0: as it likes
    errors: to which callbacks among the arguments add their exceptions
    brief: the call takes less than 100 ms, so a signal handler can wait until it is over.
    Callbacks and wrapped handlers would take longer than predicting one row."""
    if brief:                           # 0: the library counts processors if it needs several
        count = n_jobs is None and "OMP_NUM_THREADS" not in os.environ
        check(getattr(lib, function)(*arguments, _silent_run(0 if count else threads(n_jobs))))
        return
    run = fx_run(threads=threads(n_jobs))
    run.max_memory = max_memory
    with DeferredErrors() if errors is None else errors as errors:
        bar = bar_of(what or function, errors, verbose)

        def progress(_, done):
            if bar:
                bar(done)
            return bool(errors)

        run.progress = PROGRESS(progress)
        if bar:
            run.step = ctypes.pointer(bar.step)
        status = getattr(lib, function)(*arguments, run)
        if bar:
            bar.close()
    check(status)
