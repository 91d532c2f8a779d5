# shellcheck shell=bash
# install_packages PACKAGE...: Debian's, without what they recommend; fails where that is impossible.
install_packages() {
  [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null || return
  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "$@"; } > /dev/null
}
