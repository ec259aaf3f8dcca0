# SPDX-License-Identifier: BSD-3-Clause
"""Run by test_run.py: what a signal does to each long call, as one JSON object.

A call that is not interrupted would take many seconds.
"""
import ctypes
import inspect
import json
import os
import queue
import signal
import threading
import time

import numpy as np

import featcross as fx
from featcross import RandomKernelMap
from featcross._learners.learner import Learner
from featcross._load import _exported

rng = np.random.default_rng(1)
X = rng.standard_normal((6000, 600))
y = rng.integers(0, 2, 6000)
counted = []


def gram(rows=3000):                    # several times as long as the timer waits
    return fx.gram(X[:rows], kernel="anova", degree=16, n_jobs=1)


def signalled(function, number=signal.SIGINT):
    """What a call raises (NoneType: nothing), and how long after the signal it ends."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), number)

    timer = threading.Timer(0.1, send)
    timer.start()
    try:
        function()
        raised = None
    except BaseException as error:
        raised = error
    end = time.monotonic()
    timer.join()
    return type(raised).__name__, end - sent[0]


def learners():
    """One of each class, that would learn for long."""
    one = {"n_jobs": 1}
    kernel = {"kernel": "anova", "degree": 16, **one}
    factors = {"n_components": 100, "max_iter": 10**6, "tol": 0, "random_state": 1, **one}
    dense = RandomKernelMap(20000, degree=4, projection="dense", random_state=1)
    long = {"map": dense, **factors, **kernel}
    known = [fx.LinearClassifier(map=dense, **one),
             fx.LinearRegressor(loss="epsilon_insensitive", C=1e3, tol=1e-14, max_iter=10**7,
                                **one),
             fx.KernelSVC(C=1e3, **kernel), fx.KernelSVR(C=1e3, **kernel), fx.KernelRidge(**kernel),
             fx.KernelPCA(**kernel), fx.KernelPerceptron(**kernel),
             fx.FactorizationMachineClassifier(**factors),
             fx.FactorizationMachineRegressor(degree=3, solver="adagrad", **factors),
             fx.FactorizationMachineRanker(**factors),
             fx.PolynomialNetworkClassifier(solver="cd", **factors),
             fx.PolynomialNetworkRegressor(solver="lbfgs", **factors),
             fx.AllSubsetsClassifier(solver="adagrad", **factors),
             fx.AllSubsetsRegressor(solver="lbfgs", **factors)]
    others = set(_exported(Learner)) - {type(e) for e in known}
    return known + [kind(**{name: value for name, value in long.items()
                            if name in inspect.signature(kind).parameters}) for kind in others]


def memory():
    """MiB that this process has, without what only waits to be used again."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def long_calls():
    """Ctrl-C in each of them; then estimators fit as if nothing had been."""
    estimators = {type(e).__name__: e for e in learners()}
    before = memory()
    out = {"fits": {name: signalled(lambda e=e: e.fit(X, y)) for name, e in estimators.items()}}
    out["grown"] = memory() - before
    out["gram"] = signalled(lambda: gram(6000))
    selector = fx.CombinationSelector(degree=6, n_jobs=1)
    out["discover"] = signalled(lambda: selector.fit(X, y))
    dense = estimators["LinearClassifier"].map.fit(X)
    out["transform"] = signalled(lambda: dense.transform(X))
    parts = fx.Parts(lambda: ((X[a:a + 500], y[a:a + 500]) for a in range(0, len(X), 500)))
    streamed = fx.LinearClassifier(loss="logistic", map=estimators["LinearClassifier"].map, n_jobs=2)
    out["stream"] = signalled(lambda: streamed.fit(parts))
    out["fitted"] = [name for name, e in {**estimators, "selector": selector}.items()
                     if hasattr(e, "n_features_in_")]
    out["restored"] = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    A, b = X[:50, :5], y[:50]
    out["again"] = [estimators[name].fit(A, b).score(A, b)
                    for name in ("LinearClassifier", "KernelSVC")]
    return out


def count(number, frame):
    counted.append(number)


def fail(number, frame):
    raise LookupError("of the handler")


def once(number, frame):
    signal.signal(number, count)


def handlers():
    """The user's own: one that only counts, one that raises something else, one that puts another
    in its place, none, and one of a limit of time."""
    def under(handler, function=gram, number=signal.SIGINT, then=None):
        signal.signal(number, handler)
        return signalled(function, number), signal.getsignal(number) == (then or handler)

    out = {"counting": (under(count), counted),
           "failing": under(fail, lambda: gram(6000)),
           "replacing": under(once, then=count),
           "ignored": under(signal.SIG_IGN),
           "alarm": under(fail, lambda: gram(6000), signal.SIGALRM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return out


def threads():
    """Another thread computes on while the main one is interrupted."""
    values = queue.Queue()
    threading.Thread(target=lambda: values.put(gram())).start()
    return {"main": signalled(values.get), "thread": bool((values.get() == gram()).all())}


def moments():
    """Signals at any moment of short calls.  The timer goes on, since Python itself loses an
    exception that meets a __del__."""
    ended = []
    signal.signal(signal.SIGALRM, fail)
    for i in range(100):
        try:
            signal.setitimer(signal.ITIMER_REAL, 2e-6 * (i + 1), 0.01)
            for _ in range(10000):
                fx.gram(X[:40, :40], n_jobs=1)
        except LookupError:
            signal.setitimer(signal.ITIMER_REAL, 0)
            ended.append(signal.getsignal(signal.SIGALRM) is fail)
    return {"moments": (len(ended), all(ended))}


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)    # ignored in a shell's background
    print(json.dumps({**long_calls(), **handlers(), **threads(), **moments()}))
