#!/bin/sh
# Holds comments and the mathematics vignette together:
#
# - every `[M 2.3]` in src/, R/, tests/ and tools/, and every link to #M2.3 in a
#   vignette, is an equation of vignettes/articles/mathematics.Rmd;
# - keys there are unique, in order, and equal the numbers printed beside them;
# - functions and files of its last section exist, and so do the tests that any
#   vignette names;
# - every key of a paper (RW06) there and in the vignettes is in the list of
#   references of src/numeric.h, and that list and inst/references.bib agree.
#
# `[M 2.3, 2.5]` cites two. Prints every breach, and fails if there is one.
set -eu

cd "$(dirname -- "$0")/.."
vignette=vignettes/articles/mathematics.Rmd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^::: {#M\([0-9A]*\.[0-9]*\) \.equation}$/\1/p' "$vignette" >"$work/keys"
sed -n 's/^(\([0-9A]*\.[0-9]*\))$/\1/p' "$vignette" >"$work/printed"

{
  # section and number each go up by one or, with a new section, back to 1
  awk -F. '
    seen[$0]++ { print "twice: (" $0 ")" }
    $1 != section { section = $1; number = 0 }
    $2 != ++number { print "out of order: (" $0 ")"; number = $2 }
  ' "$work/keys"
  if ! cmp -s "$work/keys" "$work/printed"; then
    echo "anchors and numbers differ: $(comm -3 "$work/keys" "$work/printed" 2>/dev/null |
      tr '\n\t' '  ')"
  fi

  # file:line:key of every citation, then of every link
  {
    grep -rnoE '\[M [0-9A.]+(, [0-9A.]+)*\]' src R tests tools --include='*.[chR]' |
      sed 's/\[M //; s/\]$//' |
      awk -F: '{ n = split($3, key, ", "); for (i = 1; i <= n; i++) print $1 ":" $2 ":" key[i] }'
    grep -noE '\(((mathematics\.html)?#M[0-9A.]+)\)' vignettes/*.Rmd vignettes/articles/*.Rmd |
      sed -E 's/\(.*#M([0-9A.]+)\)$/\1/'
  } | awk -F: -v keys="$work/keys" '
    BEGIN { while ((getline key < keys) > 0) known[key] = 1 }
    !($3 in known) { print $1 ":" $2 ": no equation (" $3 ")" }'
  # a citation in another form, or broken over two lines, would be overlooked
  grep -rnE '\[M( |$)' src R tests tools --include='*.[chR]' |
    grep -vE '\[M [0-9A]+\.[0-9]+(, [0-9A]+\.[0-9]+)*\]' || true

  # | (1.1), (1.2) | `f()`, `g()` | `file.c` |
  sed -n 's/^|[^|]*| \(`.*()`\) | `\([a-z-]*\.c\)` |$/\2 \1/p' "$vignette" |
    while read -r file functions; do
      for name in $(echo "$functions" | tr -d '`(),'); do
        grep -qE "(^|[^a-z_0-9])$name\(" "src/$file" ||
          echo "$vignette: no $name() in src/$file"
      done
    done
  sed -n '/^In R: /,/^$/p' "$vignette" | grep -oE '`[a-z-]+\.R`' | tr -d '`' |
    while read -r file; do
      [ -e "R/$file" ] || echo "$vignette: there is no R/$file"
    done
  grep -oE 'test-[a-z0-9-]+\.[Rc]' vignettes/*.Rmd vignettes/articles/*.Rmd | sort -u |
    while IFS=: read -r page test; do
      [ -e "tests/testthat/$test" ] || [ -e "tools/ctest/$test" ] ||
        echo "$page: there is no $test"
    done

  # papers: a key is capitals and the two digits of its year
  sed -n '/^ \* References$/,/\*\/$/s/^ \*   \([A-Z]*[0-9][0-9]\)  .*/\1/p' \
    src/numeric.h | sort >"$work/papers"
  sed -n 's/^@[a-z]*{\([A-Z]*[0-9][0-9]\),$/\1/p' inst/references.bib |
    sort >"$work/bib"
  comm -23 "$work/papers" "$work/bib" | sed 's/$/ is not in inst\/references.bib/'
  comm -13 "$work/papers" "$work/bib" | sed 's/$/ is not listed in src\/numeric.h/'
  grep -rnE '[A-Z][0-9][0-9]' src R tests tools vignettes \
    --include='*.[chR]' --include='*.Rmd' | sed 's/#M[0-9A.]*//g' |
    awk -v papers="$work/papers" '
      BEGIN { while ((getline key < papers) > 0) known[key] = 1 }
      {
        match($0, /^[^:]*:[0-9]*:/)
        place = substr($0, 1, RLENGTH)
        n = split(substr($0, RLENGTH + 1), word, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= n; i++)
          if (word[i] ~ /^[A-Z][A-Z]?[A-Z]?[A-Z]?[0-9][0-9]$/ && !(word[i] in known))
            print place " no reference " word[i]
      }'

  # the notes it was written from are in no repository
  git grep -n 'MATH[.]md' 2>/dev/null || true
} >"$work/found"

if [ -s "$work/found" ]; then
  cat "$work/found"
  echo "check-keys: citations and vignettes/articles/mathematics.Rmd differ" >&2
  exit 1
fi
echo "check-keys: $(wc -l <"$work/keys" | tr -d ' ') equations and" \
  "$(wc -l <"$work/papers" | tr -d ' ') papers, all citations found"
