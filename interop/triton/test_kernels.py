"""Kernels in Triton, compared with NumPy. Triton asks PyTorch for the device and for memory; here the driver is asked."""

import ctypes

import numpy
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.backends.nvidia.driver import CudaLauncher, CudaUtils, ty_to_cpp

CUDA = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    """A call of the driver, which must succeed."""
    code = getattr(CUDA, name)(*arguments)
    assert code == 0, f"{name} gave {code}"


class Driver(DriverBase):
    """What Triton asks for. It takes the first device and the default stream."""

    def __init__(self):
        self.utils, self.launcher_cls = CudaUtils(), CudaLauncher
        self.get_current_device = lambda: 0
        self.get_current_stream = lambda device: 0
        self.set_current_device = lambda device: None

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, ty):
        return ty_to_cpp(ty)

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_active_torch_device(self):
        raise NotImplementedError

    def get_benchmarker(self):
        raise NotImplementedError


class Array:
    """An array in device memory."""

    def __init__(self, values):
        self.values = numpy.ascontiguousarray(values)
        self.dtype, self.address = self.values.dtype, ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.values.nbytes))
        call("cuMemcpyHtoD_v2", self.address, self.values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.values.nbytes))

    def data_ptr(self):
        return self.address.value

    def get(self):
        size = ctypes.c_size_t(self.values.nbytes)
        call("cuMemcpyDtoH_v2", self.values.ctypes.data_as(ctypes.c_void_p), self.address, size)
        return self.values

    def __del__(self):
        CUDA.cuMemFree_v2(self.address)


@pytest.fixture(scope="module", autouse=True)
def driver():
    call("cuInit", 0)
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxPushCurrent_v2", context)
    triton.runtime.driver.set_active(Driver())


RANDOM = numpy.random.default_rng(7)


def floats(*shape):
    return RANDOM.random(shape, dtype=numpy.float32) - numpy.float32(0.5)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@pytest.mark.parametrize("block", [64, 1024])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int32", "int8", "int64"])
def test_add(kind, block):
    n = 3001
    x, y = ((100 * floats(n)).astype(kind) for _ in range(2))
    out = Array(numpy.zeros(n, kind))
    add_kernel[(triton.cdiv(n, block),)](Array(x), Array(y), out, n, BLOCK=block)
    assert numpy.array_equal(out.get(), x + y)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * columns + at, mask=at < columns, other=-float("inf"))
    row = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + tl.program_id(0) * columns + at, row / tl.sum(row, axis=0), mask=at < columns)


@pytest.mark.parametrize("warps", [1, 4, 8])
def test_softmax(warps):
    x = floats(9, 781)
    out = Array(numpy.zeros_like(x))
    softmax_kernel[(9,)](Array(x), out, 781, BLOCK=1024, num_warps=warps)
    e = numpy.exp(x - x.max(1, keepdims=True))
    numpy.testing.assert_allclose(out.get(), e / e.sum(1, keepdims=True), rtol=1e-5)


@triton.jit
def product_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        sums = tl.dot(x, y, sums, input_precision=PRECISION)
    tl.store(c + m[:, None] * N + n[None, :], sums, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("kind, precision", [("float16", "ieee"), ("float32", "tf32"), ("float32", "ieee")])
@pytest.mark.parametrize("block, warps, stages", [((32, 32, 32), 4, 2), ((64, 64, 32), 4, 3), ((128, 64, 64), 8, 2)])
def test_product(kind, precision, block, warps, stages):
    m, n, k = 130, 72, 96
    a, b = floats(m, k).astype(kind), floats(k, n).astype(kind)
    c = Array(numpy.zeros((m, n), numpy.float32))
    grid = (triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))
    names = dict(zip(("BM", "BN", "BK"), block), PRECISION=precision)
    product_kernel[grid](Array(a), Array(b), c, m, n, k, **names, num_warps=warps, num_stages=stages)
    tolerance = 1e-2 if precision == "tf32" else 1e-4
    numpy.testing.assert_allclose(c.get(), a.astype("float32") @ b.astype("float32"), atol=tolerance)


@triton.jit
def count_kernel(x, counts, total, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(counts + values, 1, mask=at < n)
    tl.atomic_max(total, tl.max(values, axis=0))


def test_atomics():
    x = RANDOM.integers(0, 32, 5000).astype(numpy.int32)
    counts, total = Array(numpy.zeros(32, numpy.int32)), Array(numpy.zeros(1, numpy.int32))
    count_kernel[(triton.cdiv(5000, 512),)](Array(x), counts, total, 5000, BLOCK=512)
    assert numpy.array_equal(counts.get(), numpy.bincount(x, minlength=32))
    assert total.get()[0] == x.max()


@triton.jit
def scan_kernel(x, out, sorted_out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at)
    tl.store(out + at, tl.cumsum(values, axis=0))
    tl.store(sorted_out + at, tl.sort(values))


@pytest.mark.parametrize("warps", [1, 4])
def test_scan_and_sort(warps):
    x = RANDOM.integers(-1000, 1000, (3, 256)).astype(numpy.int32)
    out, ordered = Array(numpy.zeros_like(x)), Array(numpy.zeros_like(x))
    scan_kernel[(3,)](Array(x), out, ordered, BLOCK=256, num_warps=warps)
    assert numpy.array_equal(out.get(), x.cumsum(1))
    assert numpy.array_equal(ordered.get(), numpy.sort(x, axis=1))


@triton.jit
def transpose_kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tile = tl.load(x + at[:, None] * BLOCK + at[None, :])
    tl.store(out + at[:, None] * BLOCK + at[None, :], tl.trans(tile))


@pytest.mark.parametrize("kind", ["float32", "int16"])
def test_transpose(kind):
    x = (1000 * floats(64, 64)).astype(kind)
    out = Array(numpy.zeros_like(x))
    transpose_kernel[(1,)](Array(x), out, BLOCK=64)
    assert numpy.array_equal(out.get(), x.T)


@triton.jit
def functions_kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    value = tl.sqrt(tl.abs(value)) + tl.sin(value) * tl.cos(value) + tl.log(2.0 + value) + tl.exp2(value) + tl.rsqrt(1.0 + value * value)
    tl.store(out + at, tl.where(value > 2.0, value, -value))


def test_functions():
    x = floats(512)
    out = Array(numpy.zeros_like(x))
    functions_kernel[(1,)](Array(x), out, BLOCK=512)
    y = x.astype(numpy.float64)
    y = numpy.sqrt(abs(y)) + numpy.sin(y) * numpy.cos(y) + numpy.log(2 + y) + numpy.exp2(y) + 1 / numpy.sqrt(1 + y * y)
    numpy.testing.assert_allclose(out.get(), numpy.where(y > 2, y, -y), rtol=1e-5)


@triton.jit
def random_kernel(out, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.rand(seed, at))


def test_random():
    out = Array(numpy.zeros(4096, numpy.float32))
    random_kernel[(4,)](out, 11, BLOCK=1024)
    values = out.get()
    assert 0 <= values.min() and values.max() < 1 and abs(values.mean() - 0.5) < 0.02
    assert len(numpy.unique(values)) > 4000
