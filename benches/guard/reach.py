#!/usr/bin/env python3
"""How many kernels of PTX texts can be guarded, and what stops the others:
    benches/guard/reach.py NAME=FOLDER…
Each folder is searched for *.ptx. The tables go to standard output. CUSCOPE_GUARD names the command, if it is not the one
of a release build."""

import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUARD = os.environ.get("CUSCOPE_GUARD", str(ROOT / "target/release/cuscope-guard"))
reasons = collections.Counter()
print("| kernels of | texts | kernels | guarded | |\n|---|---|---|---|---|")
every = collections.Counter()
for argument in sys.argv[1:]:
    name, folder = argument.split("=", 1)
    count = collections.Counter()
    for path in sorted(pathlib.Path(folder).rglob("*.ptx")):
        run = subprocess.run([GUARD, path], capture_output=True, text=True)
        count["texts"] += 1
        if run.returncode == 2:
            kernels = len(re.findall(r"^\s*(?:\.visible|\.weak)?\s*\.entry\b", path.read_text(errors="replace"), re.M))
            count["kernels"] += kernels
            reasons["the text: " + run.stderr.strip().split(": ", 2)[-1]] += kernels
            continue
        refused = run.stderr.strip().splitlines()
        guarded = run.stdout.count(".visible .entry ")
        count["kernels"] += guarded + len(refused)
        count["guarded"] += guarded
        for line in refused:
            reasons[re.sub(r"^.*?line \d+: ", "", line)] += 1
    share = 100 * count["guarded"] / max(count["kernels"], 1)
    print(f"| {name} | {count['texts']} | {count['kernels']} | {count['guarded']} | {share:.1f} % |")
    every += count
share = 100 * every["guarded"] / max(every["kernels"], 1)
print(f"| all | {every['texts']} | {every['kernels']} | {every['guarded']} | {share:.1f} % |")
print("\n| what stops the others | kernels |\n|---|---|")
for reason, count in reasons.most_common():
    print(f"| {reason} | {count} |")
