# shellcheck shell=bash
# What unit-mutants and process-mutants share. A line of a list is
#   what breaks | PACKAGE/CLASS | sed expression | tests, of which one must fail
# with packages below io.gpudra and tests as CLASS or CLASS#METHOD, in the package that $tests_in names.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
copies=$(mktemp -d)
trap 'rm -rf "$copies"' EXIT

# classpath MODULE: of its tests, as the build left it
classpath() { echo "$root/$1/target/test-classes:$root/$1/target/classes:$(cat "$root/$1/target/mutants.classpath")"; }

# module_of main|test PACKAGE/CLASS: the directory of the module that has it
module_of() {
  local file
  for file in "$root"/*/src/"$1"/java/io/gpudra/"$2".java "$root"/controller/*/src/"$1"/java/io/gpudra/"$2".java; do
    [ -e "$file" ] || continue
    file=${file#"$root"/}
    echo "${file%%/src/*}"
    return
  done
  echo "no module has io/gpudra/$2.java" >&2
  exit 2
}

build() {
  (cd "$root" && mvn -q -B -Dstyle.color=never -Pmutation -am "$@" dependency:build-classpath \
    -Dmdep.includeScope=test -Dmdep.outputFile=target/mutants.classpath -Dspotless.check.skip -Dcheckstyle.skip) >&2
}

# mutated WHAT FILE EXPRESSION: leaves the changed class in $copies/classes; 1 when it does not compile
mutated() {
  local module source changed
  module=$(module_of main "$2")
  source=$root/$module/src/main/java/io/gpudra/$2.java
  changed=$copies/$(basename "$source")
  rm -rf "$copies/classes"
  mkdir "$copies/classes"
  sed "$3" "$source" > "$changed" || exit 2
  if cmp -s "$changed" "$source"; then
    echo "$1: the rule is not where the list says" >&2
    exit 2
  fi
  "${bin}javac" -proc:none -nowarn -parameters -d "$copies/classes" -cp "$(classpath "$module")" "$changed" && return
  echo "$1: DOES NOT COMPILE"
  survivors=1
  return 1
}

# noticed WHAT CLASSPATH TEST...: runs the tests in this directory
noticed() {
  local what=$1 path=$2 test selected=() failed
  shift 2
  for test; do
    [[ $test == *'#'* ]] && selected+=(--select-method) || selected+=(--select-class)
    selected+=("$tests_in.$test")
  done
  if "${bin}java" -Xmx768m -XX:TieredStopAtLevel=1 -cp "$path" org.junit.platform.console.ConsoleLauncher execute \
    "${selected[@]}" --details=summary --disable-banner < /dev/null > "$copies/log" 2>&1; then
    echo "$what: NOT NOTICED by $*"
    survivors=1
    return
  fi
  failed=$(sed -n "s/.*methodName = '\([^']*\)'.*/\1/p" "$copies/log" | sort -u | paste -sd' ')
  if [ -z "$failed" ]; then
    cat "$copies/log" >&2
    survivors=1
  fi
  echo "$what: ${failed:+noticed by }${failed:-NO TEST RAN}"
}

trimmed() { sed 's/^ *//; s/ *$//' <<< "$1"; }

# each LIST PATTERN FUNCTION: calls it for each line; 1 when something was not noticed, or not tried
each() {
  local what file expression tests
  survivors=0
  while IFS='|' read -r what file expression tests; do
    "$3" "$(trimmed "$what")" "$(trimmed "$file")" "$(trimmed "$expression")" "$(trimmed "$tests")"
  done < <(grep -v '^#' "$1" | grep -e "$2")
  return "$survivors"
}
