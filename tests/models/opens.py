#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""opens.py DIRECTORY - the safetensors package opens the models, and finds in them what
examples/read_model.py finds.  77 (skipped) without the package."""
import glob
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "examples")
import read_model  # noqa: E402

try:
    from safetensors import safe_open
except ImportError:
    print("no safetensors package; scripts/venv numpy scipy pytest safetensors installs it")
    sys.exit(77)

paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.fx")))
for path in paths:
    m = read_model.load(path)
    with safe_open(path, framework="numpy") as f:
        meta = f.metadata()
        assert meta["format"] == "featcross" and meta["model"] == m["model"], path
        for name in f.keys():
            assert f.get_tensor(name).ravel().tolist() == m[name], (path, name)
        k = len(m["intercepts"])
        assert f.get_tensor("weights").shape == (len(m["weights"]) // k, k), path
assert paths
print(f"{len(paths)} models opened")
