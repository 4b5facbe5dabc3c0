#!/bin/sh
# Sets up, installs the package of this clone and runs one of its R scripts:
#
#   sh tools/run.sh <script, relative to tools/> [arguments]
#
# The package goes into the library of the clone (tools/install.sh). The script runs in the current
# folder.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/common.sh"

case "${1:-}" in
test.R | coverage.R | mutate.R | articles.R | site.R | ../tests/testthat.R)
  sh "$root/tools/setup.sh" --test
  use_library bindings
  ;;
*)
  sh "$root/tools/setup.sh"
  use_library
  ;;
esac

sh "$root/tools/install.sh"

script=$1
shift
exec Rscript --no-init-file "$root/tools/$script" "$@"
