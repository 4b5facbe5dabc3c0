#!/bin/sh
# Makes the stored results of experiments anew, from the commit that is checked out:
#
#   sh tools/experiments.sh kg08-table2 comparison    these
#   sh tools/experiments.sh                           all
#
# CORES=n runs n replications at a time (default 1). Replications are kept in
# ${EXPERIMENT_CACHE:-.lib/experiments}, so that an interrupted run resumes.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
. tools/common.sh
sh tools/setup.sh --ci
use_library

if [ -n "$(git status --porcelain -- R src inst/experiments DESCRIPTION)" ]; then
  echo "R/, src/ or inst/experiments/ differ from the commit: commit first" >&2
  exit 1
fi
STURDY_COMMIT=$(git rev-parse --short=12 HEAD)
export STURDY_COMMIT OPENBLAS_NUM_THREADS=1

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/sturdy" "$place/library"
git archive HEAD | tar -xf - -C "$place/sturdy"
R CMD INSTALL --no-docs -l "$place/library" "$place/sturdy" >"$place/log" 2>&1 ||
  { cat "$place/log" >&2; exit 1; }

R_LIBS="$place/library:$R_LIBS" Rscript --no-init-file -e '
  given <- commandArgs(TRUE)
  cores <- as.integer(given[1])
  cache <- given[2]
  known <- sturdy::experiments()
  names <- if (length(given) > 2) given[-(1:2)] else known$name
  names <- names[!duplicated(known$script[match(names, known$name)])]
  if (cores > 1) future::plan("multisession", workers = cores)
  for (name in names) {
    print(sturdy::run_experiment(
      name, folder = file.path("inst", "experiments", "results"), cache = cache
    ))
  }
' "${CORES:-1}" "${EXPERIMENT_CACHE:-.lib/experiments}" "$@"
