# SPDX-License-Identifier: BSD-3-Clause
"""How calls of the library run: signals, the progress bar, threads, errors and warnings."""
import io
import json
import os
import pty
import subprocess
import sys
import threading
import time
import tracemalloc
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import featcross
from featcross import (FactorizationMachineRegressor, LinearClassifier, RandomKernelMap, _library,
                       _run)
from featcross._data.rows import Rows
from featcross._learners.learner import Learner
from featcross._library import PROGRESS, WRITE, fx_run, fx_sink, lib
from featcross._model import Model
from featcross._names.words import in_python
from featcross._sklearn import ConvergenceWarning
from featcross.kernels import KernelHandle

SLOW = float(os.environ.get("FX_TEST_SLOW", 1))
X = np.random.default_rng(3).standard_normal((700, 300))
Y = np.arange(700) % 2


# ---- Signals ----

@pytest.fixture(scope="module")
def interrupts():
    """What signals did to long calls in a process of their own."""
    path = Path(__file__).with_name("interrupts.py")
    run = subprocess.run([sys.executable, path], stdout=subprocess.PIPE, text=True, check=True,
                         timeout=120 * SLOW)
    return json.loads(run.stdout)


LEARNERS = [name for name in featcross.__all__
            if isinstance(kind := getattr(featcross, name), type) and issubclass(kind, Learner)]


@pytest.mark.parametrize("learner", LEARNERS)
def test_ctrl_c_stops_any_fit(interrupts, learner):
    raised, seconds = interrupts["fits"][learner]
    assert raised == "KeyboardInterrupt" and seconds < 0.5 * SLOW


@pytest.mark.parametrize("call", ["discover", "gram", "stream", "transform"])
def test_ctrl_c_stops_other_calls(interrupts, call):
    raised, seconds = interrupts[call]
    assert raised == "KeyboardInterrupt" and seconds < 0.5 * SLOW


def test_an_interrupted_fit_leaves_nothing_and_can_be_repeated(interrupts):
    assert interrupts["fitted"] == [] and interrupts["restored"]
    assert interrupts["grown"] < 30     # MiB; the rows alone have 27
    assert len(interrupts["again"]) == 2 and all(0 < score <= 1 for score in interrupts["again"])


def test_the_users_own_handler_is_called_and_put_back(interrupts):
    ((raised, _), restored), counted = interrupts["counting"]
    assert raised == "NoneType" and restored and counted[0] == 2
    for case in ("failing", "alarm"):   # that of a limit of time
        (raised, seconds), restored = interrupts[case]
        assert raised == "LookupError" and seconds < 0.5 * SLOW and restored
    for case in ("replacing", "ignored"):
        (raised, _), restored = interrupts[case]
        assert raised == "NoneType" and restored


def test_other_threads_compute_on(interrupts):
    assert interrupts["main"][0] == "KeyboardInterrupt" and interrupts["thread"]


def test_signals_at_any_moment(interrupts):
    assert interrupts["moments"] == [100, True]


def test_calls_of_several_threads_at_once():
    want, got = featcross.gram(X, n_jobs=1), []
    workers = [threading.Thread(target=lambda: got.append(featcross.gram(X, n_jobs=1)))
               for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(got) == 4 and all((K == want).all() for K in got)


def test_the_interpreter_is_free_meanwhile():
    """A call holds no lock; else other threads would run at callbacks alone, every 100 ms or so."""
    worker = threading.Thread(target=work, args=(0,))
    start, naps = time.monotonic(), 0
    worker.start()
    while worker.is_alive():
        time.sleep(0.001)
        naps += 1
    assert naps > 30 / SLOW * (time.monotonic() - start)


# ---- The progress bar ----

@pytest.fixture
def hurried(monkeypatch):
    """A clock by which every call lasts over a second."""
    clock = types.SimpleNamespace(monotonic=lambda: 1000 * time.monotonic())
    monkeypatch.setattr(_run, "time", clock)


def work(verbose):
    featcross.gram(np.vstack([X, X]), kernel="anova", degree=16, n_jobs=1, verbose=verbose)


class Notebook(io.StringIO):
    """What notebooks have in place of stderr."""


Notebook.__module__ = "ipykernel.iostream"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("verbose", [0, 1])
def test_bar_on_a_terminal(hurried, monkeypatch, verbose):
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal, os.fdopen(master, "rb", buffering=0) as screen:
        monkeypatch.setattr(sys, "stderr", terminal)
        work(verbose)
        monkeypatch.undo()
        terminal.write("end")
        terminal.flush()
        shown = ""
        while not shown.endswith("end"):
            shown += screen.read(1 << 16).decode()
    if not verbose:
        assert shown == "end"
        return
    *bars, erased, end = shown.split("\r")[1:]
    assert end == "end" and erased.strip() == "" and bars
    assert all(bar.startswith("gram [") and " % " in bar and len(bar) <= len(erased) <= 79
               for bar in bars)


def test_bar_in_a_notebook(hurried, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Notebook())
    work(1)
    assert "\rgram [" in sys.stderr.getvalue() and sys.stderr.getvalue().endswith(" \r")


def test_bar_of_a_fit_shows_the_objective(hurried, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Notebook())
    model = FactorizationMachineRegressor(30, max_iter=200, tol=0, random_state=1, n_jobs=1,
                                          verbose=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, X[:, 0] * X[:, 1])
    shown = {line.split("objective ")[1].strip() for line in sys.stderr.getvalue().split("\r")
             if "objective " in line}
    assert shown and shown <= {f"{value:.6g}" for value in model.history_["objective"]}


@pytest.mark.parametrize("stream, most", [(Notebook, 2), (Terminal, 10)])
def test_a_bar_is_drawn_so_often_a_second(monkeypatch, stream, most):
    now = [100.0]
    monkeypatch.setattr(_run, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(sys, "stderr", stream())
    bar = _run.Bar("fit", _run._pause(sys.stderr), _run.DeferredErrors())
    for step in range(1000):            # ten seconds, every 10 ms
        now[0] += 0.01
        bar(step / 1000)
    drawn = sys.stderr.getvalue().count("\r")
    assert 0.8 * 9 * most <= drawn <= 9 * most + 1      # nothing in the first second


def test_no_bar_in_a_file(hurried, monkeypatch, tmp_path):
    with open(tmp_path / "log", "w+") as log:
        monkeypatch.setattr(sys, "stderr", log)
        work(1)
        log.seek(0)
        assert log.read() == ""


@pytest.mark.parametrize("stream", [None, object()])
def test_no_bar_without_stderr(hurried, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    work(1)


def test_no_bar_within_a_second(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Notebook())
    featcross.gram(X[:50], verbose=1)
    assert sys.stderr.getvalue() == ""


def test_a_failure_of_stderr_is_raised(hurried, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Notebook())
    sys.stderr.close()
    with pytest.raises(ValueError, match="closed"):
        work(1)


def test_nothing_is_written_without_verbose(capfd):
    LinearClassifier(map=RandomKernelMap(64)).fit(X, Y).predict(X)
    assert capfd.readouterr() == ("", "")


# ---- Threads ----

def test_threads(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(_run, "processors", lambda: 8)
    n_jobs = (None, 1, 3, 20, -1, -2, -8, -100, np.int64(2), True)
    assert [_run.threads(n) for n in n_jobs] == [8, 1, 3, 20, 8, 7, 1, 1, 2, 1]
    for share, expected in (("2", 2), ("3,1", 3), ("16", 8), ("0", 8), ("all", 8), ("", 8)):
        monkeypatch.setenv("OMP_NUM_THREADS", share)
        assert _run.threads(None) == expected and _run.threads(5) == 5


@pytest.mark.parametrize("n_jobs", [0, 1.0, "2", [1]])
def test_threads_that_are_no_number(n_jobs):
    with pytest.raises(ValueError, match="n_jobs="):
        featcross.gram(X, n_jobs=n_jobs)


# ---- Errors and warnings ----

def gram_by(run):
    K = np.empty((700, 700))
    _library.check(lib.fx_kernel_gram(K.ctypes.data, 700, KernelHandle("anova"), Rows(X).matrix,
                                      None, run))


def dump_to_nobody():
    model = LinearClassifier().fit(X, Y).model_
    _library.check(lib.fx_model_dump(fx_sink(write=WRITE(lambda *_: 1)), model))


@pytest.mark.parametrize("status, kind, function", [
    ("FX_ENOMEM", MemoryError,
     lambda: RandomKernelMap(2**31 - 1, projection="dense").fit(np.ones((2, 10000)))),
    ("FX_EINVAL", ValueError, lambda: featcross.gram(X, kernel="nonsense")),
    ("FX_ESHAPE", ValueError, lambda: featcross.gram(X, X[:, 1:])),
    ("FX_EFORMAT", ValueError, lambda: Model.parse(b"nonsense")),
    ("FX_EDOMAIN", ValueError, lambda: featcross.gram(np.ones((2, 2)), kernel="vovk-inf")),
    ("FX_ENUMERIC", FloatingPointError,
     lambda: featcross.gram(np.full((2, 2), 1e200), kernel="linear")),
    ("FX_EUNSUPPORTED", ValueError,
     lambda: RandomKernelMap(projection="hadamard", distribution="gaussian").fit(X)),
    ("FX_ECANCELLED", KeyboardInterrupt, lambda: gram_by(fx_run(threads=1, progress=PROGRESS(lambda *_: 1)))),
    ("FX_ELIMIT", MemoryError, lambda: gram_by(fx_run(threads=1, max_memory=1))),
    ("FX_EOUTPUT", OSError, dump_to_nobody),
])
def test_errors(status, kind, function):
    number = {lib.fx_status_name(n).decode(): n for n in _library.ERRORS}[status]
    with pytest.raises(kind) as error:
        function()
    assert type(error.value) is kind is _library.ERRORS[number]
    assert str(error.value) == in_python(lib.fx_error_detail().decode()) != ""


def test_a_fit_that_fails_leaves_an_estimator_as_it_was():
    kernel_map = RandomKernelMap(2**31 - 1, projection="dense")
    with pytest.raises(MemoryError):
        kernel_map.fit(np.ones((2, 10000)))
    assert not hasattr(kernel_map, "n_features_in_")


def test_a_remark_is_a_warning_of_the_users_line():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        LinearClassifier(max_iter=1, tol=1e-9).fit(X, Y)
    assert [w.category for w in found] == [ConvergenceWarning]
    assert found[0].filename == __file__
    assert str(found[0].message) == in_python(lib.fx_error_detail().decode())


def test_no_memory_for_a_dump_is_raised(monkeypatch):
    model = LinearClassifier().fit(X, Y).model_

    def none(*_):
        raise MemoryError("no more")

    monkeypatch.setattr("ctypes.string_at", none)
    with pytest.raises(MemoryError, match="no more"):
        model.dump()


# ---- What it costs ----

MEMORY = """
import sys
sys.modules["sklearn"] = None           # takes time, and memory
import numpy as np
import featcross

def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))

def work(X):
    yield featcross.LinearClassifier(max_iter=3, n_jobs=1).fit(X, np.arange(len(X)) % 2).predict(X)
    yield featcross.RandomKernelMap("2x", random_state=1, n_jobs=1).fit(X).transform(X)

rng = np.random.default_rng(1)
list(work(rng.random((50, 5))))         # imports, threads
before = status("VmRSS:")
for _ in work(rng.random((20000, 200), dtype=sys.argv[1])):
    print(status("VmHWM:") - before)
"""


def test_float32_takes_half_the_memory():
    """Rows and all that is made of them, at the worst moment of a fit and of a map."""
    single, double = (np.array(subprocess.run([sys.executable, "-W", "ignore", "-c", MEMORY, dtype],
                                              capture_output=True, check=True).stdout.split(), int)
                      for dtype in ("f4", "f8"))
    assert len(single) == 2 and (single <= 0.55 * double).all(), (single, double)


def test_fit_and_transform_copy_no_rows():
    """NumPy tells tracemalloc of its arrays.  bench/python.py has the time."""
    A = np.random.default_rng(4).standard_normal((10000, 100))
    y = np.where(A[:, 0] * A[:, 1] > 0, "above", "below")
    kernel_map = RandomKernelMap(random_state=1).fit(A)
    learner = LinearClassifier(map=RandomKernelMap(random_state=1))
    for function in (lambda: kernel_map.transform(A), lambda: learner.fit(A, y)):
        tracemalloc.start()
        result = function()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < getattr(result, "nbytes", 0) + A.nbytes // 4
