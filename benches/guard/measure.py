"""On a GPU: times each kernel as it was compiled and guarded, in turns, compares the results, then goes out of bounds.
Needs libcuda, and the cubins beside it."""
import array, ctypes as c, os, random, statistics, sys, time
os.environ["CUDA_MODULE_LOADING"] = "EAGER"
here = os.path.dirname(os.path.abspath(__file__))
d = c.CDLL("libcuda.so.1")
P, S = c.c_uint64, c.c_size_t
begun = time.time()
def ck(r):
    if r:
        n = c.c_char_p(); d.cuGetErrorName(r, c.byref(n)); raise RuntimeError(n.value.decode())
ck(d.cuInit(0)); dev = c.c_int(); ck(d.cuDeviceGet(c.byref(dev), 0))
name = c.create_string_buffer(64); ck(d.cuDeviceGetName(name, 64, dev)); version = c.c_int(); d.cuDriverGetVersion(c.byref(version))
print(name.value.decode(), "driver", version.value)
ctx = c.c_void_p(); ck(d.cuDevicePrimaryCtxRetain(c.byref(ctx), dev)); ck(d.cuCtxSetCurrent(ctx))
rng = random.Random(1)
BASE = array.array("f", [rng.gauss(0, 1) for _ in range(1 << 16)]).tobytes()
def floats(n): return (BASE * (n * 4 // len(BASE) + 1))[: n * 4]
def zeros(n): return bytes(n * 4)
def ints(n, below):
    base = array.array("I", [rng.randrange(below) for _ in range(1 << 16)]).tobytes()
    return (base * (n * 4 // len(base) + 1))[: n * 4]
def words(*values): return array.array("Q", values).tobytes()
def strides(dims):
    out, all = [], 1
    for one in reversed(dims): out.insert(0, all); all *= one
    return out
record = P(); host = c.c_void_p(); ck(d.cuMemHostAlloc(c.byref(host), S(4096), 2)); ck(d.cuMemHostGetDevicePointer_v2(c.byref(record), host, 0))
word = c.cast(host, c.POINTER(c.c_uint64))
N, n = 1 << 26, 2048
bhtd = (64, 2048 * 128, 128)
src4, k4 = [4, 16, 128, 128], [32, 16, 3, 3]
rows = 1 << 18
def csr():
    return array.array("I", [32 * i for i in range(rows + 1)]).tobytes()
# module, kernel, shown as, grid, block, shared bytes, arguments
CASES = [
    ("proto", "saxpy", "saxpy", (N // 256, 1), (256, 1), 0, lambda: [("i", N), ("f", 0.5), ("p", floats(N)), ("p", floats(N))]),
    ("proto", "matmul", "matmul, plain", (n // 16, n // 16), (16, 16), 0, lambda: [("i", n), ("p", floats(n * n)), ("p", floats(n * n)), ("p", zeros(n * n))]),
    ("proto", "tiled", "matmul in tiles", (n // 16, n // 16), (16, 16), 0, lambda: [("i", n), ("p", floats(n * n)), ("p", floats(n * n)), ("p", zeros(n * n))]),
    ("proto", "blocked", "matmul, 4 x 4 a thread", (n // 64, n // 64), (16, 16), 0, lambda: [("i", n), ("p", floats(n * n)), ("p", floats(n * n)), ("p", zeros(n * n))]),
    ("proto", "bodies", "all pairs of bodies", (128, 1), (256, 1), 0, lambda: [("i", 32768), ("p", floats(32768 * 4)), ("p", zeros(32768 * 4))]),
    ("proto", "reduce", "reduce", (1056, 1), (256, 1), 0, lambda: [("i", N), ("p", floats(N)), ("p", zeros(1056))]),
    ("proto", "gather", "gather", (N // 256, 1), (256, 1), 0, lambda: [("i", N), ("p", ints(N, N)), ("p", floats(N)), ("p", zeros(N))]),
    ("proto", "histogram", "histogram", (1056, 1), (256, 1), 0, lambda: [("i", N), ("p", ints(N, N)), ("p", zeros(1024))]),
    ("proto", "stencil", "stencil", (256, 1024), (32, 8), 0, lambda: [("i", 8192), ("p", floats(8192 * 8192)), ("p", zeros(8192 * 8192))]),
    ("proto", "softmax", "softmax", (16384, 1), (256, 1), 0, lambda: [("i", 4096), ("p", floats(N)), ("p", zeros(N))]),
    ("reduce", "softmax_f32", "softmax (candle)", (16384, 1), (1, 32), 0, lambda: [("p", floats(N)), ("p", zeros(N)), ("i", 4096)]),
    ("reduce", "layernorm_f32", "layernorm (candle)", (16384, 1), (1024, 1), 0, lambda: [("p", floats(N)), ("p", zeros(N)), ("p", floats(4096)), ("p", floats(4096)), ("i", 4096), ("i", 1024), ("f", 1e-5)]),
    ("reduce", "rmsnorm_f32", "rmsnorm (candle)", (16384, 1), (1024, 1), 0, lambda: [("p", floats(N)), ("p", zeros(N)), ("p", floats(4096)), ("i", 4096), ("i", 1024), ("f", 1e-5)]),
    ("reduce", "rope_f32", "rope (candle)", (bhtd[0] * bhtd[1] // 512, 1), (256, 1), 0, lambda: [("p", floats(bhtd[0] * bhtd[1])), ("p", floats(bhtd[1] // 2)), ("p", floats(bhtd[1] // 2)), ("p", zeros(bhtd[0] * bhtd[1])), ("i", bhtd[0]), ("i", bhtd[1]), ("i", bhtd[2]), ("i", 0)]),
    ("conv", "conv2d_f32", "convolution (candle)", (4 * 32 * 128 * 128 // 256, 1), (256, 1), 0, lambda: [("q", 4 * 32 * 128 * 128), ("q", 128), ("q", 128), ("q", 1), ("q", 1), ("q", 1), ("p", words(*src4, *strides(src4), *k4, *strides(k4))), ("p", floats(4 * 16 * 128 * 128)), ("p", floats(32 * 16 * 9)), ("p", zeros(4 * 32 * 128 * 128))]),
    ("conv", "im2col_f32", "im2col (candle)", (4 * 128 * 128 * 16 * 9 // 256, 1), (256, 1), 0, lambda: [("q", 4 * 128 * 128 * 16 * 9), ("q", 128), ("q", 128), ("q", 3), ("q", 3), ("q", 1), ("q", 1), ("q", 1), ("p", words(*src4, *strides(src4))), ("p", floats(4 * 16 * 128 * 128)), ("p", zeros(4 * 128 * 128 * 16 * 9))]),
    ("sort", "asort_asc_f32", "bitonic sort (candle)", (2048, 1), (1024, 1), 4096, lambda: [("p", floats(2048 * 1024)), ("p", zeros(2048 * 1024)), ("i", 1024), ("i", 1024)]),
    ("quant", "dequantize_mul_mat_vec_q4_0_cuda", "quantized matmul (candle)", (16384, 1), (32, 1), 0, lambda: [("p", floats(16384 * 128 * 18 // 4)), ("p", floats(4096)), ("p", zeros(16384)), ("i", 4096), ("i", 16384)]),
    ("fft", "_Z13FFT512_deviceI6float2fEvPT_", "FFT of 512 (SHOC)", (32768, 1), (64, 1), 0, lambda: [("p", floats(512 * 32768 * 2))]),
    ("spmv", "spmv_csr_scalar_kernel", "sparse product, scalar (SHOC)", (rows // 128, 1), (128, 1), 0, lambda: [("p", floats(rows * 32)), ("p", ints(rows * 32, rows)), ("p", csr()), ("i", rows), ("p", floats(rows)), ("p", zeros(rows))]),
    ("spmv", "spmv_csr_vector_kernel", "sparse product, vector (SHOC)", (rows // 4, 1), (128, 1), 0, lambda: [("p", floats(rows * 32)), ("p", ints(rows * 32, rows)), ("p", csr()), ("i", rows), ("p", floats(rows)), ("p", zeros(rows))]),
    ("scan", "_Z11bottom_scanIf6float4Li256EEvPKT_PS1_S3_i", "scan (SHOC)", (512, 1), (256, 1), 8192, lambda: [("p", floats(1 << 24)), ("p", zeros(1 << 24)), ("p", zeros(512)), ("i", 1 << 24)]),
    ("attention", "attention_query_key_kernel1", "attention, scores (llm.c)", (4 * 12 * 512 * 512 // 256, 1), (256, 1), 0, lambda: [("p", zeros(4 * 12 * 512 * 512)), ("p", floats(4 * 512 * 3 * 768)), ("i", 4), ("i", 512), ("i", 768), ("i", 12)]),
    ("attention", "attention_forward_kernel2", "attention, fused (llm.c)", (16, 16), (32, 1), 28672, lambda: [("p", floats(16 * 16 * 512 * 64)), ("p", floats(16 * 16 * 512 * 64)), ("p", floats(16 * 16 * 512 * 64)), ("i", 512), ("i", 64), ("i", 16), ("i", 16), ("i", 32), ("i", 32), ("f", 0.125), ("p", zeros(16 * 16 * 512)), ("p", array.array("f", [-1e30]).tobytes() * (16 * 16 * 512)), ("p", zeros(16 * 16 * 512 * 64))]),
]
images = []  # kept: the driver reads an image again when it first needs a kernel
def load(path):
    images.append(open(path, "rb").read() + bytes(16))
    m = c.c_void_p(); ck(d.cuModuleLoadData(c.byref(m), images[-1])); return m
mods = {}
start, stop = c.c_void_p(), c.c_void_p(); ck(d.cuEventCreate(c.byref(start), 0)); ck(d.cuEventCreate(c.byref(stop), 0))
print("| kernel | plain, us | guarded, times | registers | blocks a multiprocessor | bits |\n|---|---|---|---|---|---|")
ratios = []
def case(module, kernel, shown, grid, block, shared, make):
    if time.time() - begun > 80: print("no time for", shown); return
    args = make(); bufs = []
    for kind, value in args:
        if kind == "p":
            p = P(); ck(d.cuMemAlloc_v2(c.byref(p), S(len(value)))); bufs.append((p.value, value))
    def fill():
        for p, value in bufs: ck(d.cuMemcpyHtoD_v2(P(p), value, S(len(value))))
    fns, regs, occ = {}, {}, {}
    for kind in ("plain", "guarded"):
        if (module, kind) not in mods: mods[module, kind] = load(f"{here}/{module}.{kind}.cubin")
        f = c.c_void_p(); ck(d.cuModuleGetFunction(c.byref(f), mods[module, kind], kernel.encode())); fns[kind] = f
        v = c.c_int(); ck(d.cuFuncGetAttribute(c.byref(v), 4, f)); regs[kind] = v.value
        ck(d.cuOccupancyMaxActiveBlocksPerMultiprocessor(c.byref(v), f, block[0] * block[1], S(shared))); occ[kind] = v.value
    def launch(kind, short=0):
        values, extents, at = [], [], 0
        for k, value in args:
            if k == "p":
                values.append(P(bufs[at][0])); size = len(value) - (short if at == len(bufs) - 1 else 0); extents += [P(size), P(size)]; at += 1
            elif k == "q": values.append(P(value)); extents += [P(0), P(0)]
            elif k == "i": values.append(c.c_uint32(value))
            else: values.append(c.c_float(value))
        if kind == "guarded": values += extents + [record, c.c_uint32(7)]
        a = (c.c_void_p * len(values))(*[c.addressof(v) for v in values])
        ck(d.cuLaunchKernel(fns[kind], grid[0], grid[1], 1, block[0], block[1], 1, shared, None, a, None))
    results = {}
    for kind in ("plain", "guarded"):
        fill(); word[0] = 0; launch(kind); ck(d.cuCtxSynchronize())
        out = []
        for p, value in bufs:
            b = c.create_string_buffer(len(value)); ck(d.cuMemcpyDtoH_v2(b, P(p), S(len(value)))); out.append(b.raw)
        results[kind] = out
    same = results["plain"] == results["guarded"] and word[0] == 0
    times = {"plain": [], "guarded": []}
    for r in range(13):
        for kind in (("plain", "guarded") if r % 2 else ("guarded", "plain")):
            ck(d.cuEventRecord(start, None))
            for _ in range(3): launch(kind)
            ck(d.cuEventRecord(stop, None)); ck(d.cuEventSynchronize(stop))
            ms = c.c_float(); ck(d.cuEventElapsedTime(c.byref(ms), start, stop))
            if r > 1: times[kind].append(ms.value / 3)
    ratio = statistics.median([b / a for a, b in zip(times["plain"], times["guarded"])])
    ratios.append(ratio)
    print(f"| {shown} | {statistics.median(times['plain']) * 1e3:.1f} | {ratio:.3f} | {regs['plain']}, {regs['guarded']} | {occ['plain']}, {occ['guarded']} | {'same' if same else 'DIFFERENT ' + hex(word[0])} |", flush=True)
    if shown in ("saxpy", "gather", "convolution (candle)"):
        fill(); word[0] = 0; launch("guarded", 4); ck(d.cuCtxSynchronize())
        b = c.create_string_buffer(4); p, value = bufs[-1]; ck(d.cuMemcpyDtoH_v2(b, P(p + len(value) - 4), S(4)))
        print(f"    one short: the record holds {word[0]:#x}, the last element is {'untouched' if b.raw == value[-4:] else 'WRITTEN'}")
    for p, _ in bufs: ck(d.cuMemFree_v2(P(p)))
for one in CASES:
    try: case(*one)
    except RuntimeError as error: print("|", one[2], "|", error, "|", flush=True)
print(f"median {statistics.median(ratios):.3f}, geometric mean {statistics.geometric_mean(ratios):.3f}, {time.time() - begun:.0f} s")
