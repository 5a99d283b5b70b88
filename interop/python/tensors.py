"""Tensors of cuscope in Python: NumPy over page-locked memory, and memory of the device out and in again. PyTorch or CuPy
take part where there is one, with a GPU."""

import ctypes
import sys

import numpy

library = ctypes.CDLL(sys.argv[1])
library.pinned.restype = library.sevens.restype = ctypes.c_void_p
library.pinned.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
library.sevens.argtypes = [ctypes.c_size_t]
library.sum.restype = ctypes.c_float
library.sum.argtypes = [ctypes.c_void_p]

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

CUDA, CUDA_HOST = 2, 3
# Capsules keep their names by address.
LEGACY, VERSIONED, USED = b"dltensor", b"dltensor_versioned", b"used_dltensor"


class Tensor:
    """What `from_dlpack` takes: a tensor, once."""

    def __init__(self, pointer, name, device):
        assert pointer
        self.capsule, self.device = api.PyCapsule_New(pointer, name, None), device

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device, 0


def take(capsule):
    """The sum of a tensor that is in a capsule, which loses it."""
    pointer = api.PyCapsule_GetPointer(capsule, LEGACY)
    api.PyCapsule_SetName(capsule, USED)
    return library.sum(pointer)


def main():
    array = numpy.from_dlpack(Tensor(library.pinned(3, 4), VERSIONED, CUDA_HOST))
    assert array.shape == (3, 4) and array.dtype == numpy.float32
    assert numpy.array_equal(array, numpy.arange(12, dtype=numpy.float32).reshape(3, 4))
    array[1, 2] = -1
    part = array[1:, ::2]
    del array  # the part keeps the memory
    assert part.tolist() == [[4, -1], [8, 10]]
    del part

    assert take(api.PyCapsule_New(library.sevens(6), LEGACY, None)) == 42

    told = "NumPy"
    try:
        import torch

        if torch.cuda.is_available():
            x = torch.from_dlpack(Tensor(library.sevens(6), LEGACY, CUDA))
            y = x + 1
            torch.cuda.synchronize()
            assert take(y.__dlpack__()) == 48
            told += ", PyTorch"
    except ImportError:
        pass
    try:
        import cupy

        x = cupy.from_dlpack(Tensor(library.sevens(6), LEGACY, CUDA))
        y = x + 1
        cupy.cuda.Device().synchronize()
        assert take(y.__dlpack__()) == 48
        told += ", CuPy"
    except ImportError:
        pass
    print(f"Python: tensors of cuscope in {told}")


main()
