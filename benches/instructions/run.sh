#!/usr/bin/env bash
# Instructions and allocations of every operation, ours and by hand, against a driver that does nothing: the slope
# between two loop counts under callgrind, which is exact.
#
#     benches/instructions/run.sh            prints the table
#     benches/instructions/run.sh --check    docs/cost.md must tell it, and a page that does not must fail
#     benches/instructions/run.sh --update   writes it there
set -euo pipefail
cd "$(dirname "$0")/../.."
case "${1:---print}" in
--print | --check | --update) what="${1:---print}" ;;
*) sed -n '5,7s/^# \?//p' "$0" >&2; exit 2 ;;
esac
target="${CARGO_TARGET_DIR:-target}/instructions"
work="$target/counted"
rm -rf "$work"
mkdir -p "$work"

.ci/needs valgrind perl nm

# As any program that is linked with libcuda.
CUSCOPE_DRIVER=native cargo build -q --release -p cuscope-instructions --target-dir "$target" >&2
program="$target/release/cuscope-instructions"

# The driver that does nothing: what the program refers to and driver.c does not define.
defined="$(cc -E benches/instructions/driver.c | grep -o '\bcu[A-Z][A-Za-z0-9_]*' | sort -u)"
nm -D --undefined-only "$program" | awk '{print $2}' | sed 's/@.*//' | grep '^cu[A-Z]' | sort -u \
    | comm -23 - <(echo "$defined") | sed 's/.*/int &(void) { return 0; }/' > "$work/rest.c"
cc -O1 -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" benches/instructions/driver.c "$work/rest.c"
export LD_LIBRARY_PATH="$work" LD_BIND_NOW=1

count() { # n -> lines of operation, side, n, allocations, instructions
    valgrind --tool=callgrind --callgrind-out-file="$work/calls.$1" --collect-atstart=no --toggle-collect='count_*' \
        "$program" count "$1" > "$work/loops.$1" 2> "$work/log.$1" || { cat "$work/log.$1" >&2; exit 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$work/calls.$1" | tr -d , \
        | sed -n 's/^ *\([0-9]*\) .*:count_\([a-z]*\)_\([a-z0-9_]*\).*/\3 \2 \1/p' > "$work/instructions.$1"
    awk 'NR == FNR { of[$1, $2] = $3; next } { print $0, of[$1, $2] }' "$work/instructions.$1" "$work/loops.$1" \
        > "$work/counts.$1"
}
count 1000 &
count 2000
wait $!
cat "$work/counts.1000" "$work/counts.2000" > "$work/counts"

COMPILER="$(rustc --version | cut -d ' ' -f 1,2) for $(rustc -vV | sed -n 's/^host: //p')"
export COMPILER
"$program" page "$work/counts" docs/cost.md "${what#--}"
if [ "$what" = --check ]; then
    "$program" page "$work/counts" docs/cost.md try
fi
