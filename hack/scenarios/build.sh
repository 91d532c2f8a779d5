# shellcheck shell=bash
# What run, steps and hack/bench/run share: the tools they need, and a build when something is newer than the last one.
# Builds $module, hack/scenarios if unset, and all it needs.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${JAVA_HOME:+$JAVA_HOME/bin/}

need() {
  local tool
  for tool; do
    command -v "$tool" > /dev/null || { echo "$tool not found: JDK 17 or newer and Maven are needed" >&2; exit 2; }
  done
}

# sources_changed STAMP: since then, the tests left aside.
sources_changed() {
  [ ! -e "$1" ] || [ -n "$(cd "$root" && find pom.xml .mvn crds process controller kubeletplugin hack \
    \( -name target -o -path '*/src/test' \) -prune -o -type f -newer "$1" -print -quit)" ]
}

# build STAMP MAVEN-ARGUMENT...: leaves STAMP.now, to be moved to STAMP when all that belongs to it is built, too.
build() {
  local stamp=$1
  shift
  echo "building (quietly; the first time Maven also downloads what it needs)"
  mkdir -p "$(dirname "$stamp")"
  touch "$stamp.now"
  # Maven ends even quiet runs with escape codes, so it is heard only when it fails.
  (cd "$root" && mvn -q -B -Dstyle.color=never "$@" -pl "${module:-hack/scenarios}" -am \
    -Dmaven.test.skip=true -Dspotless.check.skip=true -Dcheckstyle.skip=true) > "$stamp.log" 2>&1 ||
    { cat "$stamp.log" >&2; return 1; }
}
