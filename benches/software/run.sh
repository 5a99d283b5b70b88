#!/usr/bin/env bash
# Times kernels on the software driver beside the same loops in C and, if it is installed, beside PoCL's CPU device
# (Debian: pocl-opencl-icd, ocl-icd-opencl-dev). Prints a table in Markdown; docs: benches/SOFTWARE.md.
#
#     benches/software/run.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds="${1:-9}"
work="${CARGO_TARGET_DIR:-target}/software"
mkdir -p "$work"
gcc -O3 -march=native -shared -fPIC -o "$work/loops.so" benches/software/baseline.c -lm
cargo build -q --release -p cuscope-software-times
program="${CARGO_TARGET_DIR:-target}/release/cuscope-software-times"

taskset -c 0 "$program" "$work/loops.so" "$rounds" > "$work/one"
cores=$(nproc)
if [ "$cores" -gt 1 ]; then
    taskset -c 0,1 "$program" "$work/loops.so" "$rounds" > "$work/two"
else
    : > "$work/two"
fi
: > "$work/pocl"
if gcc -O2 -o "$work/opencl" benches/software/opencl.c -lOpenCL 2> /dev/null; then
    POCL_MAX_PTHREAD_COUNT=1 taskset -c 0 "$work/opencl" "$rounds" > "$work/pocl"
fi

echo "| kernel | C | software driver | times C | PoCL | two cores, times as fast |"
echo "| --- | ---: | ---: | ---: | ---: | ---: |"
awk -v work="$work" '
    BEGIN {
        while ((getline < (work "/two")) > 0) two[$1] = $5
        while ((getline < (work "/pocl")) > 0) pocl[$1] = sprintf("%.1f ms", $2 * 1000)
    }
    {
        faster = $1 in two ? sprintf("%.2f", $5 / two[$1]) : "–"
        other = $1 in pocl ? pocl[$1] : "–"
        printf "| %s | %.1f ms | %.1f ms | %.1f | %s | %s |\n", $1, $2 * 1000, $3 * 1000, $3 / $2, other, faster
    }' "$work/one"
