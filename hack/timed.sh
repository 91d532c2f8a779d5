# shellcheck shell=bash
# timed COMMAND...: runs it, and says when it is done how long it took; timed_command is the one that runs.
timed() {
  local began=$SECONDS
  timed_command=$*
  "$@"
  printf 'took %d:%02d: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$*"
}
