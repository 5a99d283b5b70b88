#!/usr/bin/env python3
"""What guards add to the kernels of `measure.py`, as far as it is known without a GPU:
    benches/guard/counts.py TARGET            prints the table
    benches/guard/counts.py TARGET --update   writes it to benches/GUARD.md
TARGET has the texts of `compile.py`. ptxas assembles each for sm_90 and tells its registers and what it spills. The blocks of a
multiprocessor follow from them by the rules of compute capability 9.0. The software driver runs each kernel once, on less memory,
and counts the instructions of all warps."""

import importlib.util
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(sys.argv[1]).resolve()
PAGE = ROOT / "benches/GUARD.md"
BEGIN, END = "<!-- benches/guard/counts.py writes this table -->\n", "<!-- its end -->\n"
KINDS = ("plain", "guarded")


def ptxas(text):
    """For each kernel of a text: registers, bytes that are spilled, bytes of static shared memory, machine instructions."""
    program = subprocess.run([ROOT / ".ci/ptxas"], capture_output=True, text=True, check=True).stdout
    with tempfile.NamedTemporaryFile(suffix=".cubin") as image:
        run = subprocess.run([program, "-arch=sm_90", "-O3", "-v", "-o", image.name, text], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{text}: {run.stderr}")
        sizes = functions(pathlib.Path(image.name).read_bytes())
    kernels = {}
    for part in re.split(r"Compiling entry function '", run.stderr + run.stdout)[1:]:
        name = part.split("'")[0]
        stores, loads = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", part).groups()
        shared = re.search(r"(\d+) bytes smem", part)
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        kernels[name] = (registers, int(stores) + int(loads), int(shared.group(1)) if shared else 0, sizes[name] // 16)
    return kernels


def functions(image):
    """The bytes of each function of an ELF image."""
    at, = struct.unpack_from("<Q", image, 0x28)
    size, count = struct.unpack_from("<HH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, at + number * size) for number in range(count)]
    sizes = {}
    for section in sections:
        if section[1] != 2:  # the table of symbols
            continue
        names = sections[section[6]][4]
        for place in range(section[4], section[4] + section[5], 24):
            name, info, _, _, _, bytes = struct.unpack_from("<IBBHQQ", image, place)
            if info & 15 == 2:
                sizes[image[names + name : image.index(b"\0", names + name)].decode()] = bytes
    return sizes


def blocks(registers, threads, shared):
    """How many blocks run at once on a multiprocessor of compute capability 9.0: 64 warps, 32 blocks, in each of four parts 16384
    registers, which a warp gets by 256, and 228 KiB of shared memory, of which a block gets 1 KiB more, by 128 bytes."""
    warps = -(-threads // 32)
    of_a_warp = -(-registers * 32 // 256) * 256
    by_registers = 16384 // of_a_warp * 4 // warps
    by_shared = 228 * 1024 // (-(-shared // 128) * 128 + 1024)
    return min(64 // warps, 32, by_registers, by_shared)


def instructions(library, shown, kind):
    """The instructions of the warps of one launch."""
    with tempfile.NamedTemporaryFile() as summary:
        environment = {**os.environ, "LD_LIBRARY_PATH": library, "CUSCOPE_SOFT_SUMMARY": summary.name}
        subprocess.run([sys.executable, TARGET / "measure.py", "once", shown, kind], env=environment, check=True)
        return int(re.search(r"about ([\d,]+) warp instructions", summary.read().decode()).group(1).replace(",", ""))


def software_driver(folder):
    """A folder with the software driver as libcuda.so.1."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "cuscope-softcuda"], cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    (pathlib.Path(folder) / "libcuda.so.1").symlink_to(target.resolve() / "release/libcuscope_softcuda.so")
    return folder


def table(library):
    spec = importlib.util.spec_from_file_location("measure", TARGET / "measure.py")
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    lines = [
        "| kernel | registers | bytes spilled | blocks a multiprocessor | machine instructions | instructions of warps, times |",
        "|---|---|---|---|---|---|",
    ]
    known, ratios, fewer = {}, [], 0
    for module, kernel, shown, _, block, dynamic, _ in measure.cases(False):
        columns = []
        for kind in KINDS:
            if (module, kind) not in known:
                known[module, kind] = ptxas(TARGET / f"{module}.{kind}.ptx")
            registers, spilled, static, machine = known[module, kind][kernel]
            columns.append((registers, spilled, blocks(registers, block[0] * block[1], static + dynamic), machine))
        run = [instructions(library, shown, kind) for kind in KINDS]
        ratios.append(run[1] / run[0])
        fewer += columns[1][2] < columns[0][2]
        cells = [f"{plain}, {guarded}" for plain, guarded in zip(*columns)]
        lines.append(f"| {shown} | {' | '.join(cells)} | {run[1] / run[0]:.2f} |")
    median, mean = statistics.median(ratios), statistics.geometric_mean(ratios)
    lines.append(f"\nInstructions of warps: median {median:.2f}, geometric mean {mean:.2f}. Fewer blocks a multiprocessor: {fewer} of {len(ratios)} kernels.")
    return "\n".join(lines) + "\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = table(software_driver(folder))
    if sys.argv[2:] != ["--update"]:
        print(text, end="")
        return
    head, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}")


main()
