#!/usr/bin/env bash
# benches/peers/toolkit.sh FOLDER LIBCUDA [bindgen]: what the other crates want to be built with, laid out as a CUDA toolkit:
# NVIDIA's headers and static runtime from its wheel, empty NVRTC and NVVM, which nothing here calls, and a libcuda to
# link with; with `bindgen` also libclang and the headers that cuda-core reads, from their wheels. Prints the variables to set.
set -euo pipefail
mkdir -p "$1/lib64"
folder=$(cd "$1" && pwd)
wheels() { # wheel… : their headers and libraries, each into its folder
    python3 -m pip download --quiet --no-deps --only-binary=:all: --platform manylinux2014_x86_64 \
        --platform manylinux_2_17_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2010_x86_64 \
        --dest "$folder" "$@" >&2
    python3 - "$folder" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for wheel in folder.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            for part, to in (("/include/", "include"), ("/lib/", "lib64"), ("/clang/native/", "clang")):
                if part in name and not name.endswith("/") and "/libcurand" not in name:
                    path = folder / to / name.split(part, 1)[1]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(archive.read(name))
    wheel.unlink()
PYTHON
}
if [ ! -e "$folder/done" ]; then
    wheels nvidia-cuda-runtime==13.0.96
    ln -sf libcudart.so.13 "$folder/lib64/libcudart.so"
    for library in nvrtc nvvm; do
        echo | cc -shared -x c -o "$folder/lib64/lib$library.so" -
    done
    touch "$folder/done"
fi
if [ "${3:-}" = bindgen ]; then
    [ -e "$folder/clang" ] || wheels libclang==18.1.1 nvidia-cuda-crt==13.0.88 nvidia-curand==10.4.0.35
    echo "export LIBCLANG_PATH='$folder/clang' BINDGEN_EXTRA_CLANG_ARGS='-I$(cc -print-file-name=include)'"
fi
install "$2" "$folder/lib64/libcuda.so"
install "$2" "$folder/lib64/libcuda.so.1"
# Some take CUDA_LIBRARY_PATH for the toolkit, some for the folder that holds libcuda.
ln -sf lib64/libcuda.so "$folder/libcuda.so"
for variable in CUDA_PATH CUDA_HOME CUDA_ROOT CUDA_LIBRARY_PATH; do
    echo "export $variable='$folder'"
done
echo "export LIBRARY_PATH='$folder/lib64'"
