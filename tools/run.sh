#!/bin/sh
# Sets up, installs the package of this clone and runs one of its R scripts:
#
#   sh tools/run.sh <script, relative to tools/> [arguments]
#
# The package goes into the library of the clone, .lib/, and is installed again
# only when its files have changed. The script runs in the current folder.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/common.sh"

case "${1:-}" in
test.R | coverage.R | mutate.R | articles.R | site.R)
  sh "$root/tools/setup.sh" --test
  use_library bindings
  ;;
*)
  sh "$root/tools/setup.sh"
  use_library
  ;;
esac

content() {
  for part in DESCRIPTION NAMESPACE .Rinstignore R src inst man; do
    [ ! -e "$part" ] || echo "$part"
  done
}

fingerprint() {
  R --version | head -n 1
  find $(content) -type f ! -name '*.o' ! -name '*.so' -exec cksum {} + |
    LC_ALL=C sort
}

# from a copy, so that no compiled file is left in the clone
install_package() {
  echo "Installing sturdy into $library" >&2
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir "$copy/sturdy"
  cp -R $(content) "$copy/sturdy"
  rm -f "$copy"/sturdy/src/*.o "$copy"/sturdy/src/*.so
  rm -rf "$library/00LOCK-sturdy" "$library/sturdy.fingerprint"
  if ! MAKEFLAGS="${MAKEFLAGS:--j2}" R CMD INSTALL --library="$library" \
    "$copy/sturdy" >"$copy/log" 2>&1 </dev/null; then
    cat "$copy/log" >&2
    exit 1
  fi
  printf '%s\n' "$1" >"$library/sturdy.fingerprint"
  rm -rf "$copy"
  trap - EXIT HUP INT TERM
}

here=$PWD
cd "$root"
now=$(fingerprint | cksum)
if [ ! -d "$library/sturdy" ] ||
  [ "$now" != "$(cat "$library/sturdy.fingerprint" 2>/dev/null)" ]; then
  install_package "$now"
fi
cd "$here"

script=$1
shift
exec Rscript --no-init-file "$root/tools/$script" "$@"
