#!/usr/bin/env python3
"""Compiles `rust_kernels.rs` to PTX with rustc, for `reach.py`:
    benches/guard/rust_kernels.py TARGET
It needs a nightly with the components rust-src and llvm-bitcode-linker, which CUSCOPE_NIGHTLY names:
    rustup toolchain install nightly-2026-10-30 --profile minimal -c rust-src,llvm-bitcode-linker"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(sys.argv[1])
MANIFEST = """[package]
name = "kernels"
version = "0.0.0"
edition = "2024"
[lib]
crate-type = ["cdylib"]
path = "kernels.rs"
[profile.release]
panic = "abort"
"""

with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "Cargo.toml").write_text(MANIFEST)
    shutil.copy(HERE / "rust_kernels.rs", f"{folder}/kernels.rs")
    nightly = os.environ.get("CUSCOPE_NIGHTLY", "nightly-2026-10-30")
    command = ["cargo", f"+{nightly}", "build", "--release", "--target", "nvptx64-nvidia-cuda", "-Zbuild-std=core", "--target-dir", "out"]
    environment = {**os.environ, "RUSTFLAGS": "-Ctarget-cpu=sm_90"}
    if subprocess.run(command, cwd=folder, env=environment).returncode:
        sys.exit("rustc did not compile the kernels")
    TARGET.mkdir(parents=True, exist_ok=True)
    shutil.copy(f"{folder}/out/nvptx64-nvidia-cuda/release/kernels.ptx", TARGET / "rust_kernels.ptx")
