# SPDX-License-Identifier: BSD-3-Clause
"""mpirun: the same model for any number of processes, by a hash of its file; process 0 alone speaks and writes; a
failure anywhere ends all; a fit that was killed goes on with another number of processes.

Covers: cli/team/team.c, cli/team/team_messages.c, cli/tables/spill_share.c"""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM, SLOW, Result
from test_spill import bytes_of, numbers, svm, table

PLUGIN = pathlib.Path(PROGRAM).with_name("libfeatcross_mpi.so")
pytestmark = [
    pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun (scripts/install-deps mpi)"),
    pytest.mark.skipif(not PLUGIN.exists(), reason=f"no {PLUGIN.name}: mpi.h was not found when this was built"),
]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "ASAN_OPTIONS": "detect_leaks=0"}    # MPI's own
SOON = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}  # else mpirun waits two seconds after a failure
MPIRUN = ["mpirun", "--oversubscribe"]
LOGISTIC = ["--model", "logistic"]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "x.svm"
    svm(path, rows=30000)
    return path


@pytest.fixture
def mpi(tmp_path):
    """Runs mpirun with these arguments in tmp_path; by default it must succeed."""

    def run(*args, status=0, env=None):
        done = subprocess.run([*MPIRUN, *map(str, args)], capture_output=True, cwd=tmp_path, stdin=subprocess.DEVNULL,
                              timeout=60 * SLOW, env={**ENVIRONMENT, **SOON, **(env or {})})
        r = Result(done)
        assert r.status == status, f"status {r.status}, wanted {status}: {r.talk}{r.text[:2000]}"
        return r

    return run


def digest(path):
    return hashlib.sha256(bytes_of(path)).hexdigest()


def weighted(path):
    """The table of test_spill, with weights."""
    table(path)
    rng = random.Random(3)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0] + ",w"] + [f"{line},{rng.choice([1, 2, 0.5])}" for line in lines[1:]]) + "\n")


LOSSES = [LOGISTIC, ["--model", "svm-l2", "--solver", "newton"], ["--model", "ridge"]]
MAPS = [["--map", "rk", "--kernel", "anova:order=2", "-D", "128"],
        ["--map", "ts", "--kernel", "poly:degree=2", "-D", "64"],
        ["--map", "rff", "--kernel", "rbf:gamma=0.01", "-D", "64"]]
MODELS = [
    *LOSSES,
    *[pytest.param([*model, *map], marks=pytest.mark.large) for model in LOSSES for map in MAPS],
    [*LOSSES[1], "--scale", "std", "--class-weight", "balanced"],
    [*LOGISTIC, "--penalty", "l1", "--solver", "proximal"],
    ["--model", "fm", "--solver", "lbfgs", "--task", "classify", "--rank", "4", "--max-iter", "5"],
    ["--model", "hofm:order=3,task=regress,max-iter=3", "--solver", "lbfgs", "--rank", "4"],
    ["--model", "pca:k=3"],
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: "-".join(m[1::2]))
def test_one_hash(fx, mpi, rows, tmp_path, model):
    seen = set()
    for how in (["--threads", 1], ["--threads", 2], ["--max-memory", "4M"]):
        fx("train", rows, "-o", "m.fx", *how, *model)
        seen.add(digest(tmp_path / "m.fx"))
    for n in (1, 2, 3, 4) if model == LOGISTIC else (2, 3, 4):  # of one process no plugin knows
        done = mpi("-n", n, PROGRAM, "train", rows, "-o", "m.fx", "--json", *model)
        seen.add(digest(tmp_path / "m.fx"))
        engine = done.json["engine"]
        if n > 1:
            assert (engine["name"], engine["workers"], engine["parts"]) == ("mpi", n, 8)
            assert engine["passes"] > 2 and done.json["rows"] == 30000
    assert len(seen) == 1
    assert os.listdir(tmp_path) == ["m.fx"]


@pytest.mark.parametrize("n, model", [(2, LOSSES[1]), (3, LOGISTIC), (4, LOSSES[1])], ids=str)
def test_classes(fx, mpi, tmp_path, n, model):
    """Categories and classes that come late, weights, an evaluation set, a history, packed text in two files."""
    weighted(tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    (tmp_path / "rest.csv").write_text("\n".join([lines[0], *lines[9000:]]) + "\n")
    (tmp_path / "t.csv").write_text("\n".join(lines[:9000]) + "\n")
    subprocess.run(["gzip", "rest.csv"], check=True, cwd=tmp_path)
    common = ["t.csv", "rest.csv.gz", "--label", "label", "--weight-column", "w", *model, "--scale", "maxabs",
              "--eval-set", "t.csv"]
    plain = fx("train", "-o", "a.fx", "--json", *common)
    done = mpi("-n", n, PROGRAM, "train", "-o", "b.fx", "--history", "h.csv", "--json", *common)
    assert digest(tmp_path / "a.fx") == digest(tmp_path / "b.fx")
    assert done.json["eval"] == plain.json["eval"] and done.json["classes"] == 3
    assert (tmp_path / "h.csv").read_text().count("\n") > 3
    assert done.talk.count("t.csv and 1 more file: csv") == 1


def test_weighted_numbers(fx, mpi, tmp_path):
    weighted(tmp_path / "t.csv")
    common = ["t.csv", "--label", "age", "--drop", "label", "--weight-column", "w", "--model", "ridge"]
    fx("train", "-o", "a.fx", *common)
    for n in (2, 3):
        mpi("-n", n, PROGRAM, "train", "-o", "b.fx", *common)
        assert digest(tmp_path / "a.fx") == digest(tmp_path / "b.fx")


def test_long_runs(fx, mpi, tmp_path):
    """Far more columns than a block has numbers: such sums go over several blocks, which one process must have.  If
    most columns come late, that is found when all rows are read."""
    for late, model in ((0, [*LOGISTIC, "--folds", "2"]), (1, [*LOGISTIC, "--max-memory", "40M"]),
                        (0, ["--model", "fm", "--solver", "lbfgs", "--task", "classify", "--rank", "8"])):
        with open(tmp_path / "wide.svm", "w") as f:
            for i in range(100000):
                column = f"{10000 + i % 10000}:1" if i > 50000 * late else f"41:1.{'0' * 40}"
                f.write(f"{1 if i * i % 7 < 3 else -1} {i % 31 + 1}:1 {column}\n")
        plain = fx("train", "wide.svm", "-o", "a.fx", "--json", "--max-iter", 2, *model).json
        done = mpi("-n", 2, PROGRAM, "train", "wide.svm", "-o", "b.fx", "--json", "--max-iter", 2, *model)
        assert digest(tmp_path / "a.fx") == digest(tmp_path / "b.fx")
        assert done.json.get("folds") == plain.get("folds")
        assert ("so it is read again" in done.talk) == late


def test_predict(fx, mpi, tmp_path, put):
    """Batches scored by several processes, written in order; what is counted, too."""
    table(tmp_path / "t.csv", rows=120000)
    fx("train", "t.csv", "-o", "m.fx", "--label", "label", *LOGISTIC, "-q")
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace("oslo", "bern"))
    for n, options in ((2, ["--output", "score", "--format", "npy"]), (3, ["--format", "csv"])):
        plain = fx("predict", "m.fx", "t.csv", "-o", "a", "--json", *options)
        done = mpi("-n", n, PROGRAM, "predict", "m.fx", "t.csv", "-o", "b", "--json", *options)
        assert digest(tmp_path / "a") == digest(tmp_path / "b") and done.json["unseen"] > 1000
        assert all(done.json[key] == plain.json[key] for key in ("rows", "unseen", "output"))
    text = (tmp_path / "t.csv").read_text()
    assert len(text) > 2 << 20          # several batches
    put("bad.csv", text + "60,rome,x,yes\n")
    said = mpi("-n", 3, PROGRAM, "predict", "m.fx", "bad.csv", "-o", "c", status=2)
    assert said.talk.count("bad.csv:120002") == 1 and not (tmp_path / "c").exists()


def test_evaluate(fx, mpi, tmp_path, put):
    """Batches scored by several processes, with weights, categories that training never saw, and missing numbers."""
    weighted(tmp_path / "t.csv")
    fx("train", "t.csv", "-o", "m.fx", "--label", "label", "--weight-column", "w", *LOGISTIC, "-q", "--nan", "drop")
    text = (tmp_path / "t.csv").read_text()
    head, _, lines = text.partition("\n")
    many = put("many.csv", head + "\n" + 16 * lines.replace("oslo", "bern"))
    assert os.path.getsize(tmp_path / many) > 2 << 20   # several batches
    options = ["--weight-column", "w", "--json"]
    plain = fx("evaluate", "m.fx", many, *options).json
    for n in (2, 3):
        done = mpi("-n", n, PROGRAM, "evaluate", "m.fx", many, *options).json
        assert {**done, "seconds": 0} == {**plain, "seconds": 0} and done["rows"] > 10000
    put("bad.csv", text.rstrip("\n").rsplit(",", 1)[0] + ",-1\n")
    said = mpi("-n", 3, PROGRAM, "evaluate", "m.fx", "bad.csv", *options, status=2)
    assert said.talk.count("bad.csv:") == 1
    said = mpi("-n", 2, PROGRAM, "evaluate", "m.fx", "-", status=2)
    assert "- can be read only once" in said.talk


def test_tune(fx, mpi, put, tmp_path):
    """Folds dealt to processes; a setting that fails in the one that has it; all that fail."""
    rng = random.Random(2)
    rows = put("x.svm", "".join(f"{rng.choice([1, -1, 2])} " + " ".join(f"{j}:{rng.random():.2f}" for j in range(1, 6))
                                + "\n" for _ in range(300)))
    for options in ([*LOGISTIC, "-D", "16,32", "-C", "0.1,1,10", "--metric", "f1-macro"],
                    ["--model", "fm", "--task", "regress", "--rank", "1,2", "--folds", "3", "--max-iter", "5"]):
        plain = fx("tune", rows, "-o", "a.fx", "--json", *options).json
        for n in (2, 4, 7):             # with 7, some have no fold of a path
            done = mpi("-n", n, PROGRAM, "tune", rows, "-o", "b.fx", "--json", *options).json
            for x in (plain, done):
                x.update(seconds=0, output="", best={**x["best"], "seconds": 0},
                         trials=[{**trial, "seconds": 0} for trial in x["trials"]])
            assert done == plain
            assert digest(tmp_path / "a.fx") == digest(tmp_path / "b.fx")
    put("far.svm", "".join(f"{i % 2} 1:{rng.random():.2f} " + ("2:1e30 3:1e30" if i == 59 else "2:1 3:1") + "\n" for i in range(60)))
    far = ["tune", "far.svm", "-o", "c.fx", "--map", "explicit", "-D", "6", "-C", "1,10", "--json"]
    failed = mpi("-n", 2, PROGRAM, *far, "--order", "1,2").json["trials"][2]["failed"]
    assert failed == fx(*far, "--order", "1,2").json["trials"][2]["failed"] and "range of floats" in failed
    assert mpi("-n", 2, PROGRAM, *far, "--order", "2", status=3).talk.count("range of floats") == 1
    half = put("half.svm", "1 1:1\n-1 2:1\n" * 20)
    said = mpi("-n", 1, PROGRAM, "tune", rows, ":", "-n", 1, PROGRAM, "tune", half, status=2)
    assert "process 1 has read other rows than process 0" in said.talk


@pytest.mark.large
def test_tune_shares(fx, mpi, tmp_path):
    """Rows that exceed --max-memory are in no process whole; those who have some answer, too, about those held out."""
    svm(tmp_path / "x.svm", rows=110000)
    for options in (["--order", "1,2", "-D", "8", "-C", "0.1,1", "--folds", "2", "--scale", "auto"],
                    ["--model", "fm", "--solver", "lbfgs", "--rank", "1,2", "--beta", "1x", "--folds", "2",
                     "--max-iter", "3"]):
        found = []
        for run in (fx, lambda *args: mpi("-n", 3, PROGRAM, *args, "--max-memory", "32M")):
            found.append(run("tune", "x.svm", "-o", "m.fx", "--json", *options).json)
            found[-1]["file"] = digest(tmp_path / "m.fx")
        engine = found[1]["engine"]
        assert (engine["name"], engine["workers"], engine["parts"]) == ("mpi", 3, 27)
        for x in found:
            x.update(seconds=0, engine=0, best={**x["best"], "seconds": 0},
                     trials=[{**trial, "seconds": 0} for trial in x["trials"]])
        assert found[0] == found[1]
    said = mpi("-n", 1, PROGRAM, "tune", "x.svm", ":", "-n", 1, PROGRAM, "tune", "x.svm", "--max-memory", "32M", status=2)
    assert "process 1 has another --max-memory than process 0" in said.talk


@pytest.mark.parametrize("data, options, said", [
    ("t.csv", ["--penalty", "l2", "--max-iter", "5"], "classify, since labels are text"),
    ("n.svm", ["--kernel", "anova:order=2", "-D", "64", "-C", "auto", "--folds", "3"], "regress, since labels such as"),
    pytest.param("x.svm", [*LOGISTIC, "--kernel", "auto", "--scale", "auto"], "scaling: maxabs", marks=pytest.mark.large),
    pytest.param("t.csv", [*LOGISTIC, "--folds", "3", "--metric", "f1-macro"], "", marks=pytest.mark.large),
    ("t.csv", ["--model", "fm:rank=2,solver=lbfgs,max-iter=3", "--folds", "2"], "classify, since labels are text"),
], ids=lambda x: " ".join(x) if isinstance(x, list) else x)
def test_chosen(fx, mpi, tmp_path, data, options, said):
    """What is decided by all rows: the task, the scaling, choices, folds, of classes that come late."""
    {"t.csv": table, "x.svm": svm, "n.svm": numbers}[data](tmp_path / data, rows=30000)
    common = [data, *(["--label", "label"] if data == "t.csv" else []), *options, "--json"]
    plain = fx("train", *common, "-o", "a.fx")
    for n in (2, 3):
        done = mpi("-n", n, PROGRAM, "train", *common, "-o", "b.fx")
        assert digest(tmp_path / "a.fx") == digest(tmp_path / "b.fx")
        assert done.json["engine"]["workers"] == n and said in done.talk
        assert all(done.json.get(key) == plain.json.get(key) for key in ("model", "held_out", "folds", "D"))
    dry = [option for option in common if option not in ("--folds", "3", "2")]
    dry = {n: mpi("-n", n, PROGRAM, "train", *dry, "--dry-run").json for n in (1, 2)}
    assert dry[1] == dry[2]
    assert sorted(os.listdir(tmp_path)) == ["a.fx", "b.fx", data]


@pytest.mark.large
def test_chosen_but_refused(mpi, rows, tmp_path):
    said = mpi("-n", 2, PROGRAM, "train", rows, "-o", "m.fx", status=4)
    assert "is shared by several processes, and penalty l1, which was chosen, needs all rows in memory" in said.talk
    assert "HINT: --penalty l1 --solver proximal does not" in said.talk and os.listdir(tmp_path) == []


def test_refused(mpi, rows, tmp_path):
    """What one process must do alone: never several equal trainings."""
    for options in (["--model", "perceptron"], ["--model", "svm", "--solver", "dual"],
                    ["--model", "kernel-svm", "-C", "auto"],
                    ["--model", "fm", "--task", "classify", "--solver", "adagrad"]):
        said = mpi("-n", 2, PROGRAM, "train", rows, "-o", "m.fx", *options, status=4)
        assert said.talk.count("this fit needs them in one") == 1 and "logistic, ridge, pca" in said.talk
    said = mpi("-n", 2, PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC, "--spill", "s", status=2)
    assert "--spill keeps all rows in one file" in said.talk
    said = mpi("-n", 2, PROGRAM, "train", "-", "-o", "m.fx", *LOGISTIC, status=2)
    assert "- can be read only once" in said.talk
    for command in (["compare", rows], ["info", rows]):
        said = mpi("-n", 2, PROGRAM, *command, status=2)
        assert said.talk.count(f"{command[0]} runs in one process; run it without mpirun") == 1
    assert mpi("-n", 2, PROGRAM, "--version").text.count("featcross ") == 1
    assert os.listdir(tmp_path) == []


def test_failures(mpi, rows, tmp_path):
    """On all processes or on one: said once, with the place, and all end."""
    lines = rows.read_text().splitlines()
    (tmp_path / "bad.svm").write_text("\n".join([*lines[:20000], "1 3:x", *lines[20000:]]) + "\n")
    start = time.monotonic()
    said = mpi("-n", 3, PROGRAM, "train", "bad.svm", "-o", "m.fx", *LOGISTIC, status=2)
    assert said.talk.count("bad.svm:20001:5: 'x' is not a number") == 1
    (tmp_path / "bad.svm").unlink()
    half = tmp_path / "half.svm"
    half.write_text("\n".join(lines[:10000]) + "\n")
    train = [PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC]
    for other, words, status in (
            ([PROGRAM, "train", "gone.svm", "-o", "m.fx", *LOGISTIC], "gone.svm: No such file or directory", 2),
            ([PROGRAM, "train", half, "-o", "m.fx", *LOGISTIC], "process 1 has read other rows", 2),
            ([*train, "--max-memory", "20K"], "the limit is 20480", 4)):
        said = mpi("-n", 1, *train, ":", "-n", 1, *other, status=status)
        assert said.talk.count(words) == 1 and said.talk.count("featcross: ") == 1
    half.unlink()
    assert os.listdir(tmp_path) == [] and time.monotonic() - start < 30 * SLOW


def test_instruction_sets(mpi, rows, tmp_path):
    train = [PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC]
    said = mpi("-n", 1, "env", "FX_TARGET=scalar", *train, ":", "-n", 1, "env", "FX_TARGET=", *train, status=2)
    assert "computes with the instruction set" in said.talk and "mpirun -x FX_TARGET=scalar" in said.talk
    mpi("-x", "FX_TARGET=scalar", "-n", 2, *train)


def test_builds(fx, mpi, rows, tmp_path):
    """Of another commit, as which a copy of the program with other letters passes."""
    commit = fx("--version").text.split("commit", 1)[1].split()[0].encode()
    other = tmp_path / "featcross"
    other.write_bytes(pathlib.Path(PROGRAM).read_bytes().replace(commit + b"\0", commit[::-1] + b"\0"))
    other.chmod(0o755)
    train = ["train", rows, "-o", "m.fx", *LOGISTIC]
    said = mpi("-n", 1, PROGRAM, *train, ":", "-n", 1, other, *train, env={"FEATCROSS_MPI": str(PLUGIN)}, status=2)
    assert f" {commit[::-1].decode()}, process 0 is " in said.talk
    assert not (tmp_path / "m.fx").exists()


def test_threads(mpi, rows):
    """Processes that may use the same processors share them."""
    said = mpi("--bind-to", "none", "-n", 2, PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC, "-v", 3)
    assert f", {max(1, len(os.sched_getaffinity(0)) // 2)} threads, seed" in said.talk


def test_plugin(mpi, rows, tmp_path):
    """Without it, or with another version of it, nothing is trained."""
    train = ["-n", 2, PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC]
    said = mpi(*train, env={"FEATCROSS_MPI": "/nowhere.so"}, status=2)
    assert said.talk.count("libfeatcross_mpi.so cannot be loaded: /nowhere.so") == 1
    if shutil.which("cc"):
        (tmp_path / "p.c").write_text("const int featcross_team = 99;\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "p.so", "p.c"], check=True, cwd=tmp_path)
        said = mpi(*train, env={"FEATCROSS_MPI": str(tmp_path / "p.so")}, status=2)
        assert "libfeatcross_mpi.so is of another version than this program: 99, not" in said.talk
    assert not (tmp_path / "m.fx").exists()


def helpers(run):
    """Processes of the program below mpirun, by their ranks."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((path / "stat").read_text().rsplit(")", 1)[1].split()[1]) == run.pid:
                own = dict(v.split("=", 1) for v in (path / "environ").read_text().split("\0") if "=" in v)
                found[int(own["OMPI_COMM_WORLD_RANK"])] = int(path.name)
        except (OSError, KeyError, ValueError):
            pass                        # it has ended
    return found


def stop(tmp_path, n, command, size, how, env=ENVIRONMENT):
    """Starts n processes; how(run) when the checkpoint has so many bytes."""
    run = subprocess.Popen([*MPIRUN, "-n", str(n), *map(str, command)], cwd=tmp_path, env=env,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    path = tmp_path / "c.fxc"
    while run.poll() is None and not (path.exists() and path.stat().st_size > size):
        time.sleep(0.001)
    assert run.poll() is None, run.communicate()[1]
    how(run)
    talk = run.communicate(timeout=30 * SLOW)[1]
    for left in tmp_path.glob(".featcross.tmp*"):
        left.unlink()
    return run.returncode, talk


def test_killed(fx, mpi, rows, tmp_path):
    """Twice, another process each time; and another number of processes goes on."""
    model = [*LOGISTIC, "--kernel", "anova:order=2", "-D", "1500", "--tol", "1e-10"]
    command = [PROGRAM, "train", rows, "-o", "m.fx", *model, "--checkpoint", "c.fxc", "--resume"]
    fx("train", rows, "-o", "whole.fx", *model)
    size = 0
    for n, rank in ((3, 1), (2, 0)):
        status, talk = stop(tmp_path, n, command, size + 100000,
                            lambda run: os.kill(helpers(run)[rank], signal.SIGKILL), {**ENVIRONMENT, **SOON})
        assert status == 128 + signal.SIGKILL and "exited on signal 9" in talk
        assert not (tmp_path / "m.fx").exists()
        size = (tmp_path / "c.fxc").stat().st_size
    done = mpi("-n", 4, *command)
    assert "passes were done before" in done.talk
    assert digest(tmp_path / "m.fx") == digest(tmp_path / "whole.fx")
    assert sorted(os.listdir(tmp_path)) == ["m.fx", "whole.fx"]


def test_interrupted(rows, tmp_path):
    """Ctrl-C, of a fit that takes longer than the second that mpirun waits before it tells the others."""
    command = [PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC, "--kernel", "anova:order=2", "-D", "15000", "--tol",
               "1e-14", "--checkpoint", "c.fxc", "--resume"]
    start = time.monotonic()
    status, talk = stop(tmp_path, 2, command, 100000, lambda run: run.send_signal(signal.SIGINT))
    assert status != 0 and time.monotonic() - start < 20 * SLOW
    assert "c.fxc has what was done" in talk and (tmp_path / "c.fxc").stat().st_size > 100000
    assert not (tmp_path / "m.fx").exists()


def test_rest(rows, tmp_path):
    """Who waits for process 0 leaves the processors to others."""
    command = [PROGRAM, "train", rows, "-o", "m.fx", *LOGISTIC, "--kernel", "anova:order=2", "-D", "1500", "--tol",
               "1e-10", "--checkpoint", "c.fxc"]
    used = []

    def ticks(process):
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def look(run):
        found = helpers(run)
        os.kill(found[0], signal.SIGSTOP)
        time.sleep(0.5 * SLOW)          # its own pass ends
        before = ticks(found[1])
        time.sleep(1)
        used.append(ticks(found[1]) - before)
        os.kill(found[0], signal.SIGCONT)
        run.terminate()

    stop(tmp_path, 2, command, 10000, look, {**ENVIRONMENT, **SOON})
    assert used[0] < 0.2
