"""The driver's calls from Python, by NVIDIA's own bindings: a kernel of CUDA C++, compiled by NVRTC."""

import ctypes

import numpy
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def check(answer):
    """What a call gives behind its code, which must be success."""
    code, *rest = answer
    assert int(code) == 0, code
    return rest[0] if len(rest) == 1 else rest


def ptx(architecture):
    program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
    check(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=" + architecture]))
    text = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, text))
    return text


def main():
    check(driver.cuInit(0))
    count = check(driver.cuDeviceGetCount())
    device = check(driver.cuDeviceGet(0))
    attribute = driver.CUdevice_attribute
    major = check(driver.cuDeviceGetAttribute(
        attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = check(driver.cuDeviceGetAttribute(
        attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    context = check(driver.cuCtxCreate(None, 0, device))
    module = check(driver.cuModuleLoadData(ptx(b"compute_%d%d" % (major, minor))))
    kernel = check(driver.cuModuleGetFunction(module, b"saxpy"))
    n, a = 1000, 2.5
    x = numpy.arange(n, dtype=numpy.float32)
    y = numpy.ones(n, dtype=numpy.float32)
    result = numpy.zeros(n, dtype=numpy.float32)
    on_device = [check(driver.cuMemAlloc(x.nbytes)) for _ in range(2)]
    for to, source in zip(on_device, (x, y)):
        check(driver.cuMemcpyHtoD(to, source.ctypes.data, source.nbytes))
    stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    values = (a, on_device[0], on_device[1], n)
    types = (ctypes.c_float, None, None, ctypes.c_uint)
    check(driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, (values, types), 0))
    check(driver.cuMemcpyDtoHAsync(result.ctypes.data, on_device[1], result.nbytes, stream))
    check(driver.cuStreamSynchronize(stream))
    assert numpy.array_equal(result, numpy.float32(a) * x + y)
    assert int(driver.cuMemAlloc(0)[0]) == int(driver.CUresult.CUDA_ERROR_INVALID_VALUE)
    check(driver.cuStreamDestroy(stream))
    for memory in on_device:
        check(driver.cuMemFree(memory))
    check(driver.cuModuleUnload(module))
    check(driver.cuCtxDestroy(context))
    print(f"Python: {count} devices, kernels compiled for {major}.{minor}")


main()
