# SPDX-License-Identifier: BSD-3-Clause
"""Options, help, the man page: all from the same tables.

Covers: cli/main.c, cli/options/opt.c, cli/options/common_options.c, cli/commands/help.c,
cli/commands/help_lines.c, cli/options/spec_keys.c, cli/models/model_table.c"""

import ctypes
import itertools
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, SLOW

COMMANDS = re.findall(r"^COMMAND\((\w+)\)", (ROOT / "cli/commands/commands.def").read_text(), re.M)


def options(help_text):
    return set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", help_text, re.M))


def test_no_command(fx):
    assert "Usage: featcross" in fx(status=2).talk


def test_help_of_the_tables(fx):
    """Keys with defaults and choices; keys that must be given; keys of a line above, named once."""
    text = " ".join(fx("train", "--help").text.split())
    for line in ("svm hinge loss: C=1, penalty=l2, ", "svm-l2 squared hinge loss: C=1, penalty=l2|l1,",
                 "no labels: k= ", "factors for each order: order=3, others as fm ",
                 "anova sum over sets of `order` features of prod x_j y_j: order=2 "):
        assert line in text


@pytest.mark.parametrize("args", [["-h"], ["--help"], ["help"]])
def test_program_help(fx, args):
    text = fx(*args).text
    assert re.findall(r"^  (\w+) ", text, re.M) == COMMANDS and "train" in COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_command_help(fx, command):
    text = fx(command, "--help").text
    assert text == fx(command, "-h").text == fx("help", command).text
    assert text.startswith(f"Usage: featcross {command} ")
    assert {"json", "quiet", "verbose", "seed", "threads", "max-memory", "help"} <= options(text)
    assert "Examples:" in text
    assert max(map(len, text.splitlines())) <= 80


def test_man_page_has_everything(fx):
    page = fx("help", "--man").text.replace("\\-", "-")
    for section in ["NAME", "SYNOPSIS", "COMMANDS", "SPEC STRINGS", "EXIT STATUS", "ENVIRONMENT"]:
        assert f".SH {section}" in page
    assert "FX_TARGET" in page
    for command in COMMANDS:
        assert f".SS featcross {command}" in page
        for option in options(fx(command, "--help").text):
            assert f"--{option}\\fR" in page
    table = fx("gram", "-h").text.split("Kernels")[1]
    kernels = re.findall(r"^  ([a-z-]+)(?::\S+)?  +\S", table, re.M)
    assert {"linear", "poly", "anova", "all-subsets", "itemset", "rbf"} <= set(kernels)
    maps = re.findall(r"^  ([a-z-]+)  +\S", fx("map", "-h").text.split("Maps")[1], re.M)
    assert {"rk", "rm", "ts", "rff", "jl", "sparse-jl", "explicit"} <= set(maps)
    for k in kernels + maps:
        assert re.search(rf"^{k}(:|$)", page, re.M)


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_man_page_is_clean(fx):
    page = fx("help", "--man").out
    said = subprocess.run(["mandoc", "-Tlint", "-W", "warning"], input=page, capture_output=True,
                          text=False).stdout.decode().splitlines()
    # The page is made from tables at build time: a date would change with every build.
    assert [line for line in said if "missing date" not in line] == []


# ---- Options that belong to keys of models, against the table that help ends with -----------------
def entries(help_text, title, width):
    """{name: text} of a section of help: names stand in front, texts at `width` and below."""
    part = re.search(rf"^{title}[^\n]*:\n(.*?)\n(?:\n|$)", help_text, re.M | re.S)[1]
    found = re.findall(rf"^  (?=\S| {{4}}--)(.*(?:\n {{{width}}}.*)*)", part, re.M)
    return {re.split(r"[ ]", e.strip())[0].rstrip(","): " ".join(e.split()[1:]) for e in found}


@pytest.fixture
def models(fx):
    """{model: {key: its values, the default first}}"""
    out = {}
    for name, text in entries(fx("train", "-h").text, "Models", 19).items():
        like = re.search(r"(?:keys|others) as ([\w-]+)$", text)
        own = {k: v.split("|") for k, v in re.findall(r"([\w-]+)=([^\s,]*)", text)}
        out[name] = own | (out[like[1]] if like else {})
    assert len(out) > 15 and out["hofm"]["order"] == ["3"] and out["svm-l2"]["C"] == ["1"]
    return out


def key_options(fx):
    text = fx("train", "-h").text
    for title in ("Training options", "Factorization machines"):
        for name, help_text in entries(text, title, 20).items():
            yield name.lstrip("-"), help_text


def leading(help_text, models):
    """The models that a text begins with: `svr, kernel-svr: ..`"""
    names = re.match(r"(?:\S*[^\s,] )?((?:[\w-]+, )*[\w-]+): ", help_text)
    names = set(names[1].split(", ")) if names else set()
    return names if names & set(models) else None


def test_options_agree_with_keys(fx, models):
    checked = 0
    for option, text in key_options(fx):
        having = {m: keys[option] for m, keys in models.items() if option in keys}
        if not having:
            continue
        checked += 1
        argument, _, said = text.partition(" ")
        if leading(text, models):
            assert leading(text, models) == set(having), option
        for m in set(re.findall(r"[\w-]+", said)) & set(models):
            assert m in having or option == "loss", f"--{option} speaks of {m}, which has no such key"
        if option in ("calibrate", "task", "loss"):     # a flag; their own defaults
            continue
        for value in having.values():
            assert re.search(rf"(?<![\w.]){re.escape(value[0])}(?![\w.])", text), (option, value[0])
            assert len(value) == 1 or set(value) <= set(argument.split("|")), option
    assert checked > 15


def test_options_without_keys_name_their_models(fx, put, models):
    put("x.svm", "1 1:1\n-1 2:1\n")
    for option, text in key_options(fx):
        if option in ("cache", "groups", "cross"):
            talk = fx("train", "x.svm", "--model", "ridge", f"--{option}", "1M", status=2).talk
            names = re.search(r"is for (.*); ridge does not take it", talk)[1]
            assert set(re.split(", | and ", names)) == leading(text, models)


# ---- Options that list what the library's tables have ---------------------------------------------
LISTS = {"fx_data_reader_format": ({"format", "input-format"}, {"auto", "tsv"}),    # tsv: csv with tabs
         "fx_data_write_format": ({"to", "output-format"}, {"libfm", "fm"}),        # models' formats
         "fx_data_scale_name": ({"scale"}, {"auto"})}
SOME = {("map", "to"), ("gram", "to"), ("gram", "output-format"),       # not all formats suit them, ..
        ("discover", "scale")}          # .. and others change what 0 and 1 mean
OTHER = {("predict", "format"), ("recommend", "format")}               # of what they print, not of rows


@pytest.mark.skipif(SLOW > 1, reason="Python cannot load a library with a sanitizer")
@pytest.mark.parametrize("table", LISTS)
def test_choices_agree_with_the_tables(fx, program, table):
    line = getattr(ctypes.CDLL(str(pathlib.Path(program).parent / "libfeatcross.so")), table)
    line.argtypes, line.restype = [ctypes.c_size_t], ctypes.c_char_p
    names = {n.decode() for n in itertools.takewhile(bool, map(line, range(99)))}
    options, more = LISTS[table]
    checked = 0
    for command in COMMANDS:
        for option, choices in re.findall(r"^ +(?:-\w, )?--([a-z-]+) (\S+\|\S+)", fx(command, "-h").text, re.M):
            if option in options and (command, option) not in OTHER:
                choices = set(choices.split("|"))
                assert choices <= names | more, (command, option)
                assert names <= choices or (command, option) in SOME, (command, option)
                checked += 1
    assert checked > 3


def test_levels(fx, put):
    put("x.svm", "1 1:1\n")
    for args in (["-v"], ["-v1"], ["-v", "2"], ["-vv"], ["-vvvvv"], ["--verbose"], ["--verbose=3"],
                 ["--verbose", "1"], ["-v", "0", "-v"]):
        assert "seconds: " in fx("gram", *args, "x.svm", "-k", "linear").talk
    for args in ([], ["-v", "0"], ["-v0"], ["-vv", "-v", "0"]):
        assert "seconds: " not in fx("gram", "x.svm", "-k", "linear", *args).talk
    assert "from 0 to 3" in fx("info", "x.svm", "-v", "4", status=2).talk
    assert "from 0 to 3" in fx("info", "x.svm", "--verbose=some", status=2).talk


def test_seed_fits_json(fx):
    seed = 2 ** 63 - 1
    assert fx("make", "pairs", "-n", "9", "--seed", seed, "-o", "p.svm", "--json").json["seed"] == seed
    assert "--seed" in fx("make", "pairs", "-n", "9", "--seed", seed + 1, status=2).talk


def test_version(fx):
    text = fx("--version").text
    assert re.match(r"featcross \d+\.\d+\.\d+\n", text)
    for word in ["instruction set", "threads", "compiled with", "zlib", "liblzma", "libzstd", "libbz2", "jansson"]:
        assert word in text


def test_target_is_forced(fx, put):
    assert re.search(r"instruction set +scalar", fx("--version", env={"FX_TARGET": "scalar"}).text)


@pytest.mark.parametrize("args, near", [
    (["grma"], "gram"), (["inf"], "info"), (["gram", "--kernl", "linear"], "--kernel"),
    (["info", "--jsno", "x"], "--json"), (["info", "--thread", "2", "x"], "--threads")])
def test_suggestions(fx, args, near):
    talk = fx(*args, status=2).talk
    assert talk.startswith("featcross: ") and re.search(rf"HINT: did you mean .*{near}\?", talk)


TABLE = "age,city,weight,bought\n1,Paris,1,yes\n2,Rome,1,no\n3,Paris,2,yes\n4,Rome,1,no\n"


@pytest.mark.parametrize("args, near", [
    (["--model", "logistc"], "logistic"), (["--model", "fm:rnak=2"], "rank"),
    (["--model", "fm", "--solver", "adagard"], "adagrad"), (["--kernel", "anvoa"], "anova"),
    (["--kernel", "all-subsets", "--map", "sparsejl"], "sparse-jl"),
    (["--scale", "max-abs"], "maxabs"), (["--task", "clasify"], "classify"),
    (["--label", "Bought"], "bought"), (["--label", "bougth"], "bought"),
    (["--label", "bought", "--cat", "ctiy"], "city"),
    (["--label", "bought", "--weight-column", "wieght"], "weight"),
    (["--label", "bought", "--cat", "city", "--model", "kernel-svm", "--kernel",
      "itemset:file=sets.txt"], "city=Paris")])
def test_suggested_names(fx, put, args, near):
    put("t.csv", TABLE)
    put("sets.txt", "age city=Pairs\n")
    talk = fx("train", "t.csv", *args, status=2).talk
    assert f"; did you mean '{near}'?\n" in talk


@pytest.mark.parametrize("args", [["make", "partiy"], ["bench", "gramm"], ["reproduce", "itemset-tabel1"],
                                  ["compare", "t.csv", "--methods", "linaer"]])
def test_suggested_operands(fx, put, args):
    put("t.csv", TABLE)
    assert "did you mean" in fx(*args, status=2).talk


@pytest.mark.parametrize("args", [
    ["qqqqqqqq"], ["info", "--qqqqqqqq"], ["info", "-Z", "x"], ["info"], ["info", "a", "b"],
    ["info", "x", "--format"], ["info", "x", "--format", "xml"], ["info", "x", "--json=yes"],
    ["gram", "x"], ["make", "triples", "-n"], ["bench", "nothing"], ["map"], ["bound"],
    ["bound", "--eps", "0"], ["bound", "--eps", "x"], ["bound", "--eps", "inf"],
    ["bound", "--eps", "0.1", "--delta", "1"], ["bound", "--eps", "0.1", "-D", "9"],
    ["bound", "--curve"], ["bound", "x", "--eps", "0.1", "--plot", "p.png"]])
def test_bad_usage(fx, args):
    talk = fx(*args, status=2).talk
    assert talk.startswith("featcross: ")


@pytest.mark.parametrize("value", ["-1", "1025", "99999999999999999999", "two", "", "1.5"])
def test_threads_out_of_range(fx, put, value):
    put("x.svm", "1 1:1\n")
    assert f"--threads {value}" in fx("info", "x.svm", "--threads", value, status=2).talk


@pytest.mark.parametrize("value", ["-5", "0", "lots", "5X", "1e30G", "%"])
def test_sizes_out_of_range(fx, put, value):
    put("x.svm", "1 1:1\n")
    assert "--max-memory" in fx("info", "x.svm", "--max-memory", value, status=2).talk


@pytest.mark.parametrize("value", ["1000000", "64K", "64KiB", "1.5G", "2g", "80%", "1T",
                                   "5000000B"])
def test_sizes(fx, put, value):
    put("x.svm", "1 1:1\n")
    fx("info", "x.svm", "--max-memory", value)


def test_spellings_are_equal(fx, put):
    put("x.svm", "1 1:1\n-1 2:1\n")
    want = fx("gram", "x.svm", "--kernel", "anova:order=1", "-q").out
    for args in (["-qk", "anova:order=1", "x.svm"], ["--kernel=anova:order=1", "-q", "--", "x.svm"],
                 ["-q", "-kanova:order=1", "x.svm"], ["x.svm", "--quiet", "-k", "anova:order=1"]):
        assert fx("gram", *args).out == want


def test_quiet_says_nothing(fx, put, tmp_path):
    put("x.svm", "1 1:1\n\n-1 2:1\n")
    for args in (["gram", "x.svm", "-k", "linear", "-o", "k.npy"], ["info", "x.svm", "--json"],
                 ["convert", "x.svm", "y.csv"], ["make", "pairs", "-n", "20", "-o", "p.svm"]):
        assert fx(*args, "-q").err == b""
    assert not [p for p in tmp_path.iterdir() if p.name not in
                {"x.svm", "k.npy", "y.csv", "p.svm"}]


def test_stdout_failure_is_an_error(program):
    for args in (["--help"], ["--version"], ["info", "--help"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program, *args], stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 2 and b"No space left" in done.stderr


@pytest.mark.parametrize("command", ["train", "tune"])
def test_quiet_leaves_results_and_warnings(fx, put, command):
    """-q: nothing on stdout but what was asked for, and no warning is hidden."""
    put("x.svm", "1 1:1\n-1 2:1\n" * 20)
    r = fx(command, "x.svm", "--model", "svm", "-o", "m.fx", "-q")
    assert not r.out and not r.err
    assert fx(command, "x.svm", "--model", "svm", "-o", "m.fx", "-q", "--json").json
    r = fx("predict", "m.fx", "-", "-q", stdin=b"1 1:1 7:1\n")
    assert r.text == "1\n" and r.talk.startswith("WARNING: ") and "never saw" in r.talk
    assert "accuracy" in fx("evaluate", "m.fx", "x.svm", "-q").text
