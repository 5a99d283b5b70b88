#!/usr/bin/env bash
# Instructions and allocations of an operation, ours and by hand: exact, the slope between two loop counts
# under callgrind. Prints a table.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}/instructions"
work="$target/counted"
mkdir -p "$work"

command -v valgrind >/dev/null || { apt-get update -q && apt-get install -qy valgrind; } >&2

CUSCOPE_DRIVER=native cargo bench -q --no-run --bench instructions --target-dir "$target" >&2
program="$(ls -t "$target"/release/deps/instructions-* | grep -v '\.d$' | head -1)"

# The driver that does nothing: what the program refers to and driver.c does not define.
defined="$(cc -E benches/instructions/driver.c | grep -o '\bcu[A-Z][A-Za-z0-9_]*' | sort -u)"
nm -D --undefined-only "$program" | awk '{print $2}' | sed 's/@.*//' | grep '^cu[A-Z]' | sort -u \
    | comm -23 - <(echo "$defined") | sed 's/.*/int &(void) { return 0; }/' > "$work/rest.c"
cc -O1 -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" benches/instructions/driver.c "$work/rest.c"
export LD_LIBRARY_PATH="$work" LD_BIND_NOW=1

count() { # operation, side, n -> instructions
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
        --toggle-collect="count_$2_$1" "$program" "$1" "$2" "$3" 2>&1 >"$work/allocations" | sed -n 's/.*Collected : //p'
}
per_call() { # operation, side
    local once twice
    once="$(count "$1" "$2" 1000)"
    twice="$(count "$1" "$2" 2000)"
    awk -v a="$once" -v b="$twice" 'BEGIN { printf "%g", (b - a) / 1000 }'
}
printf '%-20s %8s %8s %8s %12s\n' operation 'by hand' ours more allocations
for operation in $("$program"); do
    raw="$(per_call "$operation" raw)"
    ours="$(per_call "$operation" ours)"
    allocations="$(awk '{ print $1 / 2000 }' "$work/allocations")"
    awk -v o="$operation" -v r="$raw" -v u="$ours" -v a="$allocations" \
        'BEGIN { printf "%-20s %8g %8g %8g %12g\n", o, r, u, u - r, a }'
done
