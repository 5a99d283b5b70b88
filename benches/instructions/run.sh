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
export CUSCOPE_DRIVER=native
cargo build -q --release -p cuscope-instructions --target-dir "$target" >&2
cargo build -q --release -p cuscope-instructions --features guard --target-dir "$target/guard" >&2
plain="$target/release/cuscope-instructions"
guarded="$target/guard/release/cuscope-instructions"

# The driver that does nothing: what the program refers to and driver.c does not define.
defined="$(cc -E benches/instructions/driver.c | grep -o '\bcu[A-Z][A-Za-z0-9_]*' | sort -u)"
nm -D --undefined-only "$plain" "$guarded" | sed '/:$/d' | awk '{print $2}' | sed 's/@.*//' | grep '^cu[A-Z]' | sort -u \
    | comm -23 - <(echo "$defined") | sed 's/.*/int &(void) { return 0; }/' > "$work/rest.c"
cc -O1 -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" benches/instructions/driver.c "$work/rest.c"
export LD_LIBRARY_PATH="$work" LD_BIND_NOW=1

count() { # program, what, n -> lines of operation, side, n, allocations, instructions
    local at="$2.$3"
    valgrind --tool=callgrind --callgrind-out-file="$work/calls.$at" --collect-atstart=no --toggle-collect='count_*' \
        "$1" "$2" "$3" > "$work/loops.$at" 2> "$work/log.$at" || { cat "$work/log.$at" >&2; exit 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$work/calls.$at" | tr -d , \
        | sed -n 's/^ *\([0-9]*\) .*:count_\([a-z]*\)_\([a-z0-9_]*\).*/\3 \2 \1/p' > "$work/instructions.$at"
    awk 'NR == FNR { of[$1, $2] = $3; next } { print $0, of[$1, $2] }' "$work/instructions.$at" "$work/loops.$at" \
        > "$work/counts.$at"
}
count "$plain" count 1000 &
count "$plain" count 2000
wait $!
for n in 1000 2000; do
    count "$guarded" guarded $n
done
cat "$work"/counts.* > "$work/counts"

COMPILER="$(rustc --version | cut -d ' ' -f 1,2) for $(rustc -vV | sed -n 's/^host: //p')"
export COMPILER
"$guarded" page "$work/counts" docs/cost.md "${what#--}"
if [ "$what" = --check ]; then
    "$guarded" page "$work/counts" docs/cost.md try
fi
