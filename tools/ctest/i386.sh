# Unpacks the i386 libraries that the C tests link with into a folder, with
# Debian's own apt-get but without installing anything: sh i386.sh <folder>
# Prints why where it can't.
set -eu
folder=$1
[ ! -e "$folder/complete" ] || exit 0

stop() {
  echo "not run: $*"
  exit 1
}

command -v apt-get >/dev/null || stop "no apt-get to fetch i386 libraries with"
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/deb"
folder=$(cd "$folder" && pwd)
echo 'int main(void) { return 0; }' >"$folder/try.c"
${CC:-gcc} -m32 "$folder/try.c" -o "$folder/try" 2>/dev/null ||
  stop "the compiler makes no 32-bit programs (Debian: gcc-multilib)"
"$folder/try" || stop "this system runs no 32-bit programs"

apt() {
  apt-get -qq -o APT::Architectures::=amd64 -o APT::Architectures::=i386 \
    -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@"
}
apt update >"$folder/log" 2>&1 || true # lists at hand may do
cd "$folder/deb"
apt download r-mathlib:i386 libblas3:i386 liblapack3:i386 libgfortran5:i386 \
  libquadmath0:i386 >>"$folder/log" 2>&1 ||
  stop "apt-get has no i386 libraries: $(tail -n 1 "$folder/log")"
for deb in *.deb; do dpkg -x "$deb" "$folder"; done
# in one folder, so that they find each other
find "$folder/usr/lib" -name '*.so.*' ! -path '*/doc/*' -exec ln -sf {} "$folder" \;
rm -r "$folder/lists" "$folder/cache" "$folder/deb"
touch "$folder/complete"
