#!/bin/sh
# Runs the benchmarks of this folder and saves their tables in results/: under the
# reference BLAS and under OpenBLAS, both on one thread, where Debian has the two
# side by side; elsewhere once, under the BLAS that R has.
#
#   sh tools/bench/run.sh [--smoke] [script ...]     (default: all; needs sturdy installed)
#
# With --smoke every script runs through once on tiny tables, and nothing is saved.
#
# The tables name the BLAS that R itself reports, not the one asked for here.
set -eu
cd "$(dirname "$0")"
OPENBLAS_NUM_THREADS=1
OMP_NUM_THREADS=1
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS
smoke=false
if [ "${1:-}" = --smoke ]; then
  smoke=true
  BENCH_SMOKE=1
  export BENCH_SMOKE
  shift
fi
scripts=${*:-"growth.R ratio.R peers.R classes.R linear.R ep-fit.R pass.R blas.R adf.R shards.R"}

# $1: folders of libblas.so.3 and liblapack.so.3. The R of Debian puts the folders
# of R_LD_LIBRARY_PATH before LD_LIBRARY_PATH, and its own among them.
run_under() {
  before=$(R RHOME)/lib:$1
  for script in $scripts; do
    printf '\n=== %s\n' "$script"
    R_LD_LIBRARY_PATH="$before" Rscript --no-init-file "$script"
  done
}

found=false
for folder in /usr/lib/*/openblas-pthread; do
  $smoke && break
  root=$(dirname "$folder")
  [ -e "$folder/libblas.so.3" ] && [ -e "$root/blas/libblas.so.3" ] &&
    [ -e "$root/lapack/liblapack.so.3" ] || continue
  found=true
  run_under "$root/blas:$root/lapack"
  run_under "$folder"
done
if ! $found; then
  for script in $scripts; do
    printf '\n=== %s\n' "$script"
    Rscript --no-init-file "$script"
  done
fi
