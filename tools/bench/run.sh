#!/bin/sh
# Runs the benchmarks of this folder under the reference BLAS and under OpenBLAS
# on one thread, where Debian has both side by side, and saves their tables in
# results/. Elsewhere they run once, under the BLAS that R has.
#
#   sh tools/bench/run.sh [script ...]     (default: all; needs sturdy installed)
set -eu
cd "$(dirname "$0")"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
scripts=${*:-"ep-fit.R gradient.R learn.R growth.R"}

run_all() { # label
  for script in $scripts; do
    printf '\n=== %s, %s\n' "$script" "$1"
    STURDY_BENCH_BLAS=$1 Rscript --no-init-file "$script"
  done
}

found=0
for multi in /usr/lib/*/blas; do
  root=$(dirname "$multi")
  [ -e "$root/blas/libblas.so.3" ] || continue
  [ -e "$root/openblas-pthread/libblas.so.3" ] || continue
  found=1
  (LD_LIBRARY_PATH="$root/blas:$root/lapack" && export LD_LIBRARY_PATH && run_all reference)
  (LD_LIBRARY_PATH="$root/openblas-pthread" && export LD_LIBRARY_PATH && run_all openblas)
done
[ "$found" = 1 ] || run_all default
