#!/usr/bin/env python3
"""Compiles CUDA sources as they are with nvcc to PTX for sm_90, for `reach.py`:
    benches/guard/nvcc_kernels.py NVCC TARGET FOLDER…
NVCC is the program; the wheels nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt, nvidia-cuda-runtime and nvidia-cuda-cccl of one version
have all that it needs. What does not compile, since it includes what is not there, is left out. Folders named Common or common are searched
for headers. A source whose PTX is there is not compiled again."""

import pathlib
import subprocess
import sys

NVCC, TARGET = sys.argv[1], pathlib.Path(sys.argv[2])
compiled = missed = 0
for folder in map(pathlib.Path, sys.argv[3:]):
    includes = [f"-I{path}" for path in folder.rglob("*") if path.is_dir() and path.name.lower() == "common"]
    for source in sorted(folder.rglob("*.cu")):
        target = TARGET / folder.name / source.relative_to(folder).with_suffix(".ptx")
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            command = [NVCC, "-ptx", "-arch=sm_90", "-std=c++17", "-w", f"-I{source.parent}", *includes, "-o", target, source]
            try:
                done = subprocess.run(command, capture_output=True, timeout=120).returncode == 0
            except subprocess.TimeoutExpired:
                done = False
            if not done:
                missed += 1
                target.unlink(missing_ok=True)
                continue
        compiled += 1
print(f"{compiled} sources were compiled, {missed} were not", file=sys.stderr)
