#!/usr/bin/env bash
# What operations cost on a GPU, beside C and other crates.
#
#     benches/peers/run.sh build FOLDER        builds all that measures, and weighs, into a folder
#     benches/peers/run.sh build-only FOLDER   the same without weighing: the report keeps the weights that it has
#     FOLDER/measure.sh OUT                    measures: on the machine with the GPU, which needs gcc and no Rust
#     benches/peers/run.sh report FOLDER OUT   writes benches/RESULTS.md and its plot
set -euo pipefail
cd "$(dirname "$0")/../.."
target="$(realpath -m "${CARGO_TARGET_DIR:-target}")"
unset CARGO_TARGET_DIR
work="$target/peers"
mkdir -p "$work"
program="$work/release/cuscope-peers"

case "${1:-}" in
build | build-only)
    mkdir -p "$2/saxpy"
    folder="$(realpath "$2")"
    # A libcuda to link with: the software driver's exports all that the crates ask for.
    cargo build --release -p cuscope-softcuda --target-dir "$target"
    variables="$(benches/peers/toolkit.sh "$work/toolkit" "$target/release/libcuscope_softcuda.so" bindgen)"
    eval "$variables"
    export CUSCOPE_DRIVER=native
    cargo build --release --manifest-path benches/peers/Cargo.toml --target-dir "$work"
    cp "$program" "$folder/peers"
    strip "$folder/peers"
    cp benches/peers/measure.sh benches/peers/shim/* "$folder/"
    rm -f "$folder/weight.json"
    if [ "$1" = build ]; then
        benches/peers/weight.sh "$folder/saxpy" > "$folder/weight.json.new"
        mv "$folder/weight.json.new" "$folder/weight.json"
    fi
    ;;
report)
    LD_LIBRARY_PATH="$work/toolkit/lib64" "$program" report "$3" "$2/weight.json" benches
    ;;
*)
    sed -n '2,8s/^# \?//p' "$0" >&2
    exit 2
    ;;
esac
