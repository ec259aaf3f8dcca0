# SPDX-License-Identifier: BSD-3-Clause
"""Files of models: those of tests/golden/models are read for ever, broken ones never."""
import json

import numpy as np
import pytest
from conftest import ROOT

from featcross import load
from featcross._data.rows import Rows
from featcross._library import lib
from featcross._model import SCORE
from featcross._sklearn import ClassifierMixin

GOLDEN = sorted((ROOT / "tests" / "golden" / "models").glob("*.fx"))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_models_kept_for_ever(path):
    """Answers of the day on which they were written: exact on rows, to float accuracy on maps."""
    want, estimator = json.loads(path.with_suffix(".json").read_text()), load(path)
    model = estimator.model_
    X = np.zeros((len(want["rows"]), model.content.inputs))
    for i, row in enumerate(want["rows"]):
        for j, value in row:
            if j < X.shape[1]:
                X[i, j] = np.nan if value is None else value
    near = {"rtol": 1e-5, "atol": 1e-5} if model.content.map else {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(model.predict(Rows(X), SCORE), want["scores"], **near)
    if hasattr(estimator, "encoder_"):  # such rows come as tables
        assert len(estimator.encoder_.names) == model.content.cols
        return
    if isinstance(estimator, ClassifierMixin):
        labels = estimator.classes_[np.ravel(want["labels"]).astype(int)]
        assert (estimator.predict(X) == labels).all()
        if "probabilities" in want:
            np.testing.assert_allclose(estimator.predict_proba(X), want["probabilities"], **near)
    elif hasattr(estimator, "predict"):
        np.testing.assert_allclose(estimator.predict(X), np.ravel(want["labels"] or want["scores"]),
                                   **near)


def test_files_that_are_none(tmp_path):
    good = GOLDEN[0].read_bytes()
    for broken in (b"", b"nonsense", good[:-1], good[:40], good.replace(b"rank=2", b"rank=3")):
        path = tmp_path / "broken.fx"
        path.write_bytes(broken)
        with pytest.raises(ValueError) as error:
            load(path)
        assert str(error.value) == f"{path}: {lib.fx_error_detail().decode()}"
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing.fx")
