#!/bin/sh
# Is the C code as clang-format lays it out by .clang-format? Other major
# versions lay it out otherwise, so the check is then left out.
#
#   sh tools/check-format.sh         checks
#   sh tools/check-format.sh --fix   formats
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
version=14

program=clang-format-$version
command -v "$program" >/dev/null || program=clang-format
have=$("$program" --version 2>/dev/null |
  sed -n 's/.*version \([0-9]*\)\..*/\1/p') || true
if [ "$have" != "$version" ]; then
  echo "check-format: not checked: clang-format $version is needed, here is" \
    "${have:-none}"
  exit 0
fi

if [ "${1:-}" = --fix ]; then
  mode=-i
else
  mode="--dry-run --Werror"
fi
if ! "$program" $mode src/*.c src/*.h tools/ctest/*.c tools/ctest/*.h; then
  echo "check-format: sh tools/check-format.sh --fix lays the files out" >&2
  exit 1
fi
[ "$mode" = -i ] || echo "check-format: fine"
