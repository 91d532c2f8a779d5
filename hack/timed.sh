# shellcheck shell=bash
# timed COMMAND...: runs it, and says when it is done how long it took; timed_command is the one that runs.
timed() {
  local began=$SECONDS
  timed_command=$*
  "$@"
  printf 'took %d:%02d: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$*"
}

# failed_tests FILE...: what reports or the output of Maven tell of tests that failed.
failed_tests() {
  cat "$@" | grep -A 12 -E '<<< (FAILURE|ERROR)' | cut -c 1-300 | tail -n 60 || true
}

# reported tests|skipped DIRECTORY: how many of them Maven's reports in there count; a skipped test is a test, too.
reported() {
  cat "$2"/TEST-*.xml | sed -n "s/.*<testsuite .* $1=\"\([0-9]*\)\".*/\1/p" | awk '{sum += $1} END {print sum + 0}'
}

# may_skip COMMAND: one that exits 77 has tested nothing, where what it needs cannot be had; it says what that is.
may_skip() {
  local status=0
  "$@" || status=$?
  [ "$status" = 77 ] || return "$status"
  echo "NOT TESTED: $*"
}
