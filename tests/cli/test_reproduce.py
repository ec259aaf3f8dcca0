# SPDX-License-Identifier: BSD-3-Clause
"""featcross reproduce: recipes, runs that go on, checks.

Covers: cli/commands/cmd_reproduce.c, cli/reproduce/recipe.c, cli/reproduce/recipe_cases.c,
cli/reproduce/recipe_check.c, cli/reproduce/recipe_parse.c, cli/reproduce/records.c,
cli/reproduce/store.c, cli/reproduce/store_lines.c, cli/reproduce/claims.c,
cli/reproduce/claims_decide.c, cli/reproduce/reproduce.c, cli/reproduce/reproduce_table.c,
cli/terminal/machine.c"""

import os
import re
import resource
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM, ROOT, SLOW

DATA = "make:kind=dense-positive,n=40,d=6"
RECIPE = f"""\
# Made up.
title    Errors on made-up rows
paper    Nobody, nowhere.
text     What is
text     done.
measure  error
seeds    3 quick 2
set      rows=20 quick 10
plot     y=mae x=D log-x log-y xlabel=features_D ylabel=mean_absolute_error
table    series D mae
check    mae ratio 0.9 exact of rough
cases
series    data             kernel         map       D     paper_mae
rough     {DATA}           anova:order=2  rk        8     0.1
exact     {DATA}           anova:order=2  explicit  8     -
cases full
full_one  {DATA},seed=each anova:order=2  rk        8|16  -
"""


@pytest.fixture
def recipe(put):
    return lambda text=RECIPE, name="made.recipe": put(name, text)


def table(path):
    """The records, without the line that says by whom and when."""
    return path.read_text().splitlines()[1:]


def with_old(*changes):
    text = RECIPE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


# ---- Recipes ----------------------------------------------------------------------------------
@pytest.mark.parametrize("old, new, said", [
    ("measure  error", "measure  eror", "made.recipe:6: there is no measure 'eror'"),
    ("title    Errors on made-up rows", "", "made.recipe: `title` is missing"),
    ("text     done.", "txt      done.", "made.recipe:5: there is no key 'txt'"),
    ("text     done.", "  done.", "made.recipe:5: a line begins with its key"),
    ("seeds    3 quick 2", "seeds    3 fast 2", ":7: expected VALUE, or VALUE quick VALUE"),
    ("seeds    3 quick 2", "seeds    0", ":7: '0' is not a number of seeds"),
    ("seeds    3 quick 2", "seeds    1e9", ":7: '1e9' is not a number of seeds"),
    ("8     0.1", "|" * 10000 + " 0.1", ":14: more than 10000 cases"),
    ("set      rows=20", "set      row=20", ":8: measure error has no option 'row'"),
    ("log-x log-y", "log-z", ":9: a plot has no 'log-z'"),
    ("y=mae", "y=mea", ":9: there is no column 'mea' to plot"),
    ("table    series", "table    serie", ":10: there is no column 'serie'"),
    ("ratio 0.9", "ratio much", ":11: expected X ratio"),
    ("mae ratio 0.9 exact of rough", "mae bound least exact", ":11: expected X bound 0.05 SERIES"),
    ("mae ratio 0.9 exact of rough", "mae share 0.1", ":11: expected X share 0.05 SERIES"),
    ("mae ratio 0.9 exact of rough", "mae share 0.1 exacter", ":11: there is no series 'exacter'"),
    ("mae ratio", "mea ratio", ":11: 'mea' is not measured"),
    ("exact of rough", "exact of rougher", ":11: there is no series 'rougher'"),
    ("check    mae ratio 0.9 exact of rough", "check    rmse paper 0.1", ":11: there is no column paper_rmse"),
    ("  paper_mae", "  mae", ":13: 'mae' is measured"),
    ("explicit  8     -", "explicit  8", ":15: 5 fields, there are 6 columns"),
    ("explicit  8     -", "explicit  8     -  -", ":15: more than the 6 columns above"),
    ("8|16  -", "8|16  1|2|3", ":17: paper_mae: 3 values, where a column before has 2"),
    ("8     0.1", "8     0,1", ":14: paper_mae: '0,1' is not a number"),
    ("cases full", "cases fully", ":16: expected `cases`, or `cases full`"),
    ("anova:order=2  rk        8     0.1", "anva:order=2  rk        8     0.1", "anva"),
    (f"{DATA}           anova:order=2  explicit", "nowhere anova:order=2  explicit", "nowhere"),
])
def test_faults(fx, recipe, old, new, said):
    talk = fx("reproduce", recipe(with_old((old, new))), "--no-plot", status=2).talk
    assert said in talk and not list(fx.directory.glob("results/*"))


def test_list_parses_every_recipe(fx):
    names = sorted(p.stem for p in (ROOT / "experiments").glob("*.recipe"))
    assert [line.split()[0] for line in fx("reproduce").text.splitlines()] == names
    found = fx("reproduce", "--quick", "--json").json["experiments"]
    assert [e["name"] for e in found] == names and all(e["title"] and e["paper"] for e in found)
    assert f"did you mean {names[0]}?" in fx("reproduce", names[0] + "x", status=2).talk


# ---- Runs -------------------------------------------------------------------------------------
def test_run_writes_all(fx, recipe):
    r = fx("reproduce", recipe())
    out = fx.directory / "results"
    assert sorted(p.name for p in out.iterdir()) == [
        "made.csv", "made.md", "made.svg", "made.svg.data", "made.svg.gnuplot"]
    lines = table(out / "made.csv")
    assert lines[0].startswith("series,data,kernel,map,D,paper_mae,seed,point,mae,")
    assert len(lines) == 1 + 4 * 3
    rough = [float(v.split(",")[lines[0].split(",").index("mae") + 2]) for v in lines[1:4]]
    assert all(v > 0 for v in rough)              # a field with a comma is quoted: 2 more
    assert re.search(rf"rough +8 +{sum(rough) / 3:.4g} \+- \S+ +0\.1\n", r.text)
    assert "yes  mae of exact is at most" in r.text
    assert "full one, 8, mae" in r.talk and "paper 0.1" in r.talk
    page = (out / "made.md").read_text()
    assert "featcross reproduce made.recipe\n" in page and "What is done." in page
    assert "[made.csv](made.csv)" in page
    before = (out / "made.csv").read_bytes()
    again = fx("reproduce", recipe(with_old(("done.", "done!"))), "--json")
    assert "What is done!" in (out / "made.md").read_text()
    assert "was measured by featcross" in again.talk and before == (out / "made.csv").read_bytes()
    assert again.json["name"] == "made" and again.json["mode"] == "full"
    assert again.json["cells"] == 12 and again.json["checks"][0]["met"] is True
    assert again.json["files"] == [f"results/made.{e}" for e in ("csv", "md", "svg")]
    fx("reproduce", recipe(), "--restart", "--threads", "1", "--no-plot")
    assert table(out / "made.csv") == lines     # the same numbers, whatever the threads


def test_quick_and_seeds(fx, recipe):
    fx("reproduce", recipe(), "--quick", "-o", "q", "--no-plot")
    assert len(table(fx.directory / "q/made.csv")) == 1 + 2 * 2
    assert fx("reproduce", recipe(), "--quick", "--seeds", "1", "--seed", "7", "-o", "s", "--no-plot",
              "--json").json["cells"] == 2
    assert all(",7,0," in line for line in table(fx.directory / "s/made.csv")[1:])
    talk = fx("reproduce", recipe(), "-o", "q", "--no-plot", status=2).talk
    assert "q/made.csv: holds another run" in talk and "--restart" in talk
    fx("reproduce", recipe(), "-o", "q", "--restart", "--no-plot")


def test_several(fx, recipe):
    """They share data, seeds and kernel, and differ in rows=; all are looked at before the first."""
    other = recipe(with_old(("rows=20", "rows=30"), ("D     paper_mae", "D     seeds"),
                            ("8     0.1", "8     2")), "other.recipe")
    several = fx("reproduce", recipe(), other, "--no-plot", "--json").json
    assert [e["name"] for e in several["experiments"]] == ["made", "other"]
    assert several["experiments"][1]["cells"] == 11
    out = fx.directory / "results"
    lines = table(out / "other.csv")
    fx("reproduce", other, "--no-plot", "--restart")
    assert table(out / "other.csv") == lines
    (out / "made.csv").unlink()
    talk = fx("reproduce", recipe(), recipe(with_old(("rows=20", "rows=30")), "other.recipe"), "--no-plot",
              status=2).talk
    assert "other.csv: holds another run" in talk and not list(out.glob("made.*csv"))
    talk = fx("reproduce", recipe(), "./made.recipe", "--no-plot", status=2).talk
    assert "made.recipe and ./made.recipe would both be written to results/made.csv" in talk
    bad = recipe(with_old(("D     paper_mae", "D     seeds"), ("8     0.1", "8     -1")), "bad.recipe")
    assert "bad.recipe:14: '-1' is not a number of seeds" in fx("reproduce", bad, status=2).talk


def test_left_out_by_quick(fx, recipe):
    text = with_old(("check    mae ratio 0.9 exact of rough",
                     "check    mae ratio 0.9 exact of rough\ncheck full mae paper 1e-9\n"
                     "check    mae ratio 1e-9 full_one of rough"))
    r = fx("reproduce", recipe(text), "--quick", "--no-plot")
    assert "-    mae paper 1e-9 (left out by --quick)" in r.text and r.text.count("left out") == 2
    page = (fx.directory / "results/made.md").read_text()
    assert "- left out by --quick: mae paper 1e-9\n" in page and page.count("left out") == 2
    found = fx("reproduce", recipe(text), "--quick", "--no-plot", "--json").json["checks"]
    assert [c["met"] for c in found] == [True, None, None]
    fx("reproduce", recipe(text), "--no-plot", "-o", "full", status=1)


def test_long_table(fx, recipe):
    D = "|".join(map(str, range(8, 50)))
    r = fx("reproduce", recipe(with_old(("8|16  -", D + "  -"), ("seeds    3", "seeds    1"))), "--no-plot")
    assert "3 of 44 rows, the last of a series each; the page has all.\n" in r.text
    assert [line.split()[0] for line in r.text.splitlines()[3:6]] == ["rough", "exact", "full"]
    assert "| full one | 20 |" in (fx.directory / "results/made.md").read_text()


def test_unmet_check(fx, recipe):
    bad = with_old(("ratio 0.9", "ratio 1e-12"), ("seeds    3", "seeds    1"))
    r = fx("reproduce", recipe(bad), "--no-plot", status=1)
    assert "NO   mae of exact" in r.text
    assert sorted(p.name for p in fx.directory.glob("results/*")) == ["made.csv", "made.md"]
    assert "not met" in (fx.directory / "results/made.md").read_text()


def test_checks(fx, recipe):
    checks = """\
check    mae paper 100
check    mae paper 1e-9
check    mae slope D 0 full_one
check    mae slope D least 0 full_one
check    mae reach 1 exact by D
check    mae reach 1e-12 exact by D
check    mae ratio 1 exact of full_one
check    mae ratio least 1 exact of full_one
check    mae ratio 1 full_one of unlike
check    mae bound 1 rough
check    mae bound least 1 rough
check    mae share 1 exact
check    mae share -1 exact
"""
    text = with_old(("check    mae ratio 0.9 exact of rough\n", checks), ("seeds    3", "seeds    1"),
                    ("8|16  -\n", "8|64|512  -\nunlike x anova rk 9 -\n"))
    text = text.replace("unlike x anova rk", "unlike " + " ".join(RECIPE.splitlines()[13].split()[1:4]))
    found = fx("reproduce", recipe(text), "--no-plot", "--json", status=1).json["checks"]
    said = [c["text"] for c in found]
    assert [c["met"] for c in found] == [True, False, True, False, *3 * [True], *3 * [False],
                                         True, False, False, True, False, True, False], said
    assert "0 of 1 means are within 1e-09 of the paper's; the farthest, rough, D = 8: " in said[1]
    assert -0.8 < float(re.search(r"to the power (\S+),", said[2])[1]) < -0.2  # like 1 / sqrt(D)
    assert said[5].startswith("full one is within 1 of exact's mae of ") and " at D = 8: " in said[5]
    assert " up to D = 512: " in said[8] and "nothing to compare" in said[12]
    assert re.fullmatch(r"rough: mae is \S+, wanted: at most 1", said[13]) and said[14].endswith("at least 1")
    # of one trial, none: 1 - 0.025 is the chance that a probability of 0.975 is not seen
    assert re.fullmatch(r"exact: mae in 0 of 1 seeds, a share of \S+ \(95 % interval 0 to 0.975\), "
                        r"wanted: at most 1", said[15])


# ---- Going on ---------------------------------------------------------------------------------
def test_interrupt_and_go_on(fx, recipe):
    """The rows of the second case come through a pipe in which nothing is."""
    recipe(with_old((f"{DATA}           anova:order=2  explicit",
                     "phishing:valid=0,test=0  anova:order=2  explicit")))
    rows = fx.directory / "phishing/phishing"
    rows.parent.mkdir()
    os.mkfifo(rows)
    command = ["reproduce", "made.recipe", "--no-plot", "--data", "."]
    p = subprocess.Popen([PROGRAM, *command], cwd=fx.directory, stderr=subprocess.PIPE)
    part = fx.directory / "results/made.part.csv"
    deadline = time.monotonic() + 20 * SLOW
    while not part.exists() or part.read_text().count("\n\n") < 3:
        assert time.monotonic() < deadline and p.poll() is None
        time.sleep(0.01)
    busy = subprocess.run([PROGRAM, *command], cwd=fx.directory, stderr=subprocess.PIPE)
    assert busy.returncode == 2 and b"another featcross is writing it" in busy.stderr
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=20 * SLOW)
    assert p.returncode == 130
    assert b"3 of 12 cells are kept in results/made.part.csv; run again to go on" in err
    assert [f.name for f in part.parent.iterdir()] == ["made.part.csv"]
    rows.unlink()
    rows.write_text("".join(f"{i % 2} {1 + i % 3}:0.5 {4 + i % 5}:{i}\n" for i in range(30)))
    assert "3 of 12 cells are there" in fx(*command).talk
    fx(*command, "-o", "whole")
    assert table(fx.directory / "results/made.csv") == table(fx.directory / "whole/made.csv")


def test_cut_off(fx, recipe):
    fx("reproduce", recipe(), "--no-plot", "-q")
    out = fx.directory / "results"
    whole = table(out / "made.csv")
    head = (out / "made.csv").read_text().splitlines()[0]
    (out / "made.csv").unlink()
    for cut in ("\n\n".join([f"{head}\n{whole[0]}\n{whole[1]}", *whole[2:4], whole[4][:-9]]),
                "\n\n".join([f"{head}\n{whole[0]}\n{whole[1]}", *whole[2:5]]) + "\n",
                f"{head}\n{whole[0]}\n{whole[1]}\n\n{whole[2]}\n\n{whole[3]}\n\nrubbish\n\n"):
        (out / "made.part.csv").write_text(cut)
        talk = fx("reproduce", recipe(), "--no-plot").talk
        assert "made.part.csv: 3 of 12 cells are there" in talk
        assert table(out / "made.csv") == whole and not (out / "made.part.csv").exists()
        (out / "made.csv").unlink()
    by = head.index(", by ") + 5
    (out / "made.part.csv").write_text(
        f"{head[:by]}A\n{whole[0]}\n{whole[1]}\n\n# by B\n{whole[2]}\n\n# by C\n{whole[3]}\n")
    fx("reproduce", recipe(), "--no-plot")
    assert f"by A; then B; then {head[by:]}\n" in (out / "made.csv").read_text()
    assert table(out / "made.csv") == whole
    (out / "made.csv").unlink()
    (out / "made.part.csv").write_text(head[:30])       # not even the head is there
    fx("reproduce", recipe(), "--no-plot")
    (out / "made.csv").write_text("\n".join([head, *whole[:-1]]) + "\n")
    assert "only 11 of 12 cells can be read" in fx("reproduce", recipe(), status=2).talk


def test_another_recipe(fx, recipe):
    (fx.directory / "results").mkdir()
    part = fx.directory / "results/made.part.csv"
    other = "# featcross reproduce made, recipe 00000000, full, seeds 1 to 3, by nobody\n1,2\n"
    for content, said in ((other, "holds another run: featcross reproduce made, recipe 00000000"),
                          ("1,2\n", "was not written by featcross reproduce")):
        part.write_text(content)
        talk = fx("reproduce", recipe(), "--no-plot", status=2).talk
        assert said in talk and "--restart" in talk and part.read_text() == content
    fx("reproduce", recipe(), "--no-plot", "--restart")
    assert not part.exists()


# ---- What goes wrong --------------------------------------------------------------------------
def test_nothing_is_there(fx, recipe):
    text = with_old((f"{DATA}           anova:order=2  explicit", "phishing anova:order=2  explicit"))
    assert "--data no/where: No such file" in fx("reproduce", recipe(text), "--data", "no/where",
                                                 status=2).talk
    assert "phishing/phishing" in fx("reproduce", recipe(text), "--data", ".", status=2).talk
    assert "no/dir: No such file" in fx("reproduce", recipe(), "-o", "no/dir", status=2).talk
    assert "nowhere.recipe: No such file" in fx("reproduce", "nowhere.recipe", status=2).talk
    (fx.directory / "bin").mkdir()
    path = {"PATH": str(fx.directory / "bin")}
    talk = fx("reproduce", recipe(), env=path, status=2).talk
    assert "gnuplot: No such file" in talk and "--no-plot" in talk
    assert not list(fx.directory.glob("results/*"))
    fake = fx.directory / "bin/gnuplot"
    fake.write_text("#!/bin/sh\n")                      # it says that all went well
    fake.chmod(0o755)
    talk = fx("reproduce", recipe(), env=path, status=2).talk
    assert "could not draw results/made.svg" in talk and "is the disk full?" in talk
    assert not list(fx.directory.glob("results/*.svg")) and not list(fx.directory.glob("results/*.md"))


def test_unwritable(fx, recipe):
    assert "/proc/made.part.csv: " in fx("reproduce", recipe(), "-o", "/proc", "--no-plot", status=2).talk


def test_output_is_taken(fx, recipe):
    (fx.directory / "file").write_text("")
    (fx.directory / "results/made.md").mkdir(parents=True)
    assert "file: Not a directory" in fx("reproduce", recipe(), "-o", "file", "--no-plot", status=2).talk
    assert "results/made.md: Is a directory" in fx("reproduce", recipe(), "--no-plot", status=2).talk
    assert not list(fx.directory.glob("results/*.csv"))


def test_disk_full(fx, recipe):
    done = subprocess.run(
        [PROGRAM, "reproduce", recipe(), "--no-plot", "-q"], cwd=fx.directory, stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500)))
    said = re.search(rb"(\d+) of 12 cells are kept in results/made.part.csv", done.stderr)
    assert done.returncode == 2 and said and b"made.part.csv: File too large" in done.stderr
    talk = fx("reproduce", recipe(), "--no-plot").talk
    assert f"{said[1].decode()} of 12 cells are there" in talk
    assert int(said[1]) > 2 and len(table(fx.directory / "results/made.csv")) == 13


def test_paper_below(fx, recipe):
    """Above the paper's figure is no fault for `below`, and one without it."""
    low = ("8     0.1", "8     1e-9")
    for check, status in (("mae paper below 1e-6", 0), ("mae paper 1e-6", 1)):
        text = with_old(low, ("mae ratio 0.9 exact of rough", check))
        fx("reproduce", recipe(text), "--quick", "--no-plot", "--restart", status=status)
    high = ("8     0.1", "8     1e9")
    text = with_old(high, ("mae ratio 0.9 exact of rough", "mae paper below 1"))
    r = fx("reproduce", recipe(text), "--quick", "--no-plot", "--restart", status=1)
    assert "0 of 1 means are no more than 1 below the paper's" in r.text
