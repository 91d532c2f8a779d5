# shellcheck shell=bash
# What every command of hack/cluster needs: where things are, messages, waiting, processes.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gpudra
state=$(realpath -m "${GPUDRA_CLUSTER:-$cache/cluster}")
pki=$state/pki
address=10.99.0.1
export PATH=$PATH:/usr/sbin:/sbin

say() { echo "cluster: $*"; }

die() {
  echo "cluster: $*" >&2
  exit 1
}

# wait_for SECONDS WHAT COMMAND...
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until ("$@") > /dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || die "no $what in time"
    sleep 0.2
  done
}

# Written by up; says which binaries this cluster runs and how many nodes it has.
read_cluster() {
  [ -f "$state/cluster.env" ] || die "no cluster in $state: start one with hack/cluster/up"
  # shellcheck source=/dev/null
  . "$state/cluster.env"
}

kube() { "$kubernetes/kubectl" --kubeconfig "$state/kubeconfig" "$@"; }

start_time() { awk '{print $22}' "/proc/$1/stat" 2> /dev/null; }

# start NAME COMMAND...: in the background, with a log; the start time tells a process from a later one of the same id.
start() {
  local name=$1 pid
  shift
  setsid "$@" > "$state/log/$name.log" 2>&1 < /dev/null &
  pid=$!
  echo "$pid $(start_time "$pid")" > "$state/pid/$name"
}

# pid_of NAME: fails when it does not run.
pid_of() {
  local pid started
  read -r pid started 2> /dev/null < "$state/pid/$1" || return 1
  [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] && echo "$pid"
}

stopped() { ! pid_of "$1"; }

stop() {
  local pid
  pid=$(pid_of "$1") && kill -KILL "$pid" && wait_for 10 "end of $1" stopped "$1"
  rm -f "$state/pid/$1"
}
