# shellcheck shell=bash
# Nodes: each one network, mount, process and host name namespace, held by one process.

# in_node NAME COMMAND...
in_node() {
  local pid
  pid=$(pid_of "$1") || die "$1 does not run"
  shift
  nsenter --net="/proc/$pid/ns/net" --mount="/proc/$pid/ns/mnt" --uts="/proc/$pid/ns/uts" \
    --pid="/proc/$pid/ns/pid_for_children" "$@"
}

node_names() {
  local i
  for ((i = 0; i < nodes; i++)); do echo "worker-$i"; done
}

node_address() { echo "10.99.0.$((10 + $1))"; }

make_node() {
  local i=${1#worker-}
  mkdir -p "$state/$1"/{lib,log}
  user "$1" "/O=system:nodes/CN=system:node:$1" "$pki/$1.conf"
  make_cgroups "$1"
}

# A kubelet removes the groups below its root that it does not know, so each has a root of its own.
cgroup_of() { echo "gpudra-$(cksum <<< "$state" | cut -d' ' -f1)-$1"; }

cgroup_roots() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else dirname /sys/fs/cgroup/*/cgroup.procs; fi
}

make_cgroups() {
  local root group file
  for root in $(cgroup_roots); do
    for file in cpuset cpu io memory hugetlb pids; do
      [ ! -f "$root/cgroup.subtree_control" ] || echo "+$file" > "$root/cgroup.subtree_control" || true
    done 2> /dev/null
    group=$root/$(cgroup_of "$1")
    mkdir -p "$group"
    for file in cpuset.mems cpuset.cpus; do
      [ ! -f "$root/cpuset.sched_load_balance" ] || cat "$root/$file" > "$group/$file"
    done
  done
}

remove_cgroups() {
  local root
  for root in $(cgroup_roots); do
    [ ! -d "$root/$(cgroup_of "$1")" ] || find "$root/$(cgroup_of "$1")" -depth -type d -exec rmdir {} +
  done
}

start_node() {
  local i=${1#worker-}
  start "$1" unshare --net --mount --uts --pid --fork --kill-child --mount-proc --propagation private \
    "$here/lib/node-init" "$1" "$(node_address "$i")" "10.88.$i.0/24"
  connect "$1" "$i"
  wait_for 60 "containerd in $1" in_node "$1" test -S /run/containerd/containerd.sock
}

connect() {
  local pid
  pid=$(pid_of "$1") || die "$1 did not start: $(cat "$state/log/$1.log")"
  wait_for 30 "network namespace of $1" other_network "$pid"
  ip link add "gpudra-$2" type veth peer name eth0 netns "$pid"
  ip link set "gpudra-$2" master gpudra0 up
  ip route replace "10.88.$2.0/24" via "$(node_address "$2")"
}

other_network() { ! [ "/proc/$1/ns/net" -ef /proc/self/ns/net ]; }

# The namespaces die with the process, the network one a little later: the link is not left to it.
stop_node() {
  stop "$1"
  ip link delete "gpudra-${1#worker-}" 2> /dev/null || true
}

# install_driver DIRECTORY: in the mount namespace of a node.
install_driver() {
  rm -rf /run/nvidia/driver
  mkdir -p /run/nvidia
  cp -a "$1" /run/nvidia/driver
}

wait_ready() { wait_for 120 "ready node $1" kube wait --for=condition=Ready "node/$1" --timeout=1s; }

# load NODE TAR...
load() {
  local node=$1 tar
  shift
  for tar in "$@"; do
    in_node "$node" "$containerd/ctr" -n k8s.io images import "$tar" > /dev/null || die "could not load $tar in $node"
  done
}
