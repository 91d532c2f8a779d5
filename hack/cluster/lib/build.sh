# shellcheck shell=bash
# Kubernetes, containerd and etcd from the Go modules pinned in go/, once, into the cache.

# pinned MODULE-DIRECTORY MODULE
pinned() { sed -n "s#^\(require \|\t\)$2 v\([0-9.]*\)\$#\2#p" "$here/go/$1/go.mod"; }

# programs MINOR: those that are pinned.
programs() { sed -n 's#.*k8s.io/kubernetes/cmd/\(.*\)"#\1#p' "$here/go/$1/tools.go"; }

# server MINOR: where that version is.
server() {
  [ -f "$here/go/$1/go.mod" ] || die "no Kubernetes $1 here, only $(cd "$here/go" && echo 1.*)"
  echo "$cache/kubernetes-$(pinned "$1" k8s.io/kubernetes)"
}

choose_version() {
  local minor=$1
  kubernetes=$(server "$minor")
  kubernetes_version=$(pinned "$minor" k8s.io/kubernetes)
  programs "$minor" | grep -qx kubectl || die "of Kubernetes $minor, only $(programs "$minor" | xargs): see hack/cluster/apiserver"
  containerd=$cache/containerd-$(pinned containerd github.com/containerd/containerd)
}

build_etcd() {
  etcd=$cache/etcd-$(pinned etcd go.etcd.io/etcd/server/v3)
  build "$etcd" etcd gpudra.io/hack/cluster/etcd etcd etcdctl
}

# build_all MINOR NODES API-ONLY: what such a cluster runs.
build_all() {
  choose_version "$1"
  build "$kubernetes" "$1" k8s.io/kubernetes/cmd kube-apiserver kubectl
  [ -n "$3" ] || build "$kubernetes" "$1" k8s.io/kubernetes/cmd kube-controller-manager kube-scheduler
  if [ "$2" -gt 0 ]; then
    build "$kubernetes" "$1" k8s.io/kubernetes/cmd kubelet kube-proxy
    build "$containerd" containerd github.com/containerd/containerd/cmd containerd containerd-shim-runc-v2 ctr
  fi
}

# build OUTPUT MODULE-DIRECTORY PATH PROGRAM...: of two clusters that need the same, one builds it.
build() {
  [ ! -x "$1/${!#}" ] || return 0
  check_go "$2"
  mkdir -p "$1"
  (
    flock 8
    [ -x "$1/${!#}" ] || compile "$@"
  ) 8> "$1/lock"
}

compile() {
  local output=$1 module=$2 path=$3
  shift 3
  check_disk 8 "$cache" "building $*"
  say "building $* (minutes, the first time)"
  (cd "$here/go/$module" && GOFLAGS='' GOWORK=off CGO_ENABLED=0 go build -ldflags "-s -w $(stamp "$module")" -o "$output/new/" "${@/#/$path/}") ||
    die "could not build $*"
  mv "$output/new"/* "$output/"
}

# stamp MODULE-DIRECTORY: the version that the programs of Kubernetes report. containerd has packages of Kubernetes, too, which
# do not start with an empty one.
stamp() {
  local package version minor
  version=$(pinned "$1" k8s.io/kubernetes)
  [ -n "$version" ] || return 0
  minor=${version#1.}
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf -- '-X %s=%s ' "$package.gitVersion" "v$version" "$package.gitMajor" 1 "$package.gitMinor" "${minor%.*}"
  done
}
