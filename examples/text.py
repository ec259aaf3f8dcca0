#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""text.py - reviews in which no word alone says anything: "not good" is bad, "not bad" is good.

A bag of words is enough once pairs of words have weights.  The pairs are made by the map
`ExplicitCombinations`, and an L1 penalty keeps the few that matter.
"""
import random

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

import featcross

draw = random.Random(1)
ABOUT = ["plot", "cast", "music", "ending", "script", "camera", "story", "pace"]
FILLER = ["the", "really", "overall", "i", "think", "was", "this", "film", "to", "me"]


def review():
    """A text and whether it praises."""
    negated, praise = draw.random() < 0.5, draw.random() < 0.5
    words = draw.sample(FILLER, 4) + draw.sample(ABOUT, 2)
    words += [draw.choice(["good", "fine"] if praise else ["bad", "dull"])] + ["not"] * negated
    draw.shuffle(words)
    return " ".join(words), "praise" if praise != negated else "blame"


texts, labels = zip(*[review() for _ in range(2000)])
words = CountVectorizer(binary=True, token_pattern=r"\w+")
X = words.fit_transform(texts).astype("float32")
train, test, y_train, y_test = train_test_split(X, labels, random_state=1)

linear = featcross.LinearClassifier(random_state=1).fit(train, y_train)
pairs = featcross.LinearClassifier(
    map=featcross.ExplicitCombinations(kernel="anova-upto", degree=2),
    penalty="l1", C=0.1, random_state=1).fit(train, y_train)

print(f"words alone    {linear.score(test, y_test):.2f}")
print(f"pairs of words {pairs.score(test, y_test):.2f}")
name = words.get_feature_names_out()
for found in pairs.top_combinations(4, order=2):
    side = "praise" if found.weight > 0 else "blame"
    print(f"{' + '.join(name[j] for j in found.features):12} {side}")
