"""What the scripts of mutants share: the copy of the tree that mutants are planted in, and `cargo mutants`."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target/mutants"


def cargo_mutants():
    """The program `cargo-mutants`, which is installed if it is not there."""
    program = TOOLS / "bin/cargo-mutants"
    if not program.exists():
        install = ["cargo", "install", "--locked", "cargo-mutants@27.1.0", "--root", TOOLS]
        subprocess.run(install, check=True)
    return program


def copy_tree(tree, texts={}):
    """Brings the copy up to date, with these texts in place of files. What is equal keeps its time, so that it is not
    built again."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")
    files = {file for file in files if file and (ROOT / file).is_file()} - set(texts)
    for file in files:
        here, there = ROOT / file, tree / file
        if not there.exists() or here.read_bytes() != there.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)
    for file, text in texts.items():
        there = tree / file
        if not there.exists() or there.read_text() != text:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_text(text)
    for top in ("src", "ui-tests", "tests"):
        for there in (tree / top).rglob("*"):
            name = str(there.relative_to(tree))
            if there.is_file() and name not in files and name not in texts:
                there.unlink()
