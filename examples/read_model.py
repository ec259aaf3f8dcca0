#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""read_model.py - a model of featcross, read and used with Python alone; doc/format.md explains it.

    python3 examples/read_model.py MODEL ROWS       # svmlight rows; prints labels and scores
"""
import json, math, struct, sys, zlib  # noqa: E401

CODE = {"F64": "<d", "F32": "<f", "I64": "<q", "I32": "<i", "U8": "<B", "U32": "<I"}


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    if zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise ValueError(f"{path}: no model, truncated or damaged")
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    model = header.pop("__metadata__")
    if model["format"] != "featcross" or int(model["format_version"]) > 4:
        raise ValueError(f"{path}: no model, or written by a newer version")
    for name, array in header.items():
        begin, end = (start + offset for offset in array["data_offsets"])
        model[name] = [x for x, in struct.iter_unpack(CODE[array["dtype"]], data[begin:end])]
    kind = float if model.get("class_type") == "number" else str
    model["classes"] = list(map(kind, json.loads(model.get("classes", "[]"))))
    return model


def fill(m, row):                       # missing numbers, which are NaN
    inputs, lost = int(m["inputs"]), {j for j, x in row.items() if x != x}
    z = {j: m["fill"][j] if "fill" in m else 0.0 for j in lost if j < inputs}
    if m["missing"] == "drop" and z:
        raise ValueError("a row with missing values, which the model leaves out")
    z |= {j: x for j, x in row.items() if j < inputs and j not in lost}
    return z | {inputs + k: 1.0 for k, j in enumerate(m.get("indicators", ())) if j in lost}


def scores(m, row):                     # row: {column from 0: number}
    row = fill(m, row) if "missing" in m else row
    seen = m.get("seen", [1] * int(m["cols"]))
    z = {j: x for j, x in row.items() if j < len(seen) and seen[j]}
    norm = {"unit-l1": sum(map(abs, z.values())), "unit-l2": math.hypot(*z.values())}
    for j in z:
        z[j] *= m["factors"][j] if "factors" in m else 1 / (norm.get(m["scale"]) or 1)
    if m["map"]:
        import maps
        z = maps.features(m, z)
    elif "vector_ptr" in m \
            or m["kernel"].partition(":")[0] not in ("", "precomputed", "groups", "cross"):
        z = dict(enumerate(kernel(m["kernel"], v, z) for v in vectors(m)))
    W, b = m["weights"], m["intercepts"]
    return [b[c] + math.fsum([*(x * W[j * len(b) + c] for j, x in z.items()), *machine(m, z, c)])
            for c in range(len(b))]


def machine(m, z, c):                   # numbers that the factors of output c add to the score
    name, _, keys = m["model"].partition(":")
    key = dict(e.split("=") for e in keys.split(","))
    front = int(key.get("order", 1)) - 1 if name == "hofm-shared" else name.startswith("poly-net")
    x = {**dict.fromkeys(range(front), 1), **{front + j: v for j, v in z.items()}}
    wide = front + int(m["cols"])
    x |= {wide + j: v for j, v in x.items()} if name == "poly-net-uv" else {}
    side = {"poly-net-uv": wide, "bilinear": int(key.get("split", 0))}.get(name)
    group = groups(m) if m["kernel"] else (lambda j: j >= side) if side else (lambda j: j)
    for order in (int(k[8:]) for k in m if k.startswith("factors_") and "lambda_" + k[8:] in m):
        P, weights = m[f"factors_{order}"], m[f"lambda_{order}"]
        rank, cols = int(key["rank"]), 2 * wide if name == "poly-net-uv" else wide
        theta = m.get(f"theta_{order}", [])[c * order:(c + 1) * order] or [0] * (order - 1) + [1]
        for s in range(rank):
            sums, e = {}, [1] + [0] * order
            for j, v in x.items():
                g = group(j)
                sums[g] = sums.get(g, 0) + v * P[(c * cols + j) * rank + s]
            for y in (y for g, y in sums.items() if g is not None):
                for t in range(order, 0, -1):
                    e[t] += y * e[t - 1]
            value = math.prod(1 + y for y in sums.values()) if not order else \
                sum(sums.values()) ** order if name == "poly-net" else \
                sum(a * b for a, b in zip(theta, e[1:]))
            yield weights[c * rank + s] * value


def groups(m):                          # of columns: a name, the column itself, or None: no part
    lines = [t.partition("#")[0].replace(",", " ") for t in m["family"].splitlines()]
    lines = [t for t in lines if t.strip()]
    cross = lines.pop(0).split() if m["kernel"].startswith("cross") else None
    of = {int(j) - int(m["base"]): name.strip()
          for name, _, columns in (t.partition(":") for t in lines) for j in columns.split()}
    return lambda j: of.get(j, None if cross else j) if not cross or of.get(j) in cross else None


def vectors(m):                         # of a kernel machine
    if "vectors" in m:
        d = int(m["cols"])
        return [dict(enumerate(m["vectors"][i:i + d])) for i in range(0, len(m["vectors"]), d)]
    entries, ptr = list(zip(m["vector_col"], m["vector_val"])), m["vector_ptr"]
    return [dict(entries[a:b]) for a, b in zip(ptr, ptr[1:])]


def kernel(spec, x, y):
    name, _, keys = spec.partition(":")
    pairs = (e.split("=") for e in keys.split(",")) if name in ("poly", "rbf") else ()
    key = {k: float(v) for k, v in pairs}
    dot = math.fsum(v * y.get(j, 0) for j, v in x.items())
    if name == "poly":
        return (key["gamma"] * dot + key["coef0"]) ** key["degree"]
    if name == "rbf":
        far = math.fsum((x.get(j, 0) - y.get(j, 0)) ** 2 for j in {*x, *y})
        return math.exp(-key["gamma"] * far)
    if name == "anova" and keys == "order=2":
        return (dot ** 2 - math.fsum((v * y.get(j, 0)) ** 2 for j, v in x.items())) / 2
    raise ValueError(f"kernel {spec} is not done here")


def proba(m, f):                        # f: scores; one for each class
    if m["model"].startswith("kernel-svm") and len(f) > 1:
        raise ValueError("coupling of pairs of classes is not done here")
    ab = zip(m["sigmoid"][::2], m["sigmoid"][1::2])
    p = [1 / (1 + math.exp(min(a * x + b, 700))) for (a, b), x in zip(ab, f)]
    return [1 - p[0], p[0]] if len(p) == 1 else [x / sum(p) for x in p]


def votes(m, f):                        # scores of pairs of classes (0,1), (0,2), .., (1,2), ..
    k = range(len(m["classes"]))
    won = [(b if x > 0 else a) for x, (a, b) in zip(f, ((a, b) for a in k for b in k if a < b))]
    return [won.count(c) for c in k]


def label(m, f):
    by = proba(m, f) if "sigmoid" in m else f if len(f) > 1 else [0, f[0]]
    if m["model"].startswith("kernel-svm") and len(f) > 1 and "sigmoid" not in m:
        by = votes(m, f)
    if m["classes"]:
        return m["classes"][by.index(max(by))]
    return min(max(f[0], float(m["low"])), float(m["high"])) if "low" in m else f[0]


if __name__ == "__main__":
    model = load(sys.argv[1])
    for line in open(sys.argv[2]):
        pairs = (e.split(":") for e in line.split("#")[0].split()[1:])
        f = scores(model, {int(j) - int(model["base"]): float(x) for j, x in pairs})
        print(label(model, f), *f)
