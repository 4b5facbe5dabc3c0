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
# library of this clone; what only some tests make use of, into a cache of this
# user. What is there already is left alone.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/common.sh"

r_packages="cli generics rlang testthat>=3.1.0 withr jsonlite"
# welcome, but no reason to stop where the distribution lacks them
test_r_packages="codetools data.table DBI emmeans ggplot2 insight kernlab knitr loo
  parameters performance png posterior progressr ranger rmarkdown RSQLite"
# What fits are at home in (test-meet-*), in versions that distributions
# rarely have: from CRAN, built for tests alone, once for each machine and version of R.
# STURDY_BINDINGS=no goes without, and their tests are skipped. Not among them is tune, which
# takes as long to build as all of these.
bindings_r_packages="bundle butcher collapse>=2.0.18 dials>=1.1.0 marginaleffects>=0.18.0 mlr3
  modelsummary paradox parsnip vetiver workflows"
# and what of theirs need not be built
bindings_debs="plumber Formula Rcpp R6 bit64 clipr clock curl digest fastmap fs future globals
  gower hms htmltools httpuv httr ipred jsonlite later lava lubridate mime numDeriv
  openssl parallelly prettyunits prodlim progress progressr promises purrr rappdirs readr sodium
  tidyr tidyselect timeDate tzdb utf8 uuid vroom webutils whisker xfun yaml"
ci_r_packages="covr pkgdown roxygen2 spelling"
ci_programs="ccache r-mathlib valgrind qpdf pandoc tidy clang-format gcc-multilib hunspell-en-gb"
least_r=4.1

ci=false
welcome=""
bindings=""
case "${1:-}" in
--test)
  welcome=$test_r_packages
  bindings=$bindings_r_packages
  ;;
--ci)
  ci=true
  bindings=$bindings_r_packages
  welcome="$test_r_packages $ci_r_packages"
  # without these R CMD build can't make the vignettes
  r_packages="$r_packages knitr rmarkdown"
  ;;
esac

[ "${STURDY_BINDINGS:-yes}" != no ] || bindings=""

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

# A package that others name and that is no longer there has an entry, too, without a version
has_candidate() {
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [0-9]'
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
    elif $must || has_candidate "$deb"; then
      list="$list $deb"
    fi
  done
  apt install --no-install-recommends $list
}

# install_cran <library> <options of R CMD INSTALL, with blanks between> <package ...>
install_cran() {
  say "installing from CRAN into $1: $(shift 2 && echo "$*")"
  Rscript --no-init-file -e '
    repos <- getOption("repos")["CRAN"]
    if (is.na(repos) || repos == "@CRAN@") repos <- "https://cloud.r-project.org"
    cores <- max(1L, parallel::detectCores(), na.rm = TRUE)
    args <- commandArgs(TRUE)
    install.packages(args[-(1:2)], lib = args[1], repos = repos, Ncpus = cores,
      INSTALL_opts = strsplit(args[2], " ")[[1]])
  ' "$@" </dev/null >&2 || true
}

# The same in half of the time, for what need be neither fast nor explained
install_bindings() {
  say "the next step takes some minutes, once for this machine; without it: STURDY_BINDINGS=no"
  mkdir -p "$cache"
  flags=$(mktemp)
  for name in CFLAGS CXXFLAGS CXX11FLAGS CXX14FLAGS CXX17FLAGS CXX20FLAGS FFLAGS; do
    echo "$name = -O0 -g0 -fPIC"
  done >"$flags"
  R_MAKEVARS_USER=$flags install_cran "$cache" \
    "--no-docs --no-byte-compile --no-test-load" "$@" 2>"$cache/log"
  rm -f "$flags"
  bindings=$(missing_r $bindings_r_packages)
  printf '%s\n' "$bindings" >"$cache/tried"
  [ -z "$bindings" ] || say "could not be installed (see $cache/log): $bindings"
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
  # with a new R come fonts for its figures
  have R || may="fonts-dejavu-core ca-certificates"
fi
if have Rscript; then
  use_library bindings
  r_missing=$(missing_r $r_packages)
  welcome=$(missing_r $welcome)
  bindings=$(missing_r $bindings)
  if [ -n "$bindings" ]; then bindings_debs=$(missing_r $bindings_debs); fi
else
  r_missing=$r_packages
fi
# What could not be had is not looked for at every run
if [ "$bindings" = "$(cat "${cache:-}/tried" 2>/dev/null)" ]; then bindings=""; fi
if have_debian_r || [ -n "$must" ]; then
  may="$may $(as_deb $r_missing) $(as_deb $welcome)"
  if [ -n "$bindings" ]; then may="$may $(as_deb $bindings_debs)"; fi
  if $ci; then
    for deb in $ci_programs; do
      have_deb "$deb" || may="$may $deb"
    done
  fi
fi
must=$(echo $must)
may=$(echo $may)

# Nor is what was welcome
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

use_library bindings
r_missing=$(missing_r $r_packages)
if [ -n "$r_missing" ]; then
  install_cran "$library" "" $r_missing
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

if [ -n "$bindings" ]; then
  bindings=$(missing_r $bindings_r_packages)
  [ -z "$bindings" ] || install_bindings $bindings
fi
