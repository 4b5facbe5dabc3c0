#!/bin/sh
# Installs what is needed and runs all tests; the last line printed is
# `N passed, N failed, N skipped`. An argument is a filter on the file names:
#   sh tools/test.sh data
exec sh "$(dirname -- "$0")/run.sh" test.R "$@"
