# Sourced by the scripts of this folder and by .ci/run, after they set `root`
# to the folder of the clone.

# a bare system has no locale at all; R then takes every text for ASCII
if [ -z "${LC_ALL:-}${LC_CTYPE:-}${LANG:-}" ]; then
  LC_ALL=C.UTF-8
  export LC_ALL
fi

# The clone has a library of its own, .lib/R-<version>, which git ignores: the
# package goes there, and so does what had to be fetched from CRAN. Needs R.
use_library() {
  r_version=$(R --version | sed -n '1s/^R version \([0-9]*\.[0-9]*\).*/\1/p')
  library="$root/.lib/R-${r_version:-devel}"
  mkdir -p "$library"
  case ":${R_LIBS:-}:" in
  *":$library:"*) ;;
  *)
    R_LIBS="$library${R_LIBS:+:$R_LIBS}"
    export R_LIBS
    ;;
  esac
}
