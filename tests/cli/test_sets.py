# SPDX-License-Identifier: BSD-3-Clause
"""Named data sets of recipes, read from small directories of the same layout.

Covers: cli/datasets/dataset_files.c, cli/datasets/dataset_make.c,
cli/datasets/dataset_movielens.c, cli/datasets/dataset_nips.c, cli/datasets/dataset_parts.c,
cli/datasets/dataset_plain.c, cli/datasets/dataset_ratings.c, cli/datasets/dataset_spec.c,
cli/datasets/datasets.c"""

import bz2
import gzip
import lzma
import random
import re

import pytest

PACK = {"": lambda b: b, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


def put(directory, name, lines, packed="", end="\n"):
    path = directory / "data" / (name + packed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PACK[packed]("".join(line + end for line in lines).encode("latin-1")))


def movielens(d):
    """12 users, 10 movies; user u gives movie m five stars if u + m is a multiple of 3."""
    put(d, "ml-100k/u.data", [f"{u}\t{m}\t{5 if (u + m) % 3 == 0 else 4}\t88" for u in range(1, 13)
                              for m in range(1, 11)], ".gz")
    put(d, "ml-100k/u.user", [f"{u}|{20 + u}|{'FM'[u % 2]}|{'other' if u < 9 else 'artist'}|{u % 4}5213"
                              for u in range(1, 13)], ".xz")
    put(d, "ml-100k/u.item", [f"{m}|Caf\xe9 {m}|{'' if m == 4 else f'01-Jan-{1980 + m}'}||http://x|" +
                              "|".join("01"[g == m] for g in range(19)) for m in range(1, 11)], ".bz2")


def plain(d):
    draw = random.Random(1)
    rows = [f"{'+1' if i % 3 else '-1'} 1:{draw.random():.3f} {2 + i % 4}:1" for i in range(30)]
    put(d, "phishing/phishing", rows)
    put(d, "adult/a9a", rows)
    put(d, "adult/a9a.t", ["-1 1:1", "+1 2:1"])     # narrower than what is trained on
    put(d, "nursery/nursery.libsvm", [f"{i % 3} {1 + i % 3}:1 {4 + i % 5}:1 9:1 13:1 17:1 20:1 22:1 27:1"
                                      for i in range(30)])
    put(d, "covtype/covtype.data", [f"{i},{i % 7},0,{1 + i % 3}" for i in range(30)], ".xz")
    put(d, "dna/dna.scale", [f"{1 + i % 3} {1 + i % 2}:1 {4 + i % 5}:1" for i in range(30)])
    put(d, "splice/splice", [f"{'+1' if i % 3 else '-1'} 1:{1 + i % 4}.000 2:{1 + i % 3} 3:4" for i in range(30)], ".gz")


def ratings(d):
    put(d, "ml-1m/ratings.dat", [f"{u}::{m}::{1 + (u + m) % 5}::9783" for u in (1, 5, 9) for m in (2, 3, 70, 8)])
    put(d, "lastfm-2k/user_artists.dat", ["userID\tartistID\tweight"] + [f"{u}\t{a}\t9" for u in (2, 3) for a in
                                                                         (51, 52, 60)], end="\r\n")
    # artist 52 has tag 7 twice, 51 and 60 tags 7 and 8 thrice each; nobody heard 53
    given = [(52, 7)] * 2 + [(a, t) for a in (51, 60) for t in (7, 8)] * 3 + [(53, 9)]
    put(d, "lastfm-2k/user_taggedartists.dat", ["userID\tartistID\ttagID\tday\tmonth\tyear"] +
        [f"{u}\t{a}\t{t}\t1\t4\t2009" for u, (a, t) in enumerate(given)])


def papers(d):
    """Six authors; 0 and 1, 1 and 2, 3 and 4 wrote together, 0 and 1 twice; 5 alone."""
    put(d, "nips12/nips.corpus", ["2 0:3 4:1", "1 6:2", "2 1:1 2:1", "1 3:9", "0", "1 0:1", ""])
    put(d, "nips12/nips.authors", ["0 1", "1 2", "4 3", "5", "1 0", "5"])


def reproduce(fx, *cases, **how):
    (fx.directory / "t.recipe").write_text(
        "title t\npaper p\nmeasure fit\nseeds 1\ntable series accuracy\ncases\nseries data model\n" +
        "".join(f"s{i} {c}\n" for i, c in enumerate(cases)))
    return fx("reproduce", "t.recipe", "--data", "data", "-o", "out", "--no-plot", "-v", **how)


def test_parts_and_columns(fx):
    for make in (movielens, plain, ratings, papers):
        make(fx.directory)
    want = {  # rows to train, to choose, to test; columns; labels
        "ml-100k svm": (40, 2, 38, 32, -1, 1),
        "ml-100k-links svm": (32, 8, 80, 32, -1, 1),
        "ml-100k-links:pairs=sample,valid=0 svm": (40, 0, 40, 32, -1, 1),
        "nips-links:valid=0 svm": (2, 0, 4, 14, -1, 1),
        "phishing svm": (21, 3, 6, 5, -1, 1),
        "phishing:rows=5,test-rows=4,valid=0.3 svm": (5, 5, 4, 5, -1, 1),
        "adult svm": (27, 3, 2, 5, -1, 1),
        "nursery svm": (21, 3, 6, 27, 0, 2),
        "nursery:form=ordinal,positive=2 svm": (21, 3, 6, 8, -1, 1),
        "covtype svm": (21, 3, 6, 3, -1, 1),
        "covtype:positive=none,test=0.5 svm": (12, 3, 15, 3, 1, 3),
        "dna svm": (21, 3, 6, 8, -1, 1),
        "splice svm": (21, 3, 6, 12, -1, 1),
        "ml-1m:seed=3 ridge": (8, 1, 3, 7, 1, 5),
        "lastfm:valid=0 ridge": (4, 0, 1, 5, 2, 3),
        "make:kind=ball,n=50,d=3 svm": (35, 5, 10, 3, -1, 1),
        "make:kind=parity,n=60,d=8,test=0.5 svm": (24, 6, 30, 8, -1, 1),
    }
    talk = reproduce(fx, *want).talk
    got = {m[0]: tuple(map(float, m[1:])) for m in re.findall(
        r"^(\S+): (\d+) rows to train, (\d+) to choose, (\d+) to test, (\d+) columns, labels from (\S+) to (\S+),",
        talk, re.M)}
    assert got == {case.split()[0]: parts for case, parts in want.items()}


@pytest.mark.parametrize("data, said", [
    ("phishing", "lacks data/phishing/phishing (nor is it there with .xz"),
    ("ml-1m", "lacks data/ml-1m/ratings.dat or ml-1m/ratings_notime.dat"),
    ("phishin", "did you mean phishing?"),
    ("make:form=x", "set make has no key `form`"),
    ("make:kind=normal,nz=2", "set make has no key `nz`; it takes rows, test-rows, valid, test, seed, positive, kind, n, d\n"),
    ("make:n=9,n=8", "key 'n' is given twice"),
    ("make:n", "expected key=value at 'n'"),
    ("make:n=9(rbf)", "set make takes nothing in brackets"),
    ("phishing:form=ordinal", "set phishing has no key `form`"),
    ("lastfm:target=", "set lastfm: target= is not count|log"),
    ("make:seed=each+x", "seed=x is not a number of 1 or more"),
    ("make:kind=ball,n=2.5", "set make: n=2.5 is not a whole number"),
    ("make:kind=round", "kind=round is not pairs|triples|parity|fields|dense-positive|normal|ball"),
    ("make:rows=0", "rows=0 is not a number of 1 or more"),
    ("make:valid=0.5,test=0.5", "leave nothing to train on"),
    ("ml-100k:test=0.1", "comes with such a part"),
    ("covtype:positive=9", "positive=9 is the label of no row"),
    ("splice", "splice/splice: 5 in column 2; letters are numbers from 1 to 4"),
    ("lastfm", "lastfm-2k/user_artists.dat:2: not a line of numbers"),
])
def test_faults_are_named(fx, data, said):
    put(fx.directory, "covtype/covtype.data", ["1,2,1", "2,1,2"])
    put(fx.directory, "splice/splice", ["+1 1:1 2:5", "-1 1:2 2:3"])
    put(fx.directory, "lastfm-2k/user_artists.dat", ["userID\tartistID\tweight", "2\tx"])
    put(fx.directory, "lastfm-2k/user_taggedartists.dat", ["userID\tartistID\ttagID"])
    talk = reproduce(fx, f"{data} svm", status=2).talk
    assert said in talk
    assert ("not part of featcross" in talk) == ("lacks" in said)
