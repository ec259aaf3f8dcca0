# SPDX-License-Identifier: BSD-3-Clause
"""maps.py - the features of the maps that `featcross train` chooses by itself, and of some others:
explicit; rk of signs with projection packed or hadamard, for anova, anova-upto and all-subsets
kernels.  Used by read_model.py; doc/format.md explains it."""
import functools
import itertools
import math

MASK = 2**32 - 1


@functools.cache
def bits(seed, stream, i):              # draw i: half of a block of Philox4x32-10
    a, b, c, d = (i >> 1) & MASK, i >> 33, stream & MASK, stream >> 32
    k, q = seed & MASK, seed >> 32
    for _ in range(10):
        x, y = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = y >> 32 ^ b ^ k, y & MASK, x >> 32 ^ d ^ q, x & MASK
        k, q = (k + 0x9E3779B9) & MASK, (q + 0xBB67AE85) & MASK
    return d << 32 | c if i & 1 else b << 32 | a


def below(seed, stream, i, n):
    return bits(seed, stream, i) * n >> 64


def stream(use, block=0):
    return 1 << 63 | use << 32 | block


def packed(seed, cols, D, mixed):       # w(s, j): row s, column j of the matrix of signs
    return lambda s, j: 2 * (bits(seed, stream(0), s // 64 * cols + j) >> s % 64 & 1) - 1


@functools.cache
def hadamard(seed, cols, D, mixed):
    folded = cols // 2 > D
    p = max(64, 1 << ((D if folded else cols + mixed) - 1).bit_length())
    place, sample = [], []
    for unit in range(0 if folded else -(-D // p)):
        order = []                      # a random permutation of the columns of H
        for i in range(p - mixed):
            k = below(seed, stream(0, unit), i, i + 1)
            order[i:], order[k:k + 1] = order[k:k + 1], [i]
        sign = [bits(seed, stream(1, unit), j // 64) >> j % 64 & 1 for j in range(cols)]
        place.append([(order[j] + mixed, 2 * sign[j] - 1) for j in range(cols)])
    for r in range(p):                  # rows of the last unit, if it is cut
        if below(seed, stream(3, (D - 1) // p), r, p - r) < D % p - len(sample):
            sample.append(r)

    def at(j):                          # folded: one draw holds a column and its sign
        draw = bits(seed, stream(0), j)
        return mixed + ((draw % 2**40) * (p - mixed) >> 40), 1 - 2 * (draw >> 63)

    def w(s, j):
        column, sign = at(j) if folded else place[s // p][j]
        r = sample[s % p] if s >= D - D % p else s % p
        return sign * (-1) ** bin(r & column).count("1")
    return w


def weights(name, keys):                # of the orders 0, 1, ..; None: all 1
    if name == "all-subsets":
        return None
    order = int(keys["order"])
    theta = [float(x) for x in keys["theta"].split("/")] if name == "anova-upto" else \
        [0.0] * (order - 1) + [1.0]
    return [0.0] + (theta if len(theta) > 1 else theta * order)


@functools.cache
def columns(cols, t):                   # of the products of t features
    return {c: i for i, c in enumerate(itertools.combinations(range(cols), t))}


def explicit(row, cols, name, keys):
    if name == "poly":                  # order, squared?, factor
        c, g = float(keys["coef0"]), float(keys["gamma"])
        parts = [(0, 1, c), (1, 1, math.sqrt(2 * c * g)), (1, 2, g), (2, 1, math.sqrt(2) * g)]
    else:
        theta = weights(name, keys) or [1] * (cols + 1)
        parts = [(t, 1, math.sqrt(w)) for t, w in enumerate(theta)]
    z, first = {}, 0
    for t, power, factor in parts:
        if factor:
            for c in itertools.combinations(sorted(row), t):
                z[first + columns(cols, t)[c]] = factor * math.prod(row[j]**power for j in c)
            first += math.comb(cols, t)
    return z


def random_kernel(row, cols, name, keys, m):
    D, theta = int(m["random"]), weights(name, keys)
    mixed = not theta or (any(theta[0::2]) and any(theta[1::2]))
    draw = {"packed": packed, "hadamard": hadamard}[keys["projection"]]
    w = draw(int(m["seed"]), cols, D, mixed)
    z = {}
    for s in range(D):
        e = [1.0] + [0.0] * (len(theta) - 1 if theta else 0)    # elementary symmetric polynomials
        for j, x in row.items():
            y = x * w(s, j)
            e = [1.0] + [b + y * a for a, b in zip(e, e[1:])] if theta else [e[0] * (1 + y)]
        z[s] = sum(math.sqrt(t) * x for t, x in zip(theta or [1], e)) / math.sqrt(D)
    return z


def features(m, row):                   # {feature: number} of a row that is scaled
    (kernel, _, more), (kind, _, rest) = m["kernel"].partition(":"), m["map"].partition(":")
    keys = dict(pair.split("=") for pair in f"{more},{rest}".split(",") if pair)
    cols, sums = int(m["cols"]), kernel in ("anova", "anova-upto", "all-subsets")
    if kind == "explicit" and (sums or kernel == "poly"):
        return explicit(row, cols, kernel, keys)
    if kind == "rk" and sums and (keys["dist"], keys["complex"]) == ("rademacher", "no") \
            and keys["projection"] in ("packed", "hadamard"):
        return random_kernel(row, cols, kernel, keys, m)
    raise ValueError(f"{m['map']} of {m['kernel']} is not done here")
