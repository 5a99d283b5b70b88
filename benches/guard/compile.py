#!/usr/bin/env python3
"""Compiles the kernels of `measure.py` with NVRTC, and guards them:
    benches/guard/compile.py SOURCES TARGET
SOURCES has clones of the repositories that the kernels are from: huggingface/candle, vetter/shoc and karpathy/llm.c, in folders
of these names. TARGET gets both texts of each module and `measure.py`, which needs nothing but a GPU and its driver."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES, TARGET = (pathlib.Path(one).resolve() for one in sys.argv[1:3])
BEGIN = """typedef unsigned int uint;
#define INFINITY __int_as_float(0x7f800000)
#define assert(x)
#define FLT_MAX 3.402823466e+38F
#define M_SQRT1_2 0.70710678118654752440
#define M_PI 3.14159265358979323846
"""
# What NVRTC has no headers for.
HEADERS = {
    "stdint.h": "#pragma once\ntypedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef unsigned long long uint64_t;\n",
    "cmath": "",
    "math.h": "",
}


class Nvrtc:
    """The compiler of `.ci/kernels`, which fetches it."""

    def __init__(self):
        space = {"__file__": str(ROOT / ".ci/kernels"), "__name__": "kernels"}
        exec(compile((ROOT / ".ci/kernels").read_text().rsplit("\nmain()", 1)[0], "kernels", "exec"), space)
        self.inner = space["Nvrtc"]()

    def ptx(self, source, names=(), options=()):
        lib, program = self.inner.library, ctypes.c_void_p()
        lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"source.cu", 0, None, None)
        for name in names:
            lib.nvrtcAddNameExpression(program, name.encode())
        all = ["--gpu-architecture=compute_90", "--std=c++17", "-default-device", "-w", *options]
        all += [f"--include-path={path}" for path in self.inner.include]
        if lib.nvrtcCompileProgram(program, len(all), (ctypes.c_char_p * len(all))(*[one.encode() for one in all])):
            sys.exit(self.inner.output("ProgramLog", program).rstrip(b"\0").decode())
        text = self.inner.output("PTX", program).rstrip(b"\0").decode()
        lib.nvrtcDestroyProgram(ctypes.byref(program))
        return text


def kernel(text, name):
    """The source of a kernel."""
    match = re.search(r"(template\s*<[^>]*>\s*)?__global__[^;{]*?\b" + name + r"\s*\([^;{]*\{", text, re.S)
    end, depth = match.end(), 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[match.start() : end]


def only(ptx, names):
    """PTX without its other kernels."""
    kept, head = [], None
    for match in re.finditer(r"(?ms)^\t?(\.visible |\.weak )?\.entry (\w+)\(.*?^\}\n", ptx):
        head = ptx[: match.start()] if head is None else head
        kept += [match.group()] if match.group(2) in names else []
    return head + "\n".join(kept)


def modules(nvrtc, headers):
    """The PTX of each module."""
    def candle(name, *kernels):
        folder = SOURCES / "candle/candle-kernels/src"
        options = [f"--include-path={headers}", f"--include-path={folder}"]
        return only(nvrtc.ptx(BEGIN + (folder / f"{name}.cu").read_text(), (), options), kernels)

    def shoc(path):
        return re.sub(r"#include.*", "", (SOURCES / "shoc/src/cuda/level1" / path).read_text())

    yield "proto", nvrtc.ptx((HERE / "kernels.cu").read_text())
    yield "reduce", candle("reduce", "softmax_f32", "layernorm_f32", "rmsnorm_f32", "rope_f32")
    yield "conv", candle("conv", "conv2d_f32", "im2col_f32")
    yield "sort", candle("sort", "asort_asc_f32")
    yield "quant", candle("quantized", "dequantize_mul_mat_vec_q4_0_cuda")
    yield "fft", nvrtc.ptx(BEGIN + shoc("fft/codelets.h"), ["FFT512_device<float2,float>"])
    yield "scan", nvrtc.ptx(BEGIN + shoc("scan/scan_kernel.h"), ["bottom_scan<float,float4,256>"])
    # The vector is read by a pointer, as textures of these are no more.
    sparse = shoc("spmv/Spmv.cu")
    sparse = sparse[sparse.rindex("spmv_csr_scalar_kernel") - 600 :]
    code = BEGIN + "#define BLOCK_SIZE 128\n"
    for name in ["spmv_csr_scalar_kernel", "spmv_csr_vector_kernel"]:
        one = re.sub(r"template\s*<[^>]*>", 'extern "C"', kernel(sparse, name)).replace("fpType", "float")
        one = one.replace("texReader vecTexReader;", "").replace("vecTexReader(col)", "vec[col]")
        code += one.replace("const int dim,", "const int dim, const float * __restrict__ vec,")
    yield "spmv", nvrtc.ptx(code)
    attention = (SOURCES / "llm.c/dev/cuda/attention_forward.cu").read_text()
    names = ["attention_query_key_kernel1", "attention_forward_kernel2"]
    yield "attention", nvrtc.ptx(BEGIN + "".join(f'extern "C" {kernel(attention, name)}\n' for name in names))


def main():
    TARGET.mkdir(parents=True, exist_ok=True)
    headers = TARGET / "headers"
    headers.mkdir(exist_ok=True)
    for name, text in HEADERS.items():
        (headers / name).write_text(text)
    guard = os.environ.get("CUSCOPE_GUARD", str(ROOT / "target/release/cuscope-guard"))
    for name, text in modules(Nvrtc(), headers):
        plain, guarded = TARGET / f"{name}.plain.ptx", TARGET / f"{name}.guarded.ptx"
        plain.write_text(text)
        subprocess.run([guard, plain, guarded], check=True)
    shutil.rmtree(headers)
    shutil.copy(HERE / "measure.py", TARGET)


main()
