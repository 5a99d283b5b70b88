#!/usr/bin/env bash
# Fetches NVRTC, which needs no GPU, and prints the folder of the library:
#     NVRTC_LIBRARY_PATH=$(.ci/nvrtc.sh) cargo test --features nvrtc --test nvrtc
# With the argument `headers`, fetches nvrtc.h from the oldest to the newest that the proof reads, and
# prints the value of NVRTC_INCLUDE. It fails if one is missing; with CUSCOPE_MISSING=skip it prints those that are there.
set -euo pipefail
cd "$(dirname "$0")/.."
cache="${CARGO_TARGET_DIR:-target}/nvrtc"
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# fetch WHEEL PATTERN [OPTION…]: what matches the pattern in a wheel, in a folder of its own, which it prints
fetch() {
    local wheel=$1 pattern=$2 folder="$cache/${1//==/-}-${2//[^a-z]/}"
    if [ ! -e "$folder/done" ]; then
        mkdir -p "$folder"
        python3 -m pip download --quiet --no-deps --only-binary=:all: "${@:3}" \
            --dest "$folder" "$wheel" >&2 || return 1
        python3 - "$folder" "$pattern" <<'PYTHON' || return 1
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for wheel in folder.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            path = pathlib.PurePosixPath(name)
            if path.match(sys.argv[2]) and ".alt." not in path.name:
                (folder / path.name).write_bytes(archive.read(name))
    wheel.unlink()
PYTHON
        touch "$folder/done"
    fi
    printf '%s' "$folder"
}

if [ "${1:-}" = headers ]; then
    include=
    for entry in 11080=nvidia-cuda-nvrtc-cu11==11.8.89 12000=nvidia-cuda-nvrtc-cu12==12.0.140 \
        12040=nvidia-cuda-nvrtc-cu12==12.4.127 12080=nvidia-cuda-nvrtc-cu12==12.8.61 \
        12090=nvidia-cuda-nvrtc-cu12==12.9.86 13000=nvidia-cuda-nvrtc==13.0.88 \
        13020=nvidia-cuda-nvrtc==13.2.51 13030=nvidia-cuda-nvrtc==13.3.33 \
        13050=nvidia-cuda-nvrtc==13.5.37; do
        # the same header for every architecture
        if folder=$(fetch "${entry#*=}" nvrtc.h --platform manylinux2014_x86_64 \
            --platform manylinux2010_x86_64 --platform manylinux1_x86_64); then
            include="$include${include:+:}${entry%%=*}=$folder"
        else
            echo "nvrtc: ${entry#*=} could not be fetched" >&2
            [ "${CUSCOPE_MISSING-}" = skip ] || exit 1
        fi
    done
    [ -n "$include" ] || echo "nvrtc: no headers; the proof against them is skipped" >&2
    printf '%s' "$include"
else
    # the newest whose PTX the software driver reads; not the libraries named .alt
    if ! fetch nvidia-cuda-nvrtc==13.0.88 'libnvrtc*.so.[0-9]*'; then
        echo "nvrtc: the wheel nvidia-cuda-nvrtc could not be fetched" >&2
        exit 1
    fi
fi
