# SPDX-License-Identifier: BSD-3-Clause
"""Tables as people have them: missing numbers, words among numbers, columns that are no features.

Covers: cli/tables/rows_missing.c, cli/tables/label_check.c, cli/tables/load_say.c"""

import json
import shlex

import numpy as np
import pytest


@pytest.fixture
def table(put):
    """x near 100 decides y, with words for missing numbers; the first one is missing."""
    r = np.random.default_rng(1)
    x = r.normal(100, 3, 400)
    lines = ["key,x,city,y"]
    for i in range(400):
        gap = i == 0 or i % 20 == 7
        lines.append(f"r{i + 1},{'NA' if gap else round(x[i], 3)},{'AB'[i % 2]},{int(x[i] > 100)}")
    return put("t.csv", "\n".join(lines) + "\n")


ARGS = ("t.csv", "--model", "logistic", "--id", "key", "-o", "m.fx")


def test_missing_is_an_error_that_names_the_cures(fx, table):
    talk = fx("train", *ARGS, status=2).talk
    assert "t.csv:2:4: 'NA' in the column 'x' is a missing number (use --nan mean, median, zero or " \
        "drop)" in talk
    assert not (fx.directory / "m.fx").exists()


@pytest.mark.parametrize("nan,said,columns", [
    ("mean", "filled with the mean of the column", 3),
    ("median", "filled with the median of the column", 3),
    ("zero,indicator", "filled with 0", 4), ("mean,indicator", "1 column added: 1 where a number is missing", 4),
    ("category", "1 column added: 1 where a number is missing", 4)])
def test_filled(fx, table, nan, said, columns):
    r = fx("train", *ARGS, "--nan", nan, "--json")
    assert "t.csv: 21 missing numbers in 21 rows (x: 21): " in r.talk and said in r.talk
    assert r.json["features"] == columns
    assert fx("predict", "m.fx", "t.csv").text.count("\n") == 400
    r = fx("evaluate", "m.fx", "t.csv", "--json")
    assert "t.csv: 21 missing numbers in 21 rows (x: 21): filled in as in training" in r.talk
    assert r.json["rows"] == 400
    assert r.json["accuracy"] > (0.7 if nan.startswith("zero") else 0.9)
    if columns == 4:
        assert "x=missing" in fx("explain", "m.fx").text


def test_zero_is_warned_about(fx, table):
    r = fx("train", *ARGS, "--nan", "zero")
    assert "WARNING: --nan zero: the column x has numbers from 9" in r.talk
    assert "--nan mean,indicator is safer" in r.talk
    mean = fx("train", *ARGS, "--nan", "mean")
    assert "WARNING" not in mean.talk


def test_dropped(fx, table):
    r = fx("train", *ARGS, "--nan", "drop", "--json")
    assert "these rows are left out" in r.talk and r.json["rows"] == 379
    lines = fx("predict", "m.fx", "t.csv").text.splitlines()
    assert lines[0] == "NA" and lines.count("NA") == 21 and len(lines) == 400
    csv = fx("predict", "m.fx", "t.csv", "--format", "csv", "--output", "proba").text.splitlines()
    assert csv[0] == "id,label,proba:0,proba:1" and csv[1] == "r1,NA,NA,NA"
    assert csv[2].startswith("r2,") and "NA" not in csv[2]
    first = fx("predict", "m.fx", "t.csv", "--format", "jsonl").text.splitlines()[0]
    assert json.loads(first) == {"id": "r1", "label": None}
    r = fx("predict", "m.fx", "t.csv", "--json")
    assert r.json["predictions"][1] == {"id": "r2", "label": int(lines[1])}
    assert "t.csv: 21 of 400 rows have missing numbers: NA" in r.talk
    r = fx("evaluate", "m.fx", "t.csv", "--json")
    assert r.json["rows"] == 379
    assert "t.csv: 21 missing numbers in 21 rows (x: 21): these rows are left out" in r.talk


def test_a_model_keeps_what_it_was_trained_with(fx, table):
    fx("train", *ARGS, "--nan", "mean")
    assert "--nan median is for training" in \
        fx("predict", "m.fx", "t.csv", "--nan", "median", status=2).talk
    fx("train", *ARGS, "--nan", "drop", "--eval-set", "t.csv")
    fx("train", *ARGS, "--nan", "mean,indicator", "--eval-set", "t.csv")


def test_same_in_tune_and_compare(fx, table):
    fx("tune", "t.csv", "--model", "logistic", "--drop", "key", "--nan", "mean", "--folds", "2",
       "-C", "0.1,1", "-o", "u.fx")
    assert fx("evaluate", "u.fx", "t.csv", "--json").json["accuracy"] > 0.9
    r = fx("compare", "t.csv", "--drop", "key", "--nan", "mean,indicator", "--json", "--seeds", "1")
    assert max(x["accuracy"] for x in r.json["results"] if x["accuracy"] is not None) > 0.85


def test_without_a_fit(fx, put):
    put("x.csv", "a,b,y\n1,NA,1\n2,3,0\n")
    assert fx("gram", "x.csv", "-k", "linear", "--nan", "zero").text == "1,2\n2,13\n"
    assert fx("gram", "x.csv", "-k", "linear", "--nan", "drop").text == "13\n"
    assert "only a model learns what to fill in; here use --nan drop or zero" in \
        fx("gram", "x.csv", "-k", "linear", "--nan", "mean", status=2).talk
    assert "it is error, drop, zero, mean, median or category" in \
        fx("gram", "x.csv", "-k", "linear", "--nan", "skip", status=2).talk
    assert "indicator goes with zero, mean and median" in \
        fx("gram", "x.csv", "-k", "linear", "--nan", "drop,indicator", status=2).talk


def test_arrays_and_svmlight(fx, put, tmp_path):
    put("x.svm", "".join(f"{i % 2} 1:{'nan' if i % 10 == 0 else i % 2 + 5} 2:1\n" for i in range(90)))
    fx("train", "x.svm", "--model", "logistic", "--nan", "mean", "-o", "m.fx")
    assert fx("evaluate", "m.fx", "x.svm", "--json").json["accuracy"] > 0.9
    X = np.array([[np.nan if i % 10 == 0 else i % 2 + 5, 1] for i in range(90)])
    np.savez(tmp_path / "x.npz", x=X, y=np.arange(90) % 2)
    fx("train", "x.npz", "--model", "logistic", "--nan", "mean", "-o", "n.fx")
    assert fx("predict", "n.fx", "x.npz").text == fx("predict", "m.fx", "x.svm").text


def test_cures_can_be_pasted(fx, put):
    """A shell reads them as they are printed, also where words hold spaces and commas."""
    put("x.csv", 'a b,y\n1,0\n2,1\nnot known,0\n"un, known",1\n3,1\n4,0\n5,1\n')
    talk = fx("train", "x.csv", status=2).talk
    assert "use --cat +'a b' if" in talk and "--na 'not known','un%2C known' if these words" in talk
    na = shlex.split(talk.split("--na ")[1].split(" if these")[0])[0]
    assert "2 missing numbers" in fx("train", "x.csv", "--na", na, "--nan", "mean").talk
    cat = shlex.split(talk.split("--cat ")[1].split(" if all")[0])[0]
    assert fx("info", "x.csv", "--cat", cat, "--json").json["columns"] == 7


# ---- Types of columns -------------------------------------------------------------------------
def test_words_among_numbers(fx, put):
    put("x.csv", "a,y\n1,0\n2,1\nunknown,0\n")
    talk = fx("train", "x.csv", status=2).talk
    assert "x.csv:4:1: 'unknown' is not a number, but the column 'a' has 2 numbers in its first " \
        "rows: use --cat +a if all its fields are categories, --na unknown if that means a missing " \
        "number" in talk
    assert "4 columns" not in talk
    assert fx("info", "x.csv", "--cat", "+a", "--json").json["columns"] == 3
    assert "1 missing number" in fx("train", "x.csv", "--na", "unknown", "--nan", "mean").talk


def test_categories_that_are_numbers_are_warned_about(fx, put):
    words = [f"w{i}" for i in range(20)] * 2
    numbers = [str(i) for i in range(30)]
    rows = "".join(f"{v},{i % 2}\n" for i, v in enumerate(words + numbers))
    put("x.csv", "a,y\n" + rows)
    assert "WARNING: x.csv: the column a is taken for categories, but 30 of its 50 values are " \
        "numbers" in fx("train", "x.csv").talk
    assert "taken for categories" not in fx("train", "x.csv", "--cat", "a").talk


@pytest.mark.parametrize("text", ["${}", "{}%", "u{}"])
def test_a_value_for_each_row_is_warned_about(fx, put, text):
    """Prices, shares and identifiers become categories that no other row has."""
    put("x.csv", "price,k,y\n" + "".join(f"{text.format(i)},{'ab'[i % 2]},{i % 2}\n" for i in range(60)))
    for command in "train", "info":
        talk = fx(command, "x.csv").talk
        assert "WARNING: x.csv: the column price is taken for categories, but has 60 different " \
            "values in 60 rows" in talk and "use --id or --drop" in talk
        assert "WARNING" not in fx(command, "x.csv", "--cat", "+price").talk.replace(
            "WARNING: nothing was learned", "")
        assert "taken for categories" not in fx(command, "x.csv", "--id", "price").talk
    fx("train", "x.csv", "-o", "m.fx")
    assert "WARNING" not in fx("evaluate", "m.fx", "x.csv").talk         # training has said it


def test_a_column_without_numbers(fx, put):
    put("x.csv", "a,b,y\n" + "".join(f"{i % 5},,{i % 2}\n" for i in range(20)))
    r = fx("train", "x.csv", "--model", "logistic", "--nan", "mean")
    assert "WARNING: x.csv: the column b has no number in any row, so it tells nothing; leave it " \
        "out with --drop b" in r.talk
    assert "--nan drop leaves no row: each has a missing number, 20 of 20 in column b" in \
        fx("train", "x.csv", "--model", "logistic", "--nan", "drop", status=2).talk
    assert "WARNING" not in fx("train", "x.csv", "--model", "logistic", "--drop", "b").talk


def test_info_names_label_categories_and_missing_numbers(fx, table):
    """Missing numbers are no error here: info shows what the file holds."""
    r = fx("info", "t.csv", "--id", "key")
    assert "labels       2 classes, label y\n" in r.text and "categories   city (2)\n" in r.text
    assert "missing      21 missing numbers in 21 rows (x: 21)\n" in r.text
    j = fx("info", "t.csv", "--id", "key", "--json").json
    assert j["label_column"] == "y" and j["missing"] == 21 and j["values"]["min"] == 1
    assert fx("info", "t.csv", "--id", "key", "--nan", "drop", "--json").json["rows"] == 379
    assert fx("info", "t.csv", "--nan", "error", status=2).talk.startswith("featcross: t.csv:2:4: ")


def test_decimal_commas(fx, put):
    put("x.csv", "a;b;y\n1,5;2;0\n2,5;3;1\n")
    assert "'1,5' in the column 'a': use --decimal comma if that is a number, --cat +a if it is a " \
        "category" in fx("info", "x.csv", status=2).talk
    j = fx("info", "x.csv", "--decimal", "comma", "--json").json
    assert j["values"] == {"min": 1.5, "max": 3}


def test_columns_by_name(fx, put):
    put("x.csv", "id,kind,children,w,y\n" + "".join(
        f"{i},{'ab'[i % 2]},{i % 3},1,{i % 2}\n" for i in range(30)))
    assert fx("info", "x.csv", "--drop", "id,w", "--json").json["columns"] == 3
    assert fx("info", "x.csv", "--drop", "id,w", "--cat", "+children", "--json").json["columns"] == 5
    assert fx("info", "x.csv", "--drop", "id,w,kind", "--cat", "all", "--json").json["columns"] == 3
    assert "no feature column is named 'idd'" in fx("info", "x.csv", "--drop", "idd", status=2).talk
    talk = fx("train", "x.csv", "--drop", "w", "--id", "id").talk
    assert "x.csv: csv, 30 rows x 3 columns, label y" in talk
    assert "label: the first column" in fx("train", "x.csv", "--label", "first").talk or \
        "label id" in fx("train", "x.csv", "--label", "first").talk


def test_queries_of_a_ranking(fx, put):
    put("r.csv", "q,x,y\n" + "".join(f"s{i // 5},{i % 5},{i % 5 > 2:d}\n" for i in range(100)))
    put("r.svm", "".join(f"{i % 5 > 2:d} qid:{i // 5} 1:{i % 5}\n" for i in range(100)))
    a = fx("train", "r.csv", "--query", "q", "--model", "fm", "--task", "rank", "-o", "a.fx")
    b = fx("train", "r.svm", "--model", "fm", "--task", "rank", "-o", "b.fx")
    assert fx("predict", "a.fx", "r.csv", "--output", "score").text == \
        fx("predict", "b.fx", "r.svm", "--output", "score").text
    assert "qid" not in a.talk + b.talk


def test_a_query_that_is_a_feature(fx, put):
    """A user's rows are compared with one another, and the user is a feature as well, if --cat names it.
    Numbers that were declared as categories are not questioned again with the model."""
    rows = [(u, i, int((u + i) % 2 == 0)) for u in range(20) for i in range(10)]
    put("r.csv", "u,i,y\n" + "".join(f"{u},{i},{y}\n" for u, i, y in rows))
    r = fx("train", "r.csv", "--task", "rank", "--query", "u", "--cat", "u,i", "-o", "a.fx", "-q")
    assert r.talk == "" or "WARNING: after" in r.talk
    e = fx("evaluate", "a.fx", "r.csv", "--json")
    assert e.json["auc"] > 0.9 and "WARNING" not in e.talk
    put("new.csv", "i,u\n3,77\n")                          # a user that training never saw
    assert len(fx("predict", "a.fx", "new.csv").text.split()) == 1


@pytest.mark.parametrize("labels", [[1600000000 + 60 * i for i in range(40)], list(range(40)),
                                    [1600000000 + 60 * (i % 25) for i in range(40)]])
def test_a_label_that_is_none(fx, put, labels):
    put("x.csv", "a,b,t\n" + "".join(f"{i % 7},{i % 5},{y}\n" for i, y in enumerate(labels)))
    assert f"WARNING: x.csv: the labels are whole numbers from {min(labels)} to {max(labels)}, as identifiers" in \
        fx("train", "x.csv", "--model", "ridge").talk
    put("y.csv", "a,b,t\n" + "".join(f"{i % 7},{i % 5},{i % 9}\n" for i in range(40)))
    assert "WARNING" not in fx("train", "y.csv", "--model", "ridge").talk


# ---- Names ------------------------------------------------------------------------------------
def test_duplicate_headers(fx, put):
    put("x.csv", "a,a,y\n1,2,0\n3,4,1\n")
    assert "two columns are named 'a'" in fx("train", "x.csv", status=2).talk
    assert not (fx.directory / "x.csv.fx").exists()
    put("x.csv", "a,a,y\n" + "1,2,0\n3,4,1\n" * 20)
    for args in ["tune", "x.csv", "-C", "1", "-o", "m.fx"], ["compare", "x.csv"]:
        assert "two columns are named 'a'" in fx(*args, status=2).talk
    assert not (fx.directory / "m.fx").exists()


def test_unknown_extensions(fx, put, tmp_path):
    put("x.svm", "1 1:1\n")
    for args in (["convert", "x.svm", "x.parquet"], ["gram", "x.svm", "-k", "linear", "-o", "x.odt"],
                 ["make", "pairs", "-d", "30", "--nz", "8", "-o", "x.arff"]):
        talk = fx(*args, status=2).talk
        assert ".svm, .csv, .tsv, .npy and .npz" in talk and "--to" in talk
    assert {p.name for p in tmp_path.iterdir()} == {"x.svm"}
    fx("convert", "x.svm", "x.parquet", "--to", "svmlight")
    fx("convert", "x.svm", "plain")


def test_advice_suits_a_model(fx, put):
    """What the message names is accepted by the command that printed it."""
    put("full.csv", "a,b,y\n1,2,0\n2,3,1\n3,1,0\n4,4,1\n")
    put("x.csv", "a,b,y\n1,NA,0\n2,3,1\n3,1,0\n4,4,1\n")
    fx("train", "full.csv", "-o", "m.fx", "--model", "ridge", "-q")
    for command in ("predict", "evaluate", "explain"):
        assert "(train with --nan mean, median, zero or drop; here, --nan zero reads it as 0)" in \
            fx(command, "m.fx", "x.csv", status=2).talk
        fx(command, "m.fx", "x.csv", "--nan", "zero")
        assert "--nan mean is for training" in \
            fx(command, "m.fx", "x.csv", "--nan", "mean", status=2).talk
    assert "other.csv: no column is named 'nam' (--id)" in \
        fx("predict", "m.fx", put("other.csv", "a,b\n1,2\n"), "--id", "nam", status=2).talk


def test_advice_without_a_fit(fx, tmp_path):
    """A command without a fit advises what it can do, and does it for arrays, too."""
    (tmp_path / "a.csv").write_text("a,b\n1,2\nNA,3\n")
    assert "(use --nan zero or drop)" in fx("convert", "a.csv", "o.svm", "--label", "b", status=2).talk
    np.save(tmp_path / "a.npy", np.array([[1, np.nan], [2, 3.0]]))
    r = fx("convert", "a.npy", "o.csv", "--nan", "zero")
    assert "1 missing number in 1 row" in r.talk and (tmp_path / "o.csv").read_text() == "x1,x2\n1,0\n2,3\n"
