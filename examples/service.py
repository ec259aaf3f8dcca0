#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""service.py - a model in a web service: each request on a thread of its own, a new user folded in
while others are answered.

A model that is in use does not change: fold_in works on a copy, which then takes its place.
"""
import copy
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

import numpy as np
import pandas as pd

import featcross

rng = np.random.default_rng(1)
taste = {name: rng.normal(size=2) for name in [f"u{k}" for k in range(40)] + ["new"]}
style = {f"i{k}": rng.normal(size=2) for k in range(30)}


def ratings(users, items):
    pairs = [(user, item) for user in users for item in items]
    return (pd.DataFrame(pairs, columns=["user", "item"]),
            np.array([3 + taste[user] @ style[item] for user, item in pairs]))


class Service:
    def __init__(self, model):
        self.model, self.changing = model, threading.Lock()

    def predict(self, body):
        model = self.model              # the same for the whole request
        return model.predict(pd.DataFrame(body)).tolist()

    def learn(self, body):
        X = pd.DataFrame(body)
        with self.changing:             # one change at a time; predictions go on
            self.model = copy.copy(self.model).fold_in(X[["user", "item"]], X["rating"])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = service.learn(body) if self.path == "/learn" else service.predict(body)
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def post(path, rows):
    data = json.dumps(rows.to_dict("records")).encode()
    with urlopen(Request(f"http://127.0.0.1:{server.server_port}/{path}", data)) as reply:
        return json.load(reply)


X, y = ratings([f"u{k}" for k in range(40)], list(style))
service = Service(featcross.FactorizationMachineRegressor(2, beta=1e-5, tol=1e-2, random_state=1,
                                                          n_jobs=1).fit(X, y))
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

known, rest = ratings(["new"], list(style)[:9]), ratings(["new"], list(style)[9:])
with ThreadPoolExecutor(4) as pool:     # four clients
    parts = [X[k::4] for k in range(4)]
    print("answers are those of the model:", all(
        answer == service.model.predict(part).tolist()
        for part, answer in zip(parts, pool.map(lambda part: post("predict", part), parts))))


def error():
    return np.sqrt(np.mean((np.array(post("predict", rest[0])) - rest[1]) ** 2))


before, old = error(), post("predict", X[:50])
post("learn", known[0].assign(rating=known[1]))
print("the new user's error is a tenth of what it was:", bool(error() < before / 10))
print("other answers have not changed:", post("predict", X[:50]) == old)
server.shutdown()
