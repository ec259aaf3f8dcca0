# SPDX-License-Identifier: BSD-3-Clause
"""featcross help --bash, --zsh, --fish: what shells complete comes from the tables of options.

Covers: cli/commands/completion.c"""

import re
import shutil
import subprocess

import pytest


@pytest.fixture
def complete(fx):
    """What bash offers for the last word."""
    script = fx.directory / "featcross.bash"
    script.write_bytes(fx("help", "--bash").out)

    def ask(*words):
        quoted = " ".join(f"'{w}'" for w in words)
        done = subprocess.run(
            ["bash", "-c", f". ./featcross.bash; COMP_WORDS=(featcross {quoted}); "
             f"COMP_CWORD={len(words)}; _featcross; printf '%s\\n' \"${{COMPREPLY[@]}}\"; "
             "complete -p featcross"], cwd=fx.directory, capture_output=True, text=True, check=True)
        *found, registered = done.stdout.splitlines()
        assert registered == "complete -o default -F _featcross featcross" and not done.stderr
        return [w for w in found if w]

    return ask


def test_bash(fx, complete):
    assert complete("t") == ["train", "tune"]
    assert set(complete("")) > {"train", "predict", "help"} and "train" in complete("help", "")
    assert complete("train", "--model", "kernel-s") == ["kernel-svm", "kernel-svr"]
    assert complete("train", "x.svm", "--model", "=", "ridg") == ["ridge"]
    assert complete("train", "x.svm", "--model", "=")[0] == "svm"
    assert complete("predict", "m.fx", "--format", "") == ["text", "csv", "jsonl", "npy"]
    assert complete("map", "x", "--map", "r") == ["rk", "rm", "rff"]
    assert complete("train", "-k", "anova") == ["anova", "anova-upto"]
    assert complete("train", "--metric", "f1-ma") == ["f1-macro"]
    scales = complete("train", "--scale", "")
    assert sorted(scales) == sorted(set(scales)) and {"maxabs", "auto"} <= set(scales)
    assert "auto" in complete("train", "--kernel", "") and complete("train", "--kernel", "SP") == []
    assert complete("explain", "m.fx", "--by", "") == ["weight", "importance"]
    assert complete("make", "pai") == ["pairs"]
    assert complete("explain", "m.fx", "--ro") == ["--row"]
    assert complete("train", "-o", "") == complete("train", "x") == []          # files


def options_of(fx, command):
    return set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", fx(command, "--help").text, re.M))


@pytest.mark.parametrize("command", ["train", "predict", "explain", "make", "gram"])
def test_every_option_is_offered(fx, complete, command):
    offered = {w[2:] for w in complete(command, "--")}
    assert offered == options_of(fx, command)
    assert offered == set(re.findall(rf"_from {command}' -l ([a-z0-9-]+)", fx("help", "--fish").text))
    part = fx("help", "--zsh").text.split(f"\n    {command}) ")[1].split(";;")[0]
    assert offered == set(re.findall(r"'--([a-z0-9-]+)[=\[]", part))


def test_descriptions_are_whole_words(fx):
    """They begin the texts of --help."""
    page = " ".join(fx("train", "--help").text.split()).replace(":", ",")
    described = re.findall(r"_from train' -l ([a-z0-9-]+).* -d '((?:[^'\\]|\\.)*)'$",
                           fx("help", "--fish").text, re.M)
    assert len(described) > 60
    for option, text in described:
        text = text.replace("\\", "")
        assert len(text) > 8 and re.search(re.escape(text) + r"(?![\w-])", page), (option, text)
        assert "see below" not in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_syntax(fx, shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (fx.directory / "script").write_bytes(fx("help", f"--{shell}").out)
    done = subprocess.run([shell, "-n", "script"], cwd=fx.directory, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish(fx):
    (fx.directory / "script").write_bytes(fx("help", "--fish").out)

    def ask(line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source script; complete -C '{line}'"],
                              cwd=fx.directory, capture_output=True, text=True, check=True)
        assert not done.stderr
        return [w.split("\t")[0] for w in done.stdout.splitlines()]

    assert ask("featcross tr") == ["train"]
    assert set(ask("featcross train --model kernel-s")) == {"kernel-svm", "kernel-svr"}
    assert "--top" in ask("featcross explain --to")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh(fx):
    """What the script passes to zsh's own functions, which are replaced here."""
    (fx.directory / "script").write_bytes(fx("help", "--zsh").out)

    def ask(*words):
        quoted = " ".join(words)
        done = subprocess.run(
            ["zsh", "-fc", "_arguments() { shift; print -rl -- \"$@\" }; _describe() { "
             f"print -rl -- \"${{(@P)2}}\" }}; words=(featcross {quoted}); "
             f"CURRENT={len(words) + 1}; . ./script"],
            cwd=fx.directory, capture_output=True, text=True, check=True)
        assert not done.stderr
        return done.stdout.splitlines()

    assert "evaluate:measure a model on labelled rows" in ask("''")
    assert any(line.startswith("convert:") and "libFM's" in line for line in ask("''"))
    train = ask("train", "''")
    assert all(re.fullmatch(r"--?[\w-]+[=+]?\[[^][]+\](:[\w-]+:.*)?|\*:file:_files", a) for a in train)
    model = next(a for a in train if a.startswith("--model="))
    assert model.startswith("--model=[model to fit]:model:(svm svm-l2 ")
    assert [a for a in train if a.startswith("-o+[")][0].endswith(":output:_files")
    assert "1:kind:(pairs triples parity fields dense-positive)" in ask("make", "''")
