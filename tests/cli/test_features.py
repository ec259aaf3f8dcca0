# SPDX-License-Identifier: BSD-3-Clause
"""From tables and text to features: categories, weights, hashing, words, MovieLens.

Covers: cli/tables/reading.c, cli/tables/movielens_dir.c, cli/tables/load.c"""

import gzip
import lzma
import re

import pytest

PEOPLE = """age,city,w,colour,label
31,Paris,1,red,yes
42,"New, York",0.5,,no
0,Paris,2,blue,yes
"""


def rows(path):
    """Text of an svmlight file as a list of (label, {index: value})."""
    out = []
    for line in path.read_text().splitlines():
        label, *pairs = line.split()
        out.append((label, {int(i): float(x) for i, x in (p.split(":") for p in pairs)}))
    return out


def header(fx, name, *args):
    fx("convert", name, "names.csv", "-q", *args)
    return (fx.directory / "names.csv").read_text().splitlines()[0]


def test_categories(fx, put, tmp_path):
    put("p.csv", PEOPLE)
    talk = fx("convert", "p.csv", "p.svm").talk
    assert "3 rows x 6 columns" in talk
    assert "2 categorical columns: city (2), colour (2)" in talk
    assert rows(tmp_path / "p.svm") == [
        ("yes", {1: 31, 2: 1, 3: 1, 4: 1}), ("no", {1: 42, 2: 0.5, 5: 1}),
        ("yes", {2: 2, 3: 1, 6: 1})]
    assert header(fx, "p.csv") == 'age,w,city=Paris,colour=red,"city=New, York",colour=blue,label'
    assert header(fx, "p.csv", "--cat", "city,colour") == header(fx, "p.csv")
    assert header(fx, "p.csv", "--cat", "city", "--num", "age") == \
        'age,city=Paris,"city=New, York",label'
    assert header(fx, "p.csv", "--num", "w,age", "--cat", "none") == "age,w,label"
    put("p.tsv", PEOPLE.replace('"New, York"', "Rome").replace(",", "\t"))
    assert header(fx, "p.tsv").startswith("age,w,city=Paris,colour=red,city=Rome")


def test_weights(fx, put, tmp_path):
    put("p.csv", PEOPLE)
    assert header(fx, "p.csv", "--cat", "city", "--num", "age", "--weight-column", "w") == \
        'age,city=Paris,"city=New, York",weight,label'
    lines = (tmp_path / "names.csv").read_text().splitlines()
    assert [line.split(",")[-2] for line in lines[1:]] == ["1", "0.5", "2"]
    talk = fx("convert", "p.csv", "p.svm", "--weight-column", "w").talk
    assert "weights have no place in svmlight" in talk
    put("bad.csv", "a,w,y\n1,-2,1\n")
    assert "bad.csv:2:3: the weight -2" in \
        fx("convert", "bad.csv", "x.svm", "--weight-column", "w", status=2).talk


@pytest.mark.large
def test_many_categories(fx, put):
    """Time grows with the columns, not with their square: that would be minutes."""
    cols = 100000
    lines = [",".join(f"c{j}" for j in range(cols)) + ",y"]
    lines += [",".join("uv"[(i + j) % 2] for j in range(cols)) + f",{'no yes'.split()[i % 2]}"
              for i in range(4)]
    put("wide.csv", "\n".join(lines) + "\n")
    assert "100000 categorical columns: c0 (2), c1 (2), " in \
        fx("train", "wide.csv", "--model", "logistic", "-o", "wide.fx", limit=20).talk
    assert fx("predict", "wide.fx", "wide.csv", limit=20).text.split() == ["no", "yes"] * 2


def test_text_in_a_number(fx, put):
    put("x.csv", "a,b,y\n1,2,1\n1,Paris,0\n")
    assert "x.csv:3:3: 'Paris' is not a number, but the column 'b' has 1 number in its first rows: " \
        "use --cat +b if all its fields are categories, --na Paris if that means a missing number" in \
        fx("convert", "x.csv", "x.svm", status=2).talk
    assert fx("convert", "x.csv", "x.svm", "--cat", "b").status == 0
    assert "no feature column is named 'c'" in \
        fx("convert", "x.csv", "x.svm", "--cat", "b,c", status=2).talk
    assert "x.csv:1:1: the column 'y' is the label, so it cannot be the identifier of rows" in \
        fx("convert", "x.csv", "x.svm", "--cat", "b", "--id", "y", status=2).talk


def test_every_name_can_be_chosen(fx, put, tmp_path):
    put("x.csv", '"a,b",(c),d/e,last,100%\n1,u,2,yes,3\n4,v,5,no,6\n')
    assert "no column is named 'a,q'" in fx("info", "x.csv", "--label", "a,q", status=2).talk
    assert header(fx, "x.csv", "--label", "(c)", "--cat", "none", "--num", "a%2Cb,100%") == \
        '"a,b",100%,label'
    assert header(fx, "x.csv", "--label", "%6Cast", "--cat", "(c),d/e") == \
        '"a,b",100%,(c)=u,d/e=2,(c)=v,d/e=5,label'
    assert "weight,label" in header(fx, "x.csv", "--label", "%6Cast", "--weight-column", "a,b")
    assert "(c) (2)" in fx("convert", "x.csv", "x.svm", "--label", "%6Cast").talk
    for label in ["a,b", "(c)", "d/e", "%6Cast"]:       # kept in the model
        fx("train", "x.csv", "--label", label, "-C", "1", "--task",
           "classify" if label in ("(c)", "%6Cast") else "regress", "-o", "m.fx", "-q")
        want = fx("predict", "m.fx", "x.csv").text
        lines = [line.split(",") for line in
                 (tmp_path / "x.csv").read_text().replace('"a,b"', "AB").splitlines()]
        put("y.csv", "\n".join(",".join(reversed(f)) for f in lines).replace("AB", '"a,b"') + "\n")
        assert fx("predict", "m.fx", "y.csv").text == want


def test_no_header(fx, put):
    put("x.csv", "39,State,yes\n50,Self,no\n")
    assert "x.csv:1:1: is this line a header? (--header or --no-header)" in \
        fx("convert", "x.csv", "x.svm", status=2).talk
    assert header(fx, "x.csv", "--no-header") == "c1,c2=State,c2=Self,label"


def test_hashing(fx, put, tmp_path):
    put("p.csv", PEOPLE)
    talk = fx("convert", "p.csv", "p.svm", "--hash-bits", "1").talk
    assert "6 names hashed to 2 columns, 6 of them share one" in talk
    assert all(max(x) <= 2 for _, x in rows(tmp_path / "p.svm"))
    assert sum(rows(tmp_path / "p.svm")[0][1].values()) == 34
    fx("convert", "p.csv", "q.svm", "--hash-bits", "1", "--threads", "1")
    assert (tmp_path / "p.svm").read_bytes() == (tmp_path / "q.svm").read_bytes()


def test_words(fx, put, tmp_path):
    put("t.txt", "pos The cat sat.\nneg\tthe DOG\npos cat the cat\n")
    fx("convert", "t.txt", "t.svm", "--format", "text")
    assert rows(tmp_path / "t.svm") == [
        ("pos", {1: 1, 2: 1, 3: 1}), ("neg", {1: 1, 4: 1}), ("pos", {1: 1, 2: 1})]
    assert header(fx, "t.txt", "--format", "text", "--ngram", "2") == \
        "the,cat,the cat,sat,cat sat,dog,the dog,cat the,label"
    assert header(fx, "t.txt", "--format", "text", "--label", "none").startswith("pos,the,cat")
    talk = fx("convert", "t.txt", "t.svm", "--format", "text", "--hash-bits", "10").talk
    assert re.search(r"4 names hashed to 1024 columns, \d+ of them share one", talk)


@pytest.mark.parametrize("args, word", [
    (["x.svm", "--cat", "a"], "--cat is for csv and tsv, but the input is svmlight"),
    (["x.svm", "--hash-bits", "4"], "--hash-bits is for csv, tsv and text"),
    (["x.csv", "--ngram", "2"], "--ngram is for text, but the input is csv"),
    (["x.csv", "--part", "test"], "--part is for a MovieLens directory"),
    (["x.csv", "--hash-bits", "30"], "from 1 to 24"),
    (["x.csv", "--format", "text", "--label", "last"], "label=last is not possible")])
def test_misplaced(fx, put, args, word):
    put("x.svm", "1 1:1\n")
    put("x.csv", "a,y\n1,1\n")
    assert word in fx("convert", *args, "out.svm", status=2).talk


@pytest.fixture
def movielens(tmp_path):
    """50 users, 30 movies; user u rates movie v with 5 if (u + v) % 6 is 0."""
    d = tmp_path / "ml"
    d.mkdir()
    jobs = ["smith", "baker"]
    users = "".join(f"{u}|{20 + u}|{'MF'[u % 2]}|{jobs[u % 2]}|{u % 10}0000\n"
                    for u in range(1, 51))
    movies = "".join(f"{v}|M\xf6vie|01-Jan-{1990 + v % 10}||http://x|0|{v % 2}|1" + "|0" * 16 + "\n"
                     for v in range(1, 31))
    ratings = "".join(f"{u}\t{v}\t{5 if (u + v) % 6 == 0 else (u + v) % 4 + 1}\t0\n"
                      for u in range(1, 51) for v in range(1, 31))
    (d / "u.data.gz").write_bytes(gzip.compress(ratings.encode()))
    (d / "u.user").write_text(users)
    (d / "u.item.xz").write_bytes(lzma.compress(movies.encode("latin-1")))
    return d


def test_movielens(fx, movielens, tmp_path):
    n = {}
    for part in ["train", "valid", "test", "all"]:
        talk = fx("convert", "ml", f"{part}.svm", "--part", part).talk
        assert "ml: movielens, " in talk and f"part {part}, seed 1" in talk
        got = rows(tmp_path / f"{part}.svm")
        n[part] = len(got)
        plus = sum(label in ("1", "+1") for label, _ in got)
        assert abs(2 * plus - len(got)) <= 1
    assert n == {"train": 250, "valid": 12, "test": 238, "all": 500}
    whole = (tmp_path / "all.svm").read_text()
    assert whole == "".join((tmp_path / f"{p}.svm").read_text() for p in ["train", "valid", "test"])
    fx("convert", "ml", "again.svm", "--threads", "1")
    assert (tmp_path / "again.svm").read_text() == whole
    fx("convert", "ml", "other.svm", "--seed", "2")
    assert (tmp_path / "other.svm").read_text() != whole
    assert header(fx, "ml").startswith("age=20,age=30,")


def test_movielens_trains_a_model(fx, movielens, tmp_path):
    fx("train", "ml/", "--part", "train", "--model", "logistic", "-q")
    whole = fx("evaluate", "ml.fx", "ml", "--part", "test", "--json").json
    fx("convert", "ml", "test.svm", "--part", "test")
    file = fx("evaluate", "ml.fx", "test.svm", "--json").json
    assert whole["rows"] == 238 and whole["accuracy"] == file["accuracy"]
    assert len(fx("predict", "ml.fx", "ml", "--part", "test").text.split()) == 238
    assert "convert --part" in fx("train", "ml", "--part", "train", "--eval-set", "ml", status=2).talk


def test_movielens_faults(fx, movielens):
    (movielens / "u.user").write_text("1|x|M|smith|1\n")
    assert "ml/u.user:1:3: 'x' is not an age" in fx("convert", "ml", "x.svm", status=2).talk
    (movielens / "u.user").unlink()
    assert "ml has no u.user" in fx("convert", "ml", "x.svm", status=2).talk


def test_two_commands(fx, put):
    """A table becomes a model, and other rows are scored: other order, no label, new values."""
    put("ratings.csv", "user,movie,rating\n" + "".join(
        f"u{i % 7},m{i % 5},{i % 7 - i % 5}\n" for i in range(200)))
    put("new.csv", "movie,when,user\nm1,today,u6\nm4,,u2\nm9,,u3\n")
    fx("train", "ratings.csv", "-o", "m.fx", "--model", "ridge:C=1e4", "--kernel", "linear",
       "--map", "explicit", "--scale", "none")
    r = fx("predict", "m.fx", "new.csv")
    got = [float(x) for x in r.text.split()]
    assert abs(got[0] - 5) < 0.01 and abs(got[1] + 2) < 0.01
    assert "2 entries" in r.talk        # `today` and m9


def test_words_two_commands(fx, put):
    put("t.txt", "good fine nice film\nbad awful poor film\ngood nice\nbad poor\n" * 20)
    put("new.txt", "? a fine film\n? awful, awful\n")
    fx("train", "t.txt", "--format", "text", "-o", "m.fx", "--model", "svm", "--kernel", "linear",
       "--map", "explicit", "--scale", "none")
    assert fx("predict", "m.fx", "new.txt").text.split() == ["good", "bad"]
    put("bare.txt", "a fine film\nawful, awful\n")
    assert fx("predict", "m.fx", "bare.txt", "--label", "none").text.split() == ["good", "bad"]


def test_words_are_hinted_at(fx, put):
    put("w.txt", "spam buy now\nham see you\n")
    assert "HINT: --format text" in fx("train", "w.txt", status=2).talk
    put("x.txt", "1 1:1\n1 buy\n")
    assert "HINT" not in fx("train", "x.txt", status=2).talk


def test_hashing_two_commands(fx, put):
    """Other rows are hashed as those of training were, though their first row looks different."""
    put("t.csv", "size,colour,y\n" + "1,red,yes\n2,blue,no\n3,red,yes\n1,green,no\n" * 10)
    put("new.csv", "colour,size\n,2\nred,1\nblue,3\n")
    fx("train", "t.csv", "-o", "m.fx", "--hash-bits", "6", "--model", "svm", "--kernel", "linear",
       "--map", "explicit", "--scale", "none")
    assert fx("predict", "m.fx", "new.csv").text.split()[1:] == ["yes", "no"]


def test_numbers_by_name(fx, put):
    put("t.csv", "a,b,y\n" + "1,0,yes\n0,1,no\n2,1,yes\n1,3,no\n" * 10)
    put("new.csv", "b,a\n0,5\n5,0\n")
    put("lacks.csv", "b,c\n0,5\n")
    fx("train", "t.csv", "-o", "m.fx", "--model", "svm", "--kernel", "linear", "--map", "explicit",
       "--scale", "none")
    assert fx("predict", "m.fx", "new.csv").text.split() == ["yes", "no"]
    assert "lacks.csv:1:1: no column is named 'a'" in \
        fx("predict", "m.fx", "lacks.csv", status=2).talk
