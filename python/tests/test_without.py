# SPDX-License-Identifier: BSD-3-Clause
"""Without scikit-learn and SciPy: the package is whole but for what is theirs."""
import subprocess
import sys
from pathlib import Path

import pytest

EVERY = str(Path(__file__).with_name("test_every.py"))


def python(without, code):
    """Runs code where those modules cannot be imported."""
    hidden = "".join(f"sys.modules[{name!r}] = None; " for name in without)
    return subprocess.run([sys.executable, "-W", "error::ImportWarning", "-c",
                           f"import sys; {hidden}\n{code}"], capture_output=True,
                          text=True, timeout=120)


@pytest.mark.parametrize("without", [["sklearn"], ["scipy"], ["sklearn", "scipy"],
                                     ["sklearn", "scipy", "pandas", "joblib"]])
def test_import(without):
    done = python(without, "import featcross, featcross._sklearn as s; print(s.INSTALLED)")
    installed = "sklearn" not in without and "scipy" not in without     # the one needs the other
    assert (done.stdout, done.stderr) == (f"{installed}\n", "")


def test_nothing_is_imported_that_is_not_used():
    """SciPy and pandas take half a second; who does not use them does not wait."""
    done = python(["sklearn"], "import featcross; print(*{'scipy', 'pandas'} & set(sys.modules))")
    assert (done.stdout, done.stderr) == ("\n", "")


def test_every_estimator():
    """test_every.py as it is, where neither can be imported."""
    done = python(["sklearn", "scipy"],
                  "import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider',"
                  f" '--tb=short', {EVERY!r}]))")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
