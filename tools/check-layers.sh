#!/bin/sh
# The layers of the package, checked on the text of its sources:
#
# - the core, src/ without glue* and init.c, knows nothing of R's objects,
#   errors, memory, output, random numbers and interrupts, allocates nothing,
#   and has no data that can change outside its callers' arrays;
# - only numeric.h includes R's headers (the numerical ones);
# - .Call() and its relatives stand in R/native*.R only;
# - nothing calls or includes upwards (tools/check-rooms.R, which takes the
#   arguments of this script).
#
# Prints every breach as file:line: text, and fails if there is one.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

core() {
  for file in src/*.c src/*.h; do
    case "$file" in
    src/glue* | src/init.c | 'src/*.c' | 'src/*.h') ;;
    *) echo "$file" ;;
    esac
  done
}

# Prints the file with its comments and the contents of its strings blanked,
# line for line.
code_of() {
  awk '
    {
      out = ""
      n = length($0)
      for (i = 1; i <= n; i++) {
        c = substr($0, i, 1)
        two = substr($0, i, 2)
        if (comment) {
          if (two == "*/") { comment = 0; i++ }
        } else if (quote != "") {
          if (c == "\\") i++
          else if (c == quote) { quote = ""; out = out c }
        } else if (two == "/*") { comment = 1; i++; out = out " " }
        else if (two == "//") break
        else {
          if (c == "\"" || c == "\047") quote = c
          out = out c
        }
      }
      quote = ""
      print out
    }' "$1"
}

# file:line: text for the lines of the code, which it reads, that match the expression
hits() { # file, expression
  sed 's/^[[:space:]]*#[[:space:]]*error.*//' |
    grep -nE "$2" | sed "s|^|$1:|" || true
}

# Data with static storage must be const: file-scope variables, static or not,
# and static ones in functions. A pointer needs its const after the star.
mutable_data() { # file; it reads its code
  awk -v file="$1" '
    function judge(text, line,   name, at_top) {
      gsub(/[ \t]+/, " ", text)
      sub(/^ /, "", text)
      if (text == "" || text == " ") return
      at_top = (depth == 0)
      if (!at_top && text !~ /^static /) return
      if (text ~ /^(typedef|struct|union|enum|_Static_assert)( |$)/ &&
          text !~ /^(struct|union|enum) [A-Za-z_0-9]+ [*A-Za-z_]/) return
      # a function, not a variable that points to one
      if (text ~ /^[a-z_]+_op [a-z_]+$/) return # declared by its type
      if (text ~ /\(/ && text !~ /\( ?\*/) return
      if (text ~ /\( ?\*/ && text ~ /^[^(]*[A-Za-z_0-9] ?\([^*]/) return
      # only the word after a brace: a name in a typedef, a do-while
      if (text !~ /[A-Za-z_0-9*] *[ *][A-Za-z_]/) return
      name = text
      if (name ~ /\*/) sub(/^.*\*/, "", name)
      if (name !~ /(^|[^A-Za-z_0-9])const([^A-Za-z_0-9]|$)/)
        print file ":" line ": data that can change: " text
    }
    /^[ \t]*#/ || continued { continued = /\\$/; next }
    {
      for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "{") {
          if (value == 0) judge(text, start)
          depth++; text = ""; value = 0
        } else if (c == "}") {
          depth--; text = ""; after = 1
        } else if (c == ";") {
          if (!value && !(after && depth == 0)) judge(text, start)
          text = ""; value = 0; after = 0
        } else if (c == "=" && !value) {
          judge(text, start); value = 1; text = ""
        } else if (!value) {
          if (c ~ /[^ \t]/) {
            if (text ~ /^[ \t]*$/) start = NR
            after = after && c !~ /[A-Za-z_]/
          }
          text = text c
        }
      }
      text = text " "
    }'
}

objects='SEXP|SEXPREC|R_NilValue|PROTECT|UNPROTECT'
errors='Rf_error|Rf_warning|R_ShowMessage'
memory='R_alloc|S_alloc|R_Calloc|R_Realloc|R_Free|malloc|calloc|realloc'
output='Rprintf|REprintf|Rvprintf|printf|fprintf|stdout|stderr'
chance='unif_rand|norm_rand|exp_rand|R_unif_index|GetRNGstate|PutRNGstate'
interrupts='R_CheckUserInterrupt|R_CheckStack|R_ToplevelExec|R_UnwindProtect'
# words that may well be the name of a variable count when they are called
called='(error|warning|abort|exit|free|alloca|rand|puts)[[:space:]]*\('
words="$objects|$errors|$memory|$output|$chance|$interrupts"
forbidden="(^|[^A-Za-z0-9_])(($words)([^A-Za-z0-9_]|\$)|$called)"

include='^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]'
any_r_header="$include(R[A-Za-z]*\\.h|R_ext/)"
r_object_header="$include(R|Rinternals|Rdefines|Rinterface|Rembedded)\\.h"

found=$(
  for file in $(core); do
    code=$(code_of "$file")
    printf '%s\n' "$code" | hits "$file" "$forbidden"
    case "$file" in
    src/numeric.h) headers=$r_object_header ;;
    *) headers=$any_r_header ;;
    esac
    grep -nE "$headers" "$file" | sed "s|^|$file:|" || true
    printf '%s\n' "$code" | mutable_data "$file"
  done
  awk '{
    if (FILENAME ~ /^R\/native/) next
    sub(/#.*/, "")
    if ($0 ~ /(^|[^A-Za-z0-9_.])\.(Call|External2?|C|Fortran)[ \t]*\(/) print FILENAME ":" FNR ": " $0
  }' R/*.R
)

if [ -n "$found" ]; then
  printf '%s\n' "$found"
  echo "check-layers: the sources above cross a layer" >&2
  exit 1
fi
Rscript --no-init-file tools/check-rooms.R "$@"
echo "check-layers: fine"
