# SPDX-License-Identifier: BSD-3-Clause
"""What the documents say is run: every >>> of doc/python.md, every Python example beside its output.

Covers: __main__.py
"""
import doctest
import importlib.util
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from estimators import CLASSES
from test_checks import EXPECTED

EXAMPLES = ["cluster", "recommend", "service", "signs", "tabular", "text"]


def test_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)         # it writes a model
    page = (ROOT / "doc" / "python.md").read_text(encoding="utf-8")
    if not all(map(importlib.util.find_spec, ("polars", "duckdb"))):
        before, title, rest = page.partition("## Arrow tables and Parquet\n")
        assert title
        page = before + rest[rest.index("\n## "):]
    copy = tmp_path / "python.md"
    copy.write_text(page, encoding="utf-8")
    failed, attempted = doctest.testfile(str(copy), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert attempted >= 25


def test_selftest():
    for command, last in (("version", "featcross "), ("selftest", "all passed in ")):
        done = subprocess.run([sys.executable, "-m", "featcross", command], capture_output=True,
                              text=True, timeout=300)
        assert done.returncode == 0 and done.stderr == ""
        assert done.stdout.splitlines()[-1].startswith(last)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples" / f"{name}.py"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    assert done.stdout == (ROOT / "examples" / f"{name}.out").read_text(encoding="utf-8")
    assert done.returncode == 0


@pytest.mark.parametrize("kind", CLASSES)
def test_page_names_every_estimator(kind):
    """Classifier, regressor and ranker may stand on one line, the others as `..Regressor`."""
    page = (ROOT / "doc" / "python.md").read_text(encoding="utf-8")
    assert re.search(rf"`{re.sub('(Classifier|Regressor|Ranker)$', '', kind.__name__)}", page)


def test_page_names_every_check_that_fails():
    page = (ROOT / "doc" / "python.md").read_text(encoding="utf-8")
    section = page.partition("## scikit-learn's checks\n")[2].partition("\n## ")[0]
    for name, check in EXPECTED:
        assert f"`{name}`" in section, (name, check)
