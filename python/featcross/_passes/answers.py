# SPDX-License-Identifier: BSD-3-Clause
"""Answers: what the passes of a fit ask for, from the rows of a spill.

Threads, as many as the fit may use, take blocks as they come, each for a pass of its own; the
answers are then merged, which is exact.  A pass that needs its rows in an order of its own gets
them one by one, and a second thread reads ahead.
"""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from .._library import (ASK, PASS_BLOCK, PASS_END, PROGRESS, Handle, check, fx_run, fx_sink,
                       fx_table, lib, strings)
from .._run import Bar, DeferredErrors, bar_of, threads, written
from .spill import Block, Spill

CANCELLED = -8                          # FX_ECANCELLED
COPIES = 5                              # of a block: packed, unpacked, scaled, with doubles
SUMS = 96                               # bytes of a feature: 32, three times
Me = TypeVar("Me", bound="Asked")


class Asked:
    """What a fit asks its questions.  `ask` is the library's callback, around `answer` of a
    subclass; it adds exceptions to `errors`."""

    def __init__(self, max_memory: int = 0):
        self.errors, self.max_memory, self.passes = DeferredErrors(), max_memory, 0
        self.ask = ASK(self._ask)

    def __enter__(self: Me) -> Me:
        return self

    def __exit__(self, *_) -> None:
        pass

    def answer(self, request: bytes) -> bytes:
        """Of all rows; anything if there are errors."""
        raise NotImplementedError

    def _ask(self, _, request, size, sink) -> int:
        try:
            answer = self.answer(ctypes.string_at(request, size))
            if not self.errors:
                to = ctypes.cast(sink, ctypes.POINTER(fx_sink)).contents
                return CANCELLED if to.write(to.ctx, answer, len(answer)) else 0
        except BaseException as error:
            self.errors.append(error)
        return CANCELLED


class Answers(Asked):
    """A context.

    names: of columns; features: of the model
    """

    def __init__(self, spill: Spill, names: list[str] | None = None, *, features: int = 0,
                 max_memory: int = 0, n_jobs=None, verbose=0):
        super().__init__(max_memory)
        self.spill, self.verbose = spill, verbose
        self._names = None if names is None else strings(names)
        self._progress = PROGRESS(lambda _, done: bool(self.errors))
        self.threads = threads(n_jobs)
        need = COPIES * spill.unpacked + SUMS * features
        workers = min(self.threads, max(1, len(spill.blocks)))
        if max_memory:
            workers = min(workers, max_memory // need)
            if not workers:
                raise MemoryError(f"max_memory={max_memory} is too little: a block of {PASS_BLOCK} "
                                  f"rows and {features} features take {need} bytes")
        self._workers = [self._new(1) for _ in range(workers)]
        self._done = 0                                  # blocks of this pass

    def __enter__(self) -> Answers:
        self._pool = ThreadPoolExecutor(max(2, len(self._workers)))
        return self

    def __exit__(self, *_) -> None:
        self._pool.shutdown()
        self._workers.clear()

    def _new(self, n: int) -> Handle:
        out = Handle(lib.fx_model_pass_free)
        run = fx_run(threads=n, max_memory=self.max_memory, progress=self._progress)
        check(lib.fx_model_pass_new(out.out, run))
        return out

    # ---- In any thread --------------------------------------------------------------------------
    def _guarded(self, work: Callable, *arguments):
        """An exception goes to errors, which stop all other threads; the result is then None."""
        try:
            return work(*arguments)
        except BaseException as error:
            self.errors.append(error)
            return None

    def _add(self, worker: Handle, k: int, table: fx_table, block: Block) -> None:
        if self._names is not None:
            table.name = self._names
        with self.spill.places(k * PASS_BLOCK):
            check(lib.fx_model_pass_add(worker, table, k * PASS_BLOCK))
        self._done += 1

    def _take(self, worker: Handle, request: bytes | None, blocks: Iterator[int]) -> None:
        if request is not None:
            check(lib.fx_model_pass_begin(worker, request, len(request)))
        data = bytearray(self.spill.largest)
        for k in blocks:
            if self.errors:
                return
            self._add(worker, k, *self.spill.read(k, data))

    # ---- In the thread of the fit ---------------------------------------------------------------
    def _wait(self, futures: list[Future], bar: Bar | None) -> None:
        """Signals are handled here meanwhile."""
        left = set(futures)
        while left:
            _, left = wait(left, timeout=0.1)
            if bar:
                bar(min(1.0, self._done / max(1, len(self.spill.blocks))))

    def _divided(self, request: bytes, bar: Bar | None) -> None:
        first, *others = self._workers
        blocks = iter(range(len(self.spill.blocks)))
        todo = [(first, None), *((worker, request) for worker in others)]
        self._wait([self._pool.submit(self._guarded, self._take, worker, asked, blocks)
                    for worker, asked in todo], bar)
        for worker in others if not self.errors else ():
            status, answer = written(lib.fx_model_pass_end, self.errors, worker)
            check(status)
            check(lib.fx_model_pass_merge(first, answer, len(answer)))

    def _ordered(self, worker: Handle, bar: Bar | None) -> None:
        def place(ahead: int) -> int | None:
            row = lib.fx_model_pass_next(worker, ahead)
            return row // PASS_BLOCK if row != PASS_END and row < self.spill.rows else None

        def read(k: int) -> Future:
            return self._pool.submit(self._guarded, self.spill.read, k)

        k = place(0)
        data = None if k is None else read(k)
        while k is not None and data is not None:
            after = place(1)
            now, data = data, None if after is None else read(after)
            self._wait([now], bar)
            if self.errors:
                return
            self._wait([self._pool.submit(self._guarded, self._add, worker, k, *now.result())],
                       bar)
            if self.errors:
                return
            k = after

    def answer(self, request: bytes) -> bytes:
        self.passes, self._done = self.passes + 1, 0
        bar = bar_of(f"fit, pass {self.passes}", self.errors, self.verbose)
        worker = self._workers[0]
        check(lib.fx_model_pass_begin(worker, request, len(request)))
        if lib.fx_model_pass_divisible(worker):
            self._divided(request, bar)
        else:
            if len(self._workers) > 1:  # from here on one pass, by all threads
                self._workers = [worker] = [self._new(self.threads)]
                check(lib.fx_model_pass_begin(worker, request, len(request)))
            self._ordered(worker, bar)
        if bar:
            bar.close()
        if self.errors:
            return b""
        status, answer = written(lib.fx_model_pass_end, self.errors, worker)
        check(status)
        return answer
