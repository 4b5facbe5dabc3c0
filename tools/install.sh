#!/bin/sh
# Installs the package of this clone into its library, .lib/, where its files have changed since:
#
#   sh tools/install.sh                     from a copy of the files
#   sh tools/install.sh <tarball> <log>     from what R CMD build has made of them, in any case, and
#                                           with the log that R CMD check --install=check:<log> reads
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/tools/common.sh"
use_library
cd "$root"

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

now=$(fingerprint | cksum)
if [ $# -eq 0 ] && [ -d "$library/sturdy" ] &&
  [ "$now" = "$(cat "$library/sturdy.fingerprint" 2>/dev/null)" ]; then
  exit 0
fi

echo "Installing sturdy into $library" >&2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
if [ $# -gt 0 ]; then
  from=$1
  log=$2
  set -- --no-html --no-multiarch
else
  # from a copy, so that no compiled file is left in the clone
  from="$copy/sturdy"
  log="$copy/log"
  mkdir "$from"
  cp -R $(content) "$from"
  rm -f "$from"/src/*.o "$from"/src/*.so
fi
rm -rf "$library/00LOCK-sturdy" "$library/sturdy.fingerprint"
if ! MAKEFLAGS="${MAKEFLAGS:--j2}" R CMD INSTALL "$@" --library="$library" "$from" \
  >"$log" 2>&1 </dev/null; then
  cat "$log" >&2
  exit 1
fi
printf '%s\n' "$now" >"$library/sturdy.fingerprint"
