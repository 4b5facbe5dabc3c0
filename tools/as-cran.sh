#!/bin/sh
# The tests as CRAN runs them, on the installed package: those files that tests/testthat.R leaves to
# its machines, with no repository around them, and at most two processes. (tools/test.sh runs all
# of them, as developers do.)
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$copy/tests"
cp -R "$root/tests/testthat.R" "$root/tests/testthat" "$copy/tests"
cd "$copy/tests"
unset NOT_CRAN CI
_R_CHECK_LIMIT_CORES_=TRUE LANGUAGE=en sh "$root/tools/run.sh" ../tests/testthat.R
