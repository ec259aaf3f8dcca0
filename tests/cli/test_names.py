# SPDX-License-Identifier: BSD-3-Clause
"""Names of files, columns and classes run nothing, and a terminal sees no control characters.

Covers: cli/terminal/safe_text.c, cli/terminal/say.c, cli/figures/plot.c"""

import json
import os
import pty
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")

# Each would leave a file `canary` behind if gnuplot or a shell took it for more than a name.
PICTURES = ["<touch canary;.svg", "|touch canary;.svg", "-x.svg", "$x.svg", "~x.svg", "@x.svg", "'x.svg",
            "it's; system('touch canary').svg", "`touch canary`.svg", "$(touch canary).svg", "a\\nb%g.svg",
            "two\nlines.svg", "x'\nsystem('touch canary')\n'.svg", "{Bold x}_{i}^2&~.svg", "\x1b[31m.svg",
            '"\\".system("touch canary").".svg', "<touch canary;.png", "two\nlines.png"]
# Shown as they are, or with \x and \u for what is no text.
LABELS = {"50%g": "50%g", "a_{b}^c": "a_{b}^c", "it's": "it's", "back\\nslash": "back\\nslash",
          "`touch canary`": "`touch canary`", "$(touch canary)": "$(touch canary)", "@x&~y": "@x&~y",
          "<|touch canary": "<|touch canary", "\x1b[31mred": "\\x1b[31mred", "été 日本": "été 日本",
          "\u202eabc": "\\u202eabc", "\x9bC1": "\\u009bC1"}


def texts(path):
    return ["".join(e.itertext()) for e in xml.etree.ElementTree.parse(path).iter()
            if e.tag.endswith("text")]


def drawn(directory, name):
    """The picture is there, whole, and no other program ran."""
    content = (directory / name).read_bytes()
    assert not (directory / "canary").exists()
    assert content.startswith(b"\x89PNG") if name.endswith("png") else content.rstrip().endswith(b"</svg>")


@needs_gnuplot
@pytest.mark.parametrize("name", PICTURES)
def test_a_name_of_a_picture_is_only_a_name(fx, put, tmp_path, name):
    put("x.svm", "1 1:1\n2 2:1\n")
    fx("gram", "x.svm", "-k", "linear", f"--plot={name}")
    drawn(tmp_path, name)
    assert sorted(os.listdir(tmp_path)) == sorted(["x.svm", name, f"{name}.data", f"{name}.gnuplot"])
    (tmp_path / name).unlink()          # and the script draws it again
    subprocess.run(["gnuplot", f"./{name}.gnuplot"], cwd=tmp_path, check=True)
    drawn(tmp_path, name)


@needs_gnuplot
def test_a_directory_of_a_picture_is_only_a_name(fx, put, tmp_path):
    put("x.svm", "1 1:1\n2 2:1\n")
    for name in ("<touch canary;", "it's\ntwo"):
        (tmp_path / name).mkdir()
        fx("gram", "x.svm", "-k", "linear", f"--plot={name}/p.svg")
        drawn(tmp_path, f"{name}/p.svg")


@needs_gnuplot
@pytest.mark.parametrize("end", ["svg", "png"])
def test_labels_in_a_picture(fx, put, tmp_path, end):
    for labels in (list(LABELS)[:6], list(LABELS)[6:]):
        put("x.csv", "y,a\n" + "".join('"%s",%d\n' % (l, i + 1) for i, l in enumerate(labels)))
        fx("gram", "x.csv", "--label", "y", "-k", "linear", "--plot", f"p.{end}")
        drawn(tmp_path, f"p.{end}")
        if end == "svg":
            shown = texts(tmp_path / "p.svg")
            assert all(any(LABELS[l] == t.strip() for t in shown) for l in labels), shown


@needs_gnuplot
def test_titles_in_pictures(fx, put, pairs, tmp_path):
    """A file's name is in the title of bound's and compare's pictures, a kernel's in gram's."""
    odd = "`touch canary` %d 'x' {Bold y}_z\x1b[31m\n$(touch canary).svm"
    shown = "`touch canary` %d 'x' {Bold y}_z\\x1b[31m\\x0a$(touch canary).svm"
    (tmp_path / odd).write_bytes((tmp_path / pairs[0]).read_bytes())
    fx("bound", odd, "--curve", "--seeds", "1", "--pairs", "50", "--plot", "b.svg")
    fx("compare", odd, "--methods", "linear", "--rows", "100", "--plot", "c.svg", "-q")
    for name in ("b.svg", "c.svg"):
        drawn(tmp_path, name)
        assert shown.replace(" ", "") in "".join(texts(tmp_path / name)).replace(" ", "").replace("\xa0", "")
    family = "s'`touch canary`\n;x.txt"
    put(family, "1 2\n")
    fx("gram", pairs[0], "-k", f"itemset:file={family}", "--plot", "g.svg")
    drawn(tmp_path, "g.svg")


@needs_gnuplot
def test_names_in_a_recipe(fx, put, tmp_path):
    series = "`touch_canary`'x'%g$(touch_canary)"
    put("x.recipe", "title `touch canary` 'x' %g\x1b[31m\npaper none\nmeasure error\nseeds 1\nset rows=20\n"
        "plot y=mae x=D\ntable series D mae\ncases\nseries data kernel map D\n"
        f"{series} make:kind=dense-positive,n=40,d=6 anova:order=2 rk 8|16\n")
    fx("reproduce", "./x.recipe", "-o", ".")
    drawn(tmp_path, "x.svg")
    assert {"`touch canary` 'x' %g\\x1b[31m", series.replace("_", " ")} <= {t.strip() for t in texts(tmp_path / "x.svg")}


# ---- Terminals ----------------------------------------------------------------------------------
EVIL = "\x1b]0;owned\x07\x9b31m\u202e"
SAFE = "\\x1b]0;owned\\x07\\u009b31m\\u202e"


@pytest.fixture
def evil(fx, put):
    """A model of columns and classes with odd names, and its data in a file with one."""
    lines = ["y,é%s,b\n" % EVIL] + ["%s,%d,%d\n" % (("no", "yes" + EVIL)[i % 2], i % 2, i % 3) for i in range(40)]
    name = f"x{EVIL}.csv"
    put(name, "".join(lines))
    fx("train", name, "--label", "y", "-o", "m.fx", "--model", "logistic")
    return name


def is_safe(r):
    for shown in (r.out, r.err):
        shown.decode()                  # valid UTF-8
        assert not [c for c in shown.decode() if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c == "\u202e"]


def test_reports_are_safe(fx, evil):
    for args in (["info", evil, "--label", "y"], ["info", "m.fx"], ["explain", "m.fx", evil, "--row", "1"],
                 ["evaluate", "m.fx", evil], ["train", evil, "--label", "y", "-o", "m2.fx", "--model", "svm"],
                 ["compare", evil, "--label", "y", "--methods", "linear"],
                 ["compare", evil, "--label", "y", "--methods", "linear", "--csv", "-"],
                 ["tune", evil, "--label", "y", "--order", "1", "-C", "1", "-o", "m3.fx"]):
        r = fx(*args)
        is_safe(r)
        assert SAFE in r.text + r.talk
    assert f"é{SAFE}" in fx("explain", "m.fx").text      # text stays as it is


def test_messages_are_safe(fx, put, evil):
    for args in ([f"in{EVIL}"], ["info", EVIL], ["info", f"--{EVIL}"], ["gram", evil, "-k", EVIL],
                 ["info", evil, "--label", EVIL], ["train", evil, "-o", f"{EVIL}/m.fx"],
                 ["train", evil, "--label", "y", "--model", EVIL], ["convert", evil, f"{EVIL}.gz"]):
        r = fx(*args, status=2)
        is_safe(r)
        assert "owned" in r.talk and r.talk.count("\n") <= 3
    put("b.svm", b"1 1:1\n1 \xff\x1b:1\n")
    r = fx("info", "b.svm", status=2)
    is_safe(r)


def test_a_name_makes_no_line(fx, put):
    put("a\nfeatcross: all is well", "1 1:1\n")
    r = fx("convert", "a\nfeatcross: all is well", "x.csv")
    assert "a\\x0afeatcross: all is well" in r.talk


def test_json_has_exact_names(fx, evil):
    r = fx("info", evil, "--label", "y", "--json")
    is_safe(r)
    assert r.json["file"] == evil
    names = {f for c in fx("explain", "m.fx", "--json").json["combinations"] for f in c["features"]}
    assert f"é{EVIL}" in names


def test_advice_can_be_copied(fx, evil):
    advice = fx("compare", evil, "--label", "y", "--methods", "linear", "--json").json["advice"]
    words = advice[advice.index("featcross train"):].split("\n")[0]
    done = subprocess.run(["bash", "-c", f"printf '%s\\n' {words}"], capture_output=True, check=True)
    assert evil in done.stdout.decode().split("\n")


def test_predictions_are_exact_but_on_a_terminal(program, fx, evil):
    exact = fx("predict", "m.fx", evil).out.decode()
    assert f"yes{EVIL}\n" in exact
    fx("predict", "m.fx", evil, "-o", "p.txt")
    assert (fx.directory / "p.txt").read_text() == exact
    ours, theirs = pty.openpty()
    p = subprocess.Popen([program, "predict", "m.fx", evil], cwd=fx.directory, stdout=theirs,
                         stderr=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:                     # the other end is closed
        pass
    os.close(ours)
    assert p.wait() == 0
    assert seen.decode().replace("\r\n", "\n") == exact.replace(EVIL, SAFE)


def test_jsonl_is_json(fx, evil):
    r = fx("predict", "m.fx", evil, "--format", "jsonl")
    assert f"yes{EVIL}" in {json.loads(l)["label"] for l in r.text.splitlines()}
