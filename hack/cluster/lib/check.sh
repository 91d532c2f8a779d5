# shellcheck shell=bash
# What this machine must have, said before anything is started.
. "$here/../packages.sh"
packages=(etcd-server runc containernetworking-plugins iproute2 iptables conntrack openssl busybox-static procps gcc libc6-dev)
programs=(etcd runc /usr/lib/cni/bridge ip iptables conntrack openssl /bin/busybox pgrep cc)
ports=(6443 10257 10259 12379 12380)

check_machine() {
  [ "$(id -u)" = 0 ] || die "run me as root: nodes are network, mount and process namespaces"
  [ -n "$(ls /sys/fs/cgroup)" ] ||
    die "/sys/fs/cgroup is empty: enter a network namespace with 'nsenter --net=...', not with 'ip netns exec'"
  case $state in
    /run/* | /var/run/* | /var/lib/* | /var/log/*) die "GPUDRA_CLUSTER=$state: nodes have their own /run, /var/lib and /var/log" ;;
  esac
  check_packages
}

missing_program() {
  local program
  for program in "${programs[@]}"; do
    command -v "$program" > /dev/null || { echo "$program"; return; }
  done
  return 1
}

check_packages() {
  local missing
  missing=$(missing_program) || return 0
  command -v apt-get > /dev/null || die "$missing not found: install what Debian calls ${packages[*]}"
  say "$missing not found: installing ${packages[*]}"
  install_packages "${packages[@]}" ||
    die "apt-get could not install ${packages[*]}"
  missing=$(missing_program) && die "$missing not found, although its package is installed"
  return 0
}

check_ports() {
  local port user
  for port in "${ports[@]}"; do
    user=$(ss -Hltnp "sport = :$port" | awk '{print $4, $6}')
    [ -z "$user" ] || die "port $port is in use: $user"
  done
  [ -z "$(ip -o address show to "$address")" ] || die "address $address is in use: $(ip -o address show to "$address")"
}

# check_disk GIB DIRECTORY WHAT
check_disk() {
  local free
  mkdir -p "$2"
  free=$(($(df --output=avail -k "$2" | tail -1) / 1024 / 1024))
  [ "$free" -ge "$1" ] || die "$3 needs $1 GiB in $2, only $free GiB are free"
}

# check_go MODULE-DIRECTORY: Go 1.21 fetches the Go that its modules ask for, up to 1.22.
check_go() {
  local needs
  needs=$(needed_go "$1")
  command -v go > /dev/null || die "go not found: Kubernetes is built with Go 1.$needs or newer (https://go.dev/dl)"
  [ "$(go_version)" -ge $((needs == 22 ? 21 : needs)) ] || die "$(go version) is too old: Kubernetes is built with Go 1.$needs or newer"
}

needed_go() { sed -n 's/^go 1\.\([0-9]*\).*/\1/p' "$here/go/$1/go.mod"; }

go_version() { go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p'; }
