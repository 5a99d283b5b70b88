#!/usr/bin/env python3
"""Compiles Triton kernels to PTX, without a GPU, for `reach.py`:
    benches/guard/triton_kernels.py ARCH TARGET FOLDER…
ARCH is 80 or 90. It needs the packages `triton` and `packaging`. Each folder has Python packages or modules; every kernel in
them that compiles with one of the guesses below gives a file in TARGET. What the modules import and the machine has not, PyTorch
above all, is replaced by nothing. A kernel whose file is there is not compiled again."""

import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import pathlib
import sys
import types

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

# Seconds for a kernel, with all guesses.
MOST_SECONDS = 60
ARCH, TARGET = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
# What the assembler of the package and the guard both know, in tenths.
VERSION = 90 if ARCH >= 90 else 88
FOLDERS = [pathlib.Path(one).resolve() for one in sys.argv[3:]]
PRESENT = {"triton", "packaging", *sys.builtin_module_names, *sys.stdlib_module_names}


class Anything:
    """What a name of a module that is not there stands for. A decorator gives back what it decorates."""

    def __init__(self, *_, **__):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *given, **named):
        decorates = len(given) == 1 and not named and callable(given[0]) and not isinstance(given[0], Anything)
        return given[0] if decorates else Anything()

    def __mro_entries__(self, _):
        return (object,)

    def __iter__(self):
        return iter(())

    def __getitem__(self, _):
        return Anything()

    __enter__ = __exit__ = __add__ = __sub__ = __mul__ = __truediv__ = __or__ = __ror__ = __getitem__
    __lt__ = __le__ = __gt__ = __ge__ = lambda self, _: True


class Nothing(types.ModuleType):
    """A module that is not there."""

    __path__ = []

    def __getattr__(self, name):
        if name == "__version__":
            return "2.9.0"
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, own):
        self.own = own

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in PRESENT | self.own:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Nothing(spec.name)

    def exec_module(self, module):
        pass


def kernels(folder):
    """The kernels of the modules of a folder, by their name. Those that only others call are among them, and fail."""
    for path in sorted(folder.rglob("*.py")):
        if "backend" in str(path.relative_to(folder)) or "jit" not in path.read_text(errors="replace"):
            continue
        name = "in_" + str(path.relative_to(folder).with_suffix("")).replace("/", "_").replace("-", "_")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        module.__package__ = ".".join(path.relative_to(folder).parts[:-1])
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            print(f"{path.name}: {type(error).__name__}: {error}"[:150], file=sys.stderr)
        for own, value in sorted(vars(module).items()):
            while not isinstance(value, (JITFunction, Anything)) and hasattr(value, "fn"):
                value = value.fn
            if isinstance(value, JITFunction) and value.fn.__module__ == name:
                yield f"{name[3:]}.{own}", value


def constant(name, block):
    """The value of a parameter that is known when a kernel is compiled."""
    lower = name.lower()
    if "num_stages" in lower:
        return 2
    if "group" in lower:
        return 8
    if any(word in lower for word in ["block", "tile", "size", "dim", "_n", "_k", "_m"]) or len(name) < 3:
        return block
    if "eps" in lower or "scale" in lower:
        return 1e-5
    if "reduction" in lower:
        return "mean"
    return 0 if any(word in lower for word in ["has_", "is_", "even", "causal"]) else 1


def guesses(kernel):
    """Types of the parameters, and constants: guesses, the likeliest first."""
    for block in [64, 16, 256]:
        for element in ["*fp32", "*fp16", "*i64"]:
            for capitals in [False, True]:
                signature, constants = {}, {}
                for param in kernel.params:
                    lower = param.name.lower()
                    if param.is_constexpr:
                        signature[param.name] = "constexpr"
                        constants[(param.num,)] = constant(param.name, block)
                    elif "stride" in lower:
                        signature[param.name] = "i32"
                    elif "ptr" in lower or "pointer" in lower or capitals and not lower.startswith("n_") and (
                        param.name != lower and not param.name.isupper() or len(param.name) == 1 and param.name not in "MNK"
                        or lower in ("inp", "out", "input", "output", "mask", "index", "x", "y", "in", "l", "dout")
                    ):
                        integers = any(word in lower for word in ["index", "indices", "target", "ids", "label"])
                        signature[param.name] = "*i64" if integers else element
                    elif any(word in lower for word in ["eps", "scale", "alpha", "beta", "softcap", "dropout", "smoothing", "temperature"]):
                        signature[param.name] = "fp32"
                    else:
                        signature[param.name] = "i32"
                yield signature, constants


def compiled(name, kernel):
    """Writes the PTX of a kernel, if one of the guesses compiles."""
    for signature, constants in guesses(kernel):
        try:
            source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
            text = triton.compile(source, target=GPUTarget("cuda", ARCH, 32), options={"ptx_version": VERSION}).asm["ptx"]
        except Exception:
            continue
        (TARGET / f"{name}.ptx").write_text(text)
        break


def main():
    TARGET.mkdir(parents=True, exist_ok=True)
    tops = {path.stem for folder in FOLDERS for path in folder.iterdir()}
    sys.meta_path.insert(0, Finder(tops))
    found = made = 0
    for folder in FOLDERS:
        sys.path.insert(0, str(folder))
        for name, kernel in kernels(folder):
            found += 1
            if not (TARGET / f"{name}.ptx").exists():
                # In a process of its own: some guesses keep the compiler busy for ever.
                child = multiprocessing.get_context("fork").Process(target=compiled, args=(name, kernel))
                child.start()
                child.join(MOST_SECONDS)
                child.kill()
                child.join()
            made += (TARGET / f"{name}.ptx").exists()
    print(f"{found} kernels and functions of kernels, of which {made} were compiled", file=sys.stderr)


main()
