#!/usr/bin/env bash
# benches/peers/measure.sh OUT [SHARE]: on the machine with the GPU, beside what run.sh built: counts, times and
# starts, into the folder OUT.
set -euo pipefail
cd "$(dirname "$0")"
out=$1
libcuda=$(ldconfig -p | awk '/libcuda\.so\.1/ { print $NF; exit }')
./build.sh "${libcuda:-/usr/lib/libcuda.so.1}" shim
LD_LIBRARY_PATH=$PWD/shim ./peers count > "$out/count.json"
# What the driver made for a candidate, and where, stays as it is while a process lives: four processes.
for run in 0 1 2 3; do
    PEERS_FIRST=$((3 * run)) ./peers time "$((4 * ${2:-1}))" > "$out/time.$run.json" 2>> "$out/time.log"
done

[ -e saxpy/C ] || exit 0 # nothing was weighed

# From the start of the process to the first launch, in milliseconds: what the program says, and its whole life.
programs="C cuscope cust rustacuda cudarc cuda-core oxicuda singe-cuda"
: > "$out/starts"
for round in $(seq 0 10); do
    for program in $programs; do
        before=$EPOCHREALTIME
        launched=$("saxpy/$program")
        after=$EPOCHREALTIME
        [ "$round" = 0 ] || echo "$program $launched $((${after/./} - ${before/./}))" >> "$out/starts"
    done
done
