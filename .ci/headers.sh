#!/usr/bin/env bash
# Fetches NVIDIA's headers, from the oldest to the newest that the proof reads, and prints the value
# of CUDA_INCLUDE: CUDA_INCLUDE=$(.ci/headers.sh) cargo test -p cuscope-sys --test headers
# They are kept outside the tree. It fails if one is missing; with CUSCOPE_MISSING=skip it prints those that are there.
set -euo pipefail

cache="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/cuscope-headers"
wheels=(
    nvidia-cuda-runtime-cu11==11.8.89
    nvidia-cuda-runtime-cu12==12.0.146
    nvidia-cuda-runtime-cu12==12.4.127
    nvidia-cuda-runtime-cu12==12.8.57
    nvidia-cuda-runtime-cu12==12.9.79
    nvidia-cuda-runtime==13.5.37
)
include=
for wheel in "${wheels[@]}"; do
    folder="$cache/${wheel//==/-}"
    if [ ! -e "$folder/done" ]; then
        mkdir -p "$folder"
        if ! python3 -m pip download --quiet --no-deps --only-binary=:all: \
            --platform manylinux2014_x86_64 --platform manylinux1_x86_64 --platform manylinux_2_27_x86_64 \
            --dest "$folder" "$wheel" >&2; then
            echo "headers: $wheel could not be fetched" >&2
            [ "${CUSCOPE_MISSING-}" = skip ] || exit 1
            continue
        fi
        python3 - "$folder" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for wheel in folder.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/include/" in name:
                archive.extract(name, folder)
    wheel.unlink()
PYTHON
        touch "$folder/done"
    fi
    header=$(find "$folder" -name cuda.h -print -quit)
    if [ -z "$header" ]; then
        echo "headers: $wheel has no cuda.h, see $folder" >&2
        exit 1
    fi
    include="$include${include:+:}${header%/cuda.h}"
done
[ -n "$include" ] || echo "headers: none; the proof against them is skipped" >&2
printf '%s' "$include"
