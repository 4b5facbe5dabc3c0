# Sourced by the scripts of this folder and by .ci/run, after they set `root`
# to the folder of the clone.

# a bare system has no locale at all; R then takes every text for ASCII
if [ -z "${LC_ALL:-}${LC_CTYPE:-}${LANG:-}" ]; then
  LC_ALL=C.UTF-8
  export LC_ALL
fi

# The clone has a library of its own, .lib/R-<version>, which git ignores: the
# package goes there, and so does what had to be fetched from CRAN. Needs R.
# `use_library bindings` adds what only tests of other packages need, which is
# kept for all clones of this user (see setup.sh).
use_library() {
  r_version=$(R --version | sed -n '1s/^R version \([0-9]*\.[0-9]*\).*/\1/p')
  library="$root/.lib/R-${r_version:-devel}"
  cache="${XDG_CACHE_HOME:-${HOME:-$root/.lib}/.cache}/sturdy/R-${r_version:-devel}"
  mkdir -p "$library"
  if [ "${1:-}" = bindings ] && [ "${STURDY_BINDINGS:-yes}" != no ]; then
    add_library "$cache"
  fi
  add_library "$library"
}

add_library() {
  case ":${R_LIBS:-}:" in
  *":$1:"*) ;;
  *)
    R_LIBS="$1${R_LIBS:+:$R_LIBS}"
    export R_LIBS
    ;;
  esac
}
