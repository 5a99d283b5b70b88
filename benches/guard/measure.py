"""Times each kernel as it was compiled and guarded, in turns, compares the results, then goes out of bounds.
    measure.py                 on a GPU: the table of benches/GUARD.md
    measure.py small           the same kernels on less memory, without times: any driver, the software driver too
    measure.py once NAME KIND  launches one, plain or guarded, on less memory
It needs libcuda, and the texts that `compile.py` put beside it. The driver compiles them."""

import array
import ctypes as c
import os
import pathlib
import random
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SMALL = len(sys.argv) > 1
P, S = c.c_uint64, c.c_size_t
# Seconds after which no further kernel begins.
MOST_SECONDS = 200
# Ratios of a kernel: the most, and the fewest if they take more than a second.
MOST_TURNS, FEWEST_TURNS = 61, 11

rng = random.Random(1)
BASE = array.array("f", [rng.gauss(0, 1) for _ in range(1 << 16)]).tobytes()


def floats(n):
    return (BASE * (n * 4 // len(BASE) + 1))[: n * 4]


def zeros(n):
    return bytes(n * 4)


def ints(n, below):
    base = array.array("I", [rng.randrange(below) for _ in range(1 << 16)]).tobytes()
    return (base * (n * 4 // len(base) + 1))[: n * 4]


def words(*values):
    return array.array("Q", values).tobytes()


def strides(dims):
    out, all = [], 1
    for one in reversed(dims):
        out.insert(0, all)
        all *= one
    return out


def cases(small):
    """Module, kernel, shown as, grid, block, bytes of dynamic shared memory, arguments: `i` and `q` are integers of 32 and 64
    bits, `f` a float, `p` memory."""
    size = (lambda large, little: little) if small else (lambda large, little: large)
    N, n = size(1 << 26, 1 << 13), size(2048, 64)
    blocks, side, bodies = size(1056, 8), size(8192, 128), size(32768, 512)
    columns, many = 4096, size(16384, 4)
    heads, positions = size(64, 2), size(2048, 32)
    batch, channels, image, out = size((4, 16, 128, 32), (1, 2, 16, 2))
    src, filter = [batch, channels, image, image], [out, channels, 3, 3]
    pixels, patches = batch * out * image * image, batch * image * image * channels * 9
    quantized, wide = size((16384, 4096), (16, 512))
    rows, ffts = size(1 << 18, 512), size(32768, 8)
    scanned, scanning = size((1 << 24, 512), (1 << 13, 4))
    B, T, C, NH = size((4, 512, 768, 12), (1, 32, 64, 1))
    sequence, d, grid = size((512, 64, 16), (64, 64, 1))
    square = lambda: [("i", n), ("p", floats(n * n)), ("p", floats(n * n)), ("p", zeros(n * n))]
    csr = lambda: array.array("I", [32 * i for i in range(rows + 1)]).tobytes()
    sparse = lambda: [("p", floats(rows * 32)), ("p", ints(rows * 32, rows)), ("p", csr()), ("i", rows), ("p", floats(rows)), ("p", zeros(rows))]
    heads_of = lambda: floats(grid * grid * sequence * d)
    sort = size(2048, 2)
    return [
        ("proto", "saxpy", "saxpy", (N // 256, 1), (256, 1), 0, lambda: [("i", N), ("f", 0.5), ("p", floats(N)), ("p", floats(N))]),
        ("proto", "matmul", "matmul, plain", (n // 16, n // 16), (16, 16), 0, square),
        ("proto", "tiled", "matmul in tiles", (n // 16, n // 16), (16, 16), 0, square),
        ("proto", "blocked", "matmul, 4 x 4 a thread", (n // 64, n // 64), (16, 16), 0, square),
        ("proto", "bodies", "all pairs of bodies", (bodies // 256, 1), (256, 1), 0, lambda: [("i", bodies), ("p", floats(bodies * 4)), ("p", zeros(bodies * 4))]),
        ("proto", "reduce", "reduce", (blocks, 1), (256, 1), 0, lambda: [("i", N), ("p", floats(N)), ("p", zeros(blocks))]),
        ("proto", "gather", "gather", (N // 256, 1), (256, 1), 0, lambda: [("i", N), ("p", ints(N, N)), ("p", floats(N)), ("p", zeros(N))]),
        ("proto", "histogram", "histogram", (blocks, 1), (256, 1), 0, lambda: [("i", N), ("p", ints(N, N)), ("p", zeros(1024))]),
        ("proto", "stencil", "stencil", (side // 32, side // 8), (32, 8), 0, lambda: [("i", side), ("p", floats(side * side)), ("p", zeros(side * side))]),
        ("proto", "softmax", "softmax", (many, 1), (256, 1), 0, lambda: [("i", columns), ("p", floats(many * columns)), ("p", zeros(many * columns))]),
        ("reduce", "softmax_f32", "softmax (candle)", (many, 1), (1, 32), 0, lambda: [("p", floats(many * columns)), ("p", zeros(many * columns)), ("i", columns)]),
        ("reduce", "layernorm_f32", "layernorm (candle)", (many, 1), (1024, 1), 0, lambda: [("p", floats(many * columns)), ("p", zeros(many * columns)), ("p", floats(columns)), ("p", floats(columns)), ("i", columns), ("i", 1024), ("f", 1e-5)]),
        ("reduce", "rmsnorm_f32", "rmsnorm (candle)", (many, 1), (1024, 1), 0, lambda: [("p", floats(many * columns)), ("p", zeros(many * columns)), ("p", floats(columns)), ("i", columns), ("i", 1024), ("f", 1e-5)]),
        ("reduce", "rope_f32", "rope (candle)", (heads * positions * 128 // 512, 1), (256, 1), 0, lambda: [("p", floats(heads * positions * 128)), ("p", floats(positions * 64)), ("p", floats(positions * 64)), ("p", zeros(heads * positions * 128)), ("i", heads), ("i", positions * 128), ("i", 128), ("i", 0)]),
        ("conv", "conv2d_f32", "convolution (candle)", (pixels // 256, 1), (256, 1), 0, lambda: [("q", pixels), ("q", image), ("q", image), ("q", 1), ("q", 1), ("q", 1), ("p", words(*src, *strides(src), *filter, *strides(filter))), ("p", floats(batch * channels * image * image)), ("p", floats(out * channels * 9)), ("p", zeros(pixels))]),
        ("conv", "im2col_f32", "im2col (candle)", (patches // 256, 1), (256, 1), 0, lambda: [("q", patches), ("q", image), ("q", image), ("q", 3), ("q", 3), ("q", 1), ("q", 1), ("q", 1), ("p", words(*src, *strides(src))), ("p", floats(batch * channels * image * image)), ("p", zeros(patches))]),
        ("sort", "asort_asc_f32", "bitonic sort (candle)", (sort, 1), (1024, 1), 4096, lambda: [("p", floats(sort * 1024)), ("p", zeros(sort * 1024)), ("i", 1024), ("i", 1024)]),
        ("quant", "dequantize_mul_mat_vec_q4_0_cuda", "quantized matmul (candle)", (quantized, 1), (32, 1), 0, lambda: [("p", floats(quantized * (wide // 32) * 18 // 4)), ("p", floats(wide)), ("p", zeros(quantized)), ("i", wide), ("i", quantized)]),
        ("fft", "_Z13FFT512_deviceI6float2fEvPT_", "FFT of 512 (SHOC)", (ffts, 1), (64, 1), 0, lambda: [("p", floats(512 * ffts * 2))]),
        ("spmv", "spmv_csr_scalar_kernel", "sparse product, scalar (SHOC)", (rows // 128, 1), (128, 1), 0, sparse),
        ("spmv", "spmv_csr_vector_kernel", "sparse product, vector (SHOC)", (rows // 4, 1), (128, 1), 0, sparse),
        ("scan", "_Z11bottom_scanIf6float4Li256EEvPKT_PS1_S3_i", "scan (SHOC)", (scanning, 1), (256, 1), 8192, lambda: [("p", floats(scanned)), ("p", zeros(scanned)), ("p", zeros(scanning)), ("i", scanned)]),
        ("attention", "attention_query_key_kernel1", "attention, scores (llm.c)", (B * NH * T * T // 256, 1), (256, 1), 0, lambda: [("p", zeros(B * NH * T * T)), ("p", floats(B * T * 3 * C)), ("i", B), ("i", T), ("i", C), ("i", NH)]),
        ("attention", "attention_forward_kernel2", "attention, fused (llm.c)", (grid, grid), (32, 1), 28672, lambda: [("p", heads_of()), ("p", heads_of()), ("p", heads_of()), ("i", sequence), ("i", d), ("i", sequence // 32), ("i", sequence // 32), ("i", 32), ("i", 32), ("f", 0.125), ("p", zeros(grid * grid * sequence)), ("p", array.array("f", [-1e30]).tobytes() * (grid * grid * sequence)), ("p", zeros(grid * grid * sequence * d))]),
    ]


class Failed(Exception):
    pass


class Driver:
    def __init__(self):
        os.environ["CUDA_MODULE_LOADING"] = "EAGER"
        self.lib = c.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, version, context = c.c_int(), c.c_int(), c.c_void_p()
        self.call("cuDeviceGet", c.byref(device), 0)
        name = c.create_string_buffer(64)
        self.call("cuDeviceGetName", name, 64, device)
        self.call("cuDriverGetVersion", c.byref(version))
        self.name = f"{name.value.decode()}, driver of CUDA {version.value // 1000}.{version.value % 1000 // 10}"
        self.call("cuDevicePrimaryCtxRetain", c.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        # Where a guarded kernel stores a failure.
        self.record, host = P(), c.c_void_p()
        self.call("cuMemHostAlloc", c.byref(host), S(4096), 2)
        self.call("cuMemHostGetDevicePointer_v2", c.byref(self.record), host, 0)
        self.word = c.cast(host, c.POINTER(c.c_uint64))
        self.modules, self.texts = {}, []

    def call(self, name, *arguments):
        code = getattr(self.lib, name)(*arguments)
        if code:
            text = c.c_char_p()
            self.lib.cuGetErrorName(code, c.byref(text))
            raise Failed(f"{name}: {(text.value or b'?').decode()}")

    def module(self, name, kind):
        """The module of a text, which the driver compiles. Its complaint is part of the error."""
        if (name, kind) not in self.modules:
            text = c.create_string_buffer((HERE / f"{name}.{kind}.ptx").read_bytes())
            log, module = c.create_string_buffer(4096), c.c_void_p()
            options = (c.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
            values = (c.c_void_p * 2)(c.addressof(log), len(log))
            try:
                self.call("cuModuleLoadDataEx", c.byref(module), text, 2, options, values)
            except Failed as error:
                raise Failed(f"{name}.{kind}.ptx: {error} {log.value.decode(errors='replace').strip()}") from None
            self.modules[name, kind] = module
            self.texts.append(text)
        return self.modules[name, kind]

    def function(self, module, kind, kernel):
        function = c.c_void_p()
        self.call("cuModuleGetFunction", c.byref(function), self.module(module, kind), kernel.encode())
        return function

    def attribute(self, function, which):
        value = c.c_int()
        self.call("cuFuncGetAttribute", c.byref(value), which, function)
        return value.value


class Case:
    """A kernel with its memory."""

    def __init__(self, driver, row):
        self.driver = driver
        self.module, self.kernel, self.shown, self.grid, self.block, self.shared, make = row
        self.arguments, self.buffers = make(), []
        for kind, value in self.arguments:
            if kind == "p":
                address = P()
                driver.call("cuMemAlloc_v2", c.byref(address), S(len(value)))
                self.buffers.append((address.value, value))

    def free(self):
        for address, _ in self.buffers:
            self.driver.call("cuMemFree_v2", P(address))

    def fill(self):
        for address, value in self.buffers:
            self.driver.call("cuMemcpyHtoD_v2", P(address), value, S(len(value)))
        self.driver.word[0] = 0

    def passed(self, kind, short=0):
        """What a launch is given, and what holds it. `short` is how many bytes less the last memory is said to have."""
        values, extents, at = [], [], 0
        for letter, value in self.arguments:
            if letter == "p":
                values.append(P(self.buffers[at][0]))
                size = len(value) - (short if at == len(self.buffers) - 1 else 0)
                extents += [size, size]
                at += 1
            elif letter == "q":
                values.append(P(value))
                extents += [0, 0]
            else:
                values.append(c.c_uint32(value) if letter == "i" else c.c_float(value))
        if kind == "guarded":
            # No memory here is so large, or begins so, that the launch would have to look.
            values.append((P * (len(extents) + 2))(*extents, self.driver.record.value, 7))
        return (c.c_void_p * len(values))(*[c.addressof(value) for value in values]), values

    def launch(self, function, passed):
        self.driver.call("cuLaunchKernel", function, *self.grid, 1, *self.block, 1, self.shared, None, passed[0], None)

    def result(self, function, kind):
        """What all memory holds after one launch."""
        self.fill()
        self.launch(function, self.passed(kind))
        self.driver.call("cuCtxSynchronize")
        results = []
        for address, value in self.buffers:
            results.append(c.create_string_buffer(len(value)))
            self.driver.call("cuMemcpyDtoH_v2", results[-1], P(address), S(len(value)))
        return [one.raw for one in results]

    def times(self, functions):
        """The milliseconds of launches of each kind, in turns. A launch before them keeps the GPU busy until they are all in its
        queue, so that the time of the processor is not in them."""
        start, stop, ms = c.c_void_p(), c.c_void_p(), c.c_float()
        passed = {kind: self.passed(kind) for kind in functions}
        for event in (start, stop):
            self.driver.call("cuEventCreate", c.byref(event), 0)
        times = {"plain": [], "guarded": []}
        begun = time.time()
        for turn in range(2 + MOST_TURNS):
            if turn >= 2 + FEWEST_TURNS and time.time() - begun > 1:
                break
            for kind in ("plain", "guarded") if turn % 2 else ("guarded", "plain"):
                self.launch(functions[kind], passed[kind])
                self.driver.call("cuEventRecord", start, None)
                for _ in range(3):
                    self.launch(functions[kind], passed[kind])
                self.driver.call("cuEventRecord", stop, None)
                self.driver.call("cuEventSynchronize", stop)
                self.driver.call("cuEventElapsedTime", c.byref(ms), start, stop)
                if turn > 1:
                    times[kind].append(ms.value / 3)
        return times


def measure(case, ratios):
    driver, kinds = case.driver, ("plain", "guarded")
    functions = {kind: driver.function(case.module, kind, case.kernel) for kind in kinds}
    results = {kind: case.result(functions[kind], kind) for kind in kinds}
    same = results["plain"] == results["guarded"] and driver.word[0] == 0
    told = "same" if same else f"DIFFERENT {driver.word[0]:#x}"
    if SMALL:
        print(f"{case.shown}: {told}", flush=True)
    else:
        registers = [str(driver.attribute(functions[kind], 4)) for kind in kinds]
        blocks = []
        for kind in kinds:
            value = c.c_int()
            threads = case.block[0] * case.block[1]
            driver.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", c.byref(value), functions[kind], threads, S(case.shared))
            blocks.append(str(value.value))
        times = case.times(functions)
        ratio = statistics.median([b / a for a, b in zip(times["plain"], times["guarded"])])
        ratios.append(ratio)
        plain = statistics.median(times["plain"]) * 1e3
        print(f"| {case.shown} | {plain:.1f} | {ratio:.3f} | {', '.join(registers)} | {', '.join(blocks)} | {told} |", flush=True)
    if case.shown in ("saxpy", "gather", "convolution (candle)"):
        case.fill()
        case.launch(functions["guarded"], case.passed("guarded", 4))
        driver.call("cuCtxSynchronize")
        last, (address, value) = c.create_string_buffer(4), case.buffers[-1]
        driver.call("cuMemcpyDtoH_v2", last, P(address + len(value) - 4), S(4))
        untouched = "untouched" if last.raw == value[-4:] else "WRITTEN"
        print(f"    one short: the record holds {driver.word[0]:#x}, the last element is {untouched}")


def main():
    begun = time.time()
    driver = Driver()
    if sys.argv[1:2] == ["once"]:
        row = next(row for row in cases(True) if row[2] == sys.argv[2])
        case = Case(driver, row)
        case.result(driver.function(case.module, sys.argv[3], case.kernel), sys.argv[3])
        return
    print(driver.name)
    if not SMALL:
        print("| kernel | plain, us | guarded, times | registers | blocks a multiprocessor | bits |\n|---|---|---|---|---|---|")
    ratios = []
    for row in cases(SMALL):
        if time.time() - begun > MOST_SECONDS:
            print(f"no time for {row[2]}")
            continue
        try:
            case = Case(driver, row)
            try:
                measure(case, ratios)
            finally:
                case.free()
        except Failed as error:
            print(f"| {row[2]} | {error} |", flush=True)
    if ratios:
        print(f"median {statistics.median(ratios):.3f}, geometric mean {statistics.geometric_mean(ratios):.3f}, {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
