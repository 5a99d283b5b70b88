#!/usr/bin/env bash
# shim/build.sh LIBCUDA FOLDER: a libcuda.so.1 in the folder that counts calls and hands them to the other.
set -euo pipefail
real=$(realpath "$1") folder=$2 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
nm -D --defined-only "$real" | awk '{print $3}' | sed 's/@.*//' | grep '^cu[A-Z]' | sort -u > "$folder/names"
awk '{ printf "NAME(%d, %s)\n", NR - 1, $1 }' "$folder/names" > "$folder/names.inc"
grep -v ' cuGetProcAddress' "$folder/names.inc" > "$folder/forwarded.inc" # shim.c defines those
cc -O1 -shared -fPIC -Wl,-soname,libcuda.so.1 -DREAL="\"$real\"" -DNAMES="$(wc -l < "$folder/names")" \
    -I "$folder" -o "$folder/libcuda.so.1" "$here/shim.c" -ldl
