#!/usr/bin/env bash
# benches/peers/weight.sh FOLDER: builds saxpy with every crate, each from nothing on two cores, into the folder, and
# prints what that took and what came out as JSON. Needs the variables that toolkit.sh prints.
set -euo pipefail
cd "$(dirname "$0")/saxpy"
mkdir -p "$1"
folder=$(cd "$1" && pwd)

clock() { # command… -> wall and processor seconds, in $wall and $cpu
    local TIMEFORMAT='%R %U %S' times
    times=$({ time "$@" >"$folder/log" 2>&1; } 2>&1) || { cat "$folder/log" >&2; exit 1; }
    read -r wall user system <<<"$times"
    cpu=$(awk -v u="$user" -v s="$system" 'BEGIN { printf "%.2f", u + s }')
}
row() { # name crates locked program
    printf '%s"%s": {"crates": %s, "locked": %s, "wall_s": %s, "cpu_s": %s, "bytes": %s}' \
        "$separator" "$1" "$2" "$3" "$wall" "$cpu" "$(stat -c %s "$4")"
    separator=$',\n  '
}
separator=$'{\n  '
clock cc -O2 -s -I "$CUDA_PATH/include" -DKERNELS="\"$PWD/../kernels/kernels.ptx\"" c.c -o "$folder/C" -L "$CUDA_PATH/lib64" -lcuda
row C 0 0 "$folder/C"
for crate in cuscope cust rustacuda cudarc cuda-core oxicuda singe-cuda; do
    cargo fetch -q --manifest-path "$crate/Cargo.toml"
    rm -rf "$folder/target"
    clock cargo build --release -j 2 --manifest-path "$crate/Cargo.toml" --target-dir "$folder/target"
    cp "$folder/target/release/saxpy-$crate" "$folder/$crate"
    # Without the program itself.
    built=$(($(grep -c Compiling "$folder/log") - 1))
    locked=$(($(grep -c '^\[\[package\]\]' "$crate/Cargo.lock") - 1))
    row "$crate" "$built" "$locked" "$folder/$crate"
done
rm -rf "$folder/target"
printf '\n}\n'
