# shellcheck shell=bash
# timed COMMAND...: runs it, and says when it is done how long it took.
timed() {
  local began=$SECONDS
  "$@"
  printf 'took %d:%02d: %s\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$*"
}
