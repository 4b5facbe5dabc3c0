#!/bin/sh
# Makes sure that R, the compilers and the R packages are there.
#
#   sh tools/setup.sh          what the package and tools/demo.sh need
#   sh tools/setup.sh --test   and what the tests make use of
#   sh tools/setup.sh --ci     and what .ci/run needs besides
#
# On Debian and Ubuntu all comes from the distribution's packages, as root or
# through sudo. An R package that the distribution does not have (or not in a
# new enough version), and every R package elsewhere, comes from CRAN into the
# library of this clone. What is there already is left alone.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/common.sh"

r_packages="cli generics rlang testthat>=3.1.0 withr jsonlite"
# welcome, but no reason to stop where the distribution lacks them
test_r_packages="codetools DBI future future.apply ggplot2 insight kernlab knitr loo
  parameters performance png posterior progressr ranger rmarkdown RSQLite"
# Not among them, since most are built from source, with newer versions of what they
# need, in ten minutes: collapse dials marginaleffects mlr3 modelsummary nanoparquet parsnip
# plumber recipes rsample tune vetiver workflows yardstick. Tests of what sturdy says to them
# (test-meet-*, test-stream-parquet) are skipped without them; install them into a library in R_LIBS.
ci_r_packages="covr pkgdown roxygen2 spelling"
ci_programs="r-mathlib valgrind qpdf pandoc tidy clang-format gcc-multilib hunspell-en-gb"
least_r=4.1

ci=false
welcome=""
case "${1:-}" in
--test) welcome=$test_r_packages ;;
--ci)
  ci=true
  welcome="$test_r_packages $ci_r_packages"
  # without these R CMD build can't make the vignettes
  r_packages="$r_packages knitr rmarkdown"
  ;;
esac

say() { printf '%s\n' "sturdy: $*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

have_deb() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Debian's own R, the one that sees r-cran-* packages?
have_debian_r() {
  have apt-get && have R && [ "$(R RHOME)" = /usr/lib/R ]
}

# R, and all that it takes to compile a package?
have_r() {
  have Rscript || return 1
  if have_debian_r; then
    have_deb r-base-dev
  else
    have make && have_compiler CC && have_compiler FC
  fi
}

have_compiler() {
  set -- $(R CMD config "$1" 2>/dev/null)
  [ $# -gt 0 ] && have "$1"
}

# Prints those of the R packages ("name" or "name>=version") that are missing.
missing_r() {
  [ $# -gt 0 ] || return 0
  Rscript --no-init-file -e '
    for (need in strsplit(commandArgs(TRUE), ">=", fixed = TRUE)) {
      version <- tryCatch(packageVersion(need[1]), error = function(e) NULL)
      if (is.null(version) || (length(need) > 1 && version < need[2]))
        cat(need[1], "")
    }' "$@"
}

# R package names as Debian packages
as_deb() {
  for name in "$@"; do
    printf 'r-cran-%s ' "${name%%>=*}" | tr '[:upper:]' '[:lower:]'
  done
}

# May this user become root? A password is asked for only at a terminal.
can_be_root() {
  [ "$(id -u)" -eq 0 ] && return 0
  have sudo || return 1
  sudo -n true 2>/dev/null && return 0
  [ -t 0 ] && [ -t 2 ] && sudo -v
}

apt() {
  if [ "$(id -u)" -eq 0 ]; then sudo=""; else sudo=sudo; fi
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}

stop_with_line() {
  as_root="as root"
  line="apt-get update && apt-get install -y --no-install-recommends $*"
  if have sudo; then
    as_root="as a user who may use sudo"
    line="sudo sh -c '$line'"
  fi
  say "system packages are missing and this user may not install them."
  say "Run this line $as_root, then start again:"
  printf '\n    %s\n\n' "$line" >&2
  exit 1
}

# Installs the Debian packages; those named after `--` only where they exist.
install_deb() {
  say "installing with apt-get: $*"
  apt update || say "apt-get update failed; going on with the lists at hand"
  must=true
  list=""
  for deb in "$@"; do
    if [ "$deb" = -- ]; then
      must=false
    elif $must || apt-cache show --no-all-versions "$deb" >/dev/null 2>&1; then
      list="$list $deb"
    fi
  done
  apt install --no-install-recommends $list
}

install_cran() {
  say "installing from CRAN into $library: $*"
  Rscript --no-init-file -e '
    repos <- getOption("repos")["CRAN"]
    if (is.na(repos) || repos == "@CRAN@") repos <- "https://cloud.r-project.org"
    cores <- max(1L, parallel::detectCores(), na.rm = TRUE)
    install.packages(commandArgs(TRUE)[-1], lib = commandArgs(TRUE)[1],
      repos = repos, Ncpus = cores)
  ' "$library" "$@" </dev/null >&2 || true
}

# What is missing -----------------------------------------------------------

must=""
may=""
if ! have_r; then
  if ! have apt-get; then
    say "R (at least $least_r) with compilers for C and Fortran and make is needed."
    say "See https://cloud.r-project.org for your system, then start again."
    exit 1
  fi
  must="r-base-dev"
  # with a new R comes a fast BLAS, and fonts for its figures
  have R || may="libopenblas0-pthread fonts-dejavu-core ca-certificates"
fi
if have Rscript; then
  use_library
  r_missing=$(missing_r $r_packages)
  welcome=$(missing_r $welcome)
else
  r_missing=$r_packages
fi
if have_debian_r || [ -n "$must" ]; then
  may="$may $(as_deb $r_missing) $(as_deb $welcome)"
  if $ci; then
    for deb in $ci_programs; do
      have_deb "$deb" || may="$may $deb"
    done
  fi
fi
must=$(echo $must)
may=$(echo $may)

# What was welcome but could not be had is not looked for at every run
tried="${library:-$root/.lib}/welcome-tried"
if [ -z "$must$r_missing" ] && [ "$may" = "$(cat "$tried" 2>/dev/null)" ]; then
  may=""
fi

# Debian packages -----------------------------------------------------------

if [ -n "$must$may" ]; then
  if can_be_root; then
    install_deb $must -- $may
  else
    if [ -n "$must$r_missing" ]; then
      stop_with_line $must $may
    fi
    say "going on without: $may"
  fi
fi
wanted=$may

if ! Rscript --no-init-file -e \
  "quit(status = getRversion() < '$least_r')" >/dev/null 2>&1; then
  say "R is $(R --version | head -n 1), but sturdy needs $least_r or later."
  say "See https://cloud.r-project.org for a newer one on your system."
  exit 1
fi

# The rest from CRAN ----------------------------------------------------------

use_library
r_missing=$(missing_r $r_packages)
if [ -n "$r_missing" ]; then
  install_cran $r_missing
  r_missing=$(missing_r $r_packages)
  if [ -n "$r_missing" ]; then
    say "these R packages could not be installed: $r_missing"
    exit 1
  fi
fi

left=""
for deb in $wanted; do
  have_deb "$deb" || left="$left $deb"
done
[ -z "$left" ] || echo $left >"$library/welcome-tried"
