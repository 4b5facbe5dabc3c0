#!/bin/sh
# The R tests with the memory of the C code watched:
#
#   sh tools/sanitize.sh asan [filter]       built with the address and
#                                            undefined-behaviour sanitizers of gcc
#   sh tools/sanitize.sh valgrind [filter]   as tools/test.sh builds it, under valgrind
#
# `filter` is a regular expression for the names of test files; without one, asan
# runs all and valgrind, which takes some 40 times as long, those that reach the most
# C code. Prints the tests' figures and every report that names this package, and
# fails if there is one. Needs gcc's libasan, or valgrind.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/common.sh"
kind=${1:-}
filter=${2:-}

# their children have too little address space, or time, for what watches them
excluded='^(checks-memory|experiments)$'
native='^(adf|adjoint|ep-|exact-ais|exact-sample|family-|latent-lowrank|likelihood|reference|stream-b)'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
sh "$root/tools/setup.sh" --test
use_library

# The names of test files, one that matches each of them and no other
files() {
  names=$(ls "$root/tests/testthat" | sed -n 's/^test-\(.*\)\.R$/\1/p' |
    grep -E -- "$1" | grep -Ev -- "$excluded" | paste -s -d '|' -)
  [ -n "$names" ] || { echo "no test file matches $1" >&2; exit 2; }
  echo "^($names)\$"
}

install_sanitized() {
  mkdir -p "$work/library" "$work/sturdy"
  (cd "$root" && cp -R DESCRIPTION NAMESPACE R src inst "$work/sturdy")
  rm -f "$work"/sturdy/src/*.o "$work"/sturdy/src/*.so
  watch="-fsanitize=address,undefined"
  printf '%s\n' "CC = $(R CMD config CC) $watch" \
    "CFLAGS = -g -O1 -fno-omit-frame-pointer $watch" >"$work/Makevars"
  # R can't load what it has just built: that needs libasan in the process
  R_MAKEVARS_USER="$work/Makevars" MAKEFLAGS=-j2 R CMD INSTALL --no-test-load \
    --no-byte-compile --library="$work/library" "$work/sturdy" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
}

# Reports of child processes count too
show_reports() {
  status=$1
  found=0
  for report in "$work"/report*; do
    if grep -q "$2" "$report" 2>/dev/null; then
      found=$((found + 1))
      cat "$report"
    fi
  done
  echo "sanitize: $kind: reports: $found"
  [ "$found" -eq 0 ] && exit "$status"
  exit 1
}

status=0
case "$kind" in
asan)
  tests=$(files "$filter")
  install_sanitized
  LD_PRELOAD=$(gcc -print-file-name=libasan.so)
  ASAN_OPTIONS="detect_leaks=0:log_path=$work/report"
  UBSAN_OPTIONS="print_stacktrace=1:log_path=$work/report"
  export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS
  R_LIBS="$work/library:$R_LIBS" STURDY_TEST_WORKERS=1 Rscript --no-init-file "$root/tools/test.R" "$tests" ||
    status=$?
  show_reports "$status" .
  ;;
valgrind)
  tests=$(files "${filter:-$native}")
  sh "$root/tools/test.sh" '^control$' >/dev/null # installs what has changed
  STURDY_TEST_WORKERS=1 R -d "valgrind -q --num-callers=40 --log-file=$work/report.%p" --no-init-file \
    --no-echo --no-restore --file="$root/tools/test.R" --args "$tests" || status=$?
  show_reports "$status" 'sturdy\.so'
  ;;
*)
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
  exit 2
  ;;
esac
