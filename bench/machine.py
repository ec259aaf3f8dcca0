# SPDX-License-Identifier: BSD-3-Clause
"""One row of bench/results/*.tsv: what was measured, against which program, on which machine and
commit."""
import datetime
import os
import subprocess

HEADER = "date\tcommit\tmachine\twork\tpeer\tpeer_seconds\tour_seconds\tratio\n"


def machine():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


def commit():
    here = os.path.dirname(os.path.abspath(__file__))
    return subprocess.run(["git", "-C", here, "describe", "--always", "--dirty"],
                          capture_output=True, text=True).stdout.strip() or "unknown"


def append_row(path, work, peer, peer_seconds, our_seconds):
    new = not os.path.exists(path)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "a", encoding="ascii") as f:
        if new:
            f.write(HEADER)
        f.write(f"{datetime.date.today()}\t{commit()}\t{machine()}\t{work}\t{peer}\t"
                f"{peer_seconds:.4g}\t{our_seconds:.4g}\t{peer_seconds / our_seconds:.2f}\n")
