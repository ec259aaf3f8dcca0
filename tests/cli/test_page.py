# SPDX-License-Identifier: BSD-3-Clause
"""Pages and pictures of recipes.

Covers: cli/reproduce/page.c, cli/reproduce/page_figure.c, cli/figures/figure.c,
cli/figures/figure_axis.c, cli/figures/figure_look.c, cli/terminal/strbuf.c"""

import re
import shutil
import subprocess

import numpy as np
import pytest

RECIPE = """\
title    Errors on made-up rows
paper    Nobody, nowhere.
text     What is done.
measure  error
seeds    2
set      rows=20
plot     y=mae x=D log-x log-y xlabel=features_D ylabel=error
table    panel series D mae paper_mae
note     It is made up.
cases
panel   series  data                              kernel         map       D     paper_mae  paper_mae_sd
it's_1  a_<b>   make:kind=dense-positive,n=40,d=6 anova:order=2  rk        8|16  0.5|0.25   0.1|-
it's_2  a_<b>   make:kind=dense-positive,n=40,d=6 anova:order=3  rk        8|16  -          -
"""


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_page_and_picture(fx, put, tmp_path):
    put("made.recipe", RECIPE)
    fx("reproduce", "./made.recipe", "-o", ".")
    page = (tmp_path / "made.md").read_text()
    assert page.startswith("# Errors on made-up rows\n\nNobody, nowhere.\n\nWhat is done.\n")
    assert page.isascii() and "](made.svg)" in page and "It is made up." in page
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert rows[0] == "| panel | series | D | mae | paper |" and len(rows) == 5
    assert re.fullmatch(r"\| it's 1 \| a \\<b> \| 8 \| \S+ \+- \S+ \| 0\.5 \+- 0\.1 \|", rows[1])
    assert rows[2].endswith("| 0.25 |")
    assert "reproduce" in page and "seeds 1 to 2" in page
    picture = (tmp_path / "made.svg").read_text()
    for name in ("it's 1", "it's 2", "a &lt;b", "features D", "hollow: the paper"):
        assert name in picture
    shown = np.loadtxt(tmp_path / "made.svg.data", ndmin=2)
    assert list(shown[2:4, 1]) == [0.5, 0.25]           # after ours, the paper's
    subprocess.run(["gnuplot", "made.svg.gnuplot"], cwd=tmp_path, check=True)
    assert (tmp_path / "made.svg").read_text() == picture
