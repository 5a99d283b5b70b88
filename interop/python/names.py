"""Every name of the driver's library is there, under each version of CUDA that has it.

names.py LIBRARY NAMES: the list is softdriver/src/entry_point/names.txt."""

import ctypes
import sys

NOT_SUPPORTED = 801
FOUND, UNKNOWN, TOO_OLD = 0, 1, 2

def main(path, list_of_names):
    library = ctypes.CDLL(path)
    look_up = library.cuGetProcAddress_v2
    look_up.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int,
                        ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint)]

    def ask(name, version, flags):
        address, status = ctypes.c_void_p(), ctypes.c_uint()
        code = look_up(name.encode(), address, version, flags, status)
        assert code == 0, (name, version, code)
        assert (status.value == FOUND) == bool(address.value), (name, version)
        return address.value, status.value

    symbols = set()
    for line in open(list_of_names):
        name, *rest = line.split()
        forms, per_thread = rest, rest
        if "|" in rest:
            bar = rest.index("|")
            forms, per_thread = rest[:bar], rest[bar + 1:]
        for flags, of in ((0, forms), (1, forms), (2, per_thread)):
            for form in of:
                digits, _, suffix = form.partition("_")
                symbol = name + (f"_{suffix}" if suffix else "")
                assert hasattr(library, symbol), f"{symbol} is not exported"
                symbols.add(symbol)
                _, status = ask(name, int(digits), flags)
                assert status == FOUND, (name, form)
            first = int(of[0].partition("_")[0])
            assert ask(name, first - 1, flags) == (None, TOO_OLD), name
    assert ask("cuNoSuchCall", 13000, 0) == (None, UNKNOWN)
    assert library.cuMemAlloc(0, 0) in (3, NOT_SUPPORTED)
    assert library.cuInit(0) == 0
    assert library.cuMemAlloc(0, 0) == NOT_SUPPORTED
    print(f"names: {len(symbols)} symbols")

main(*sys.argv[1:])
