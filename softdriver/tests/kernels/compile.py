#!/usr/bin/env python3
"""Compiles CUDA C++ kernels to PTX with NVRTC, which needs no GPU.

usage: compile.py LIBNVRTC [--arch compute_75] [FILE.cu ...]

Each FILE.cu gives a FILE.ptx beside it; without files, every .cu in this
folder is compiled. LIBNVRTC is the path of libnvrtc.so; the folder it lies in
must be on the loader's path (LD_LIBRARY_PATH), for the builtins. The
compiler's text is kept as it is, apart from the banner of comments that leads
it. The .ptx in this folder are of NVRTC 13.0.88 for compute_75.
"""

import argparse
import ctypes
import pathlib
import re
import sys


def compile_one(nvrtc, source, arch):
    """The PTX of one source file."""
    program = ctypes.c_void_p()
    text = source.read_bytes()
    check(nvrtc, nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), text, source.name.encode(), 0, None, None))
    options = [f"--gpu-architecture={arch}".encode()]
    array = (ctypes.c_char_p * len(options))(*options)
    result = nvrtc.nvrtcCompileProgram(program, len(options), array)
    if result != 0:
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(f"{source.name}: {log.value.decode()}")
    size = ctypes.c_size_t()
    check(nvrtc, nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
    ptx = ctypes.create_string_buffer(size.value)
    check(nvrtc, nvrtc.nvrtcGetPTX(program, ptx))
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return re.sub(r"\A(?:\s*//[^\n]*\n)*\s*", "", ptx.value.decode())


def check(nvrtc, result):
    """Ends the program where a call failed."""
    if result != 0:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit(nvrtc.nvrtcGetErrorString(result).decode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libnvrtc")
    parser.add_argument("--arch", default="compute_75")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_intermixed_args()
    nvrtc = ctypes.CDLL(arguments.libnvrtc)
    here = pathlib.Path(__file__).resolve().parent
    for source in arguments.files or sorted(here.glob("*.cu")):
        source.with_suffix(".ptx").write_text(compile_one(nvrtc, source, arguments.arch))


if __name__ == "__main__":
    main()
