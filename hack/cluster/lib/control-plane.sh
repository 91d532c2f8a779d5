# shellcheck shell=bash
# etcd, kube-apiserver, kube-controller-manager and kube-scheduler on addresses of this machine.
gate=--feature-gates=DynamicResourceAllocation=true
# A local cluster has nobody to protect from a busy client.
unlimited=(--kube-api-qps=5000 --kube-api-burst=5000)

start_bridge() {
  ip link set lo up
  ip link add gpudra0 type bridge
  ip address add "$address/24" dev gpudra0
  ip link set gpudra0 up
}

start_etcd() {
  start etcd "${etcd:+$etcd/}etcd" --data-dir "$state/etcd" --listen-peer-urls http://127.0.0.1:12380 \
    --listen-client-urls http://127.0.0.1:12379 --advertise-client-urls http://127.0.0.1:12379
}

# flags MINOR: those that serve the APIs of claims and of taints, and that the version knows; later ones serve the claims by
# themselves, and the taints from 1.37 on.
flags() {
  case ${1#1.} in
    2? | 30) echo "$gate" --runtime-config=resource.k8s.io/v1alpha2=true ;;
    36) echo --feature-gates=DRADeviceTaintRules=true --runtime-config=resource.k8s.io/v1beta2=true ;;
  esac
}

make_keys() {
  make_authority
  certificate apiserver /CN=kube-apiserver \
    "IP:$address,IP:10.96.0.1,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:kubernetes.default"
  certificate kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
  user admin /O=system:masters/CN=admin "$state/kubeconfig"
}

# start_apiserver MINOR DIRECTORY
start_apiserver() {
  local extra=()
  # One file however long it gets: who follows it would miss what goes to the next.
  [ -z "$audit_log" ] || extra+=(--audit-log-path="$audit_log" --audit-log-maxsize=100000 --audit-policy-file="$here/lib/audit-policy.yaml")
  # Without the controller manager there are no service accounts for pods to have.
  [ -z "$api_only" ] || extra+=(--disable-admission-plugins=ServiceAccount)
  # The aggregator routing lets webhooks be reached at their pods: there is no kube-proxy beside the API server.
  # shellcheck disable=SC2046
  start kube-apiserver "$2/kube-apiserver" $(flags "$1") \
    --etcd-servers=http://127.0.0.1:12379 --bind-address="$address" --advertise-address="$address" \
    --client-ca-file="$pki/ca.crt" --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --kubelet-client-certificate="$pki/kubelet-client.crt" --kubelet-client-key="$pki/kubelet-client.key" \
    --kubelet-preferred-address-types=InternalIP --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$pki/service-accounts.key" --service-account-signing-key-file="$pki/service-accounts.key" \
    --service-cluster-ip-range=10.96.0.0/16 --enable-aggregator-routing=true --allow-privileged=true \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction "${extra[@]}"
}

ready_apiserver() { wait_for 120 "answer from kube-apiserver" kube get --raw /readyz; }

start_controllers() {
  local controllers="*"
  # Nobody renews the leases of hand-made nodes.
  [ "$nodes" -gt 0 ] || controllers="*,-nodelifecycle"
  user kube-controller-manager /CN=system:kube-controller-manager "$pki/kube-controller-manager.conf"
  user kube-scheduler /CN=system:kube-scheduler "$pki/kube-scheduler.conf"
  start kube-controller-manager "$kubernetes/kube-controller-manager" "$gate" "${unlimited[@]}" \
    --kubeconfig="$pki/kube-controller-manager.conf" --controllers="$controllers" --bind-address=127.0.0.1 --leader-elect=false \
    --node-monitor-grace-period=20s --use-service-account-credentials --service-account-private-key-file="$pki/service-accounts.key" --root-ca-file="$pki/ca.crt"
  start kube-scheduler "$kubernetes/kube-scheduler" "$gate" "${unlimited[@]}" \
    --kubeconfig="$pki/kube-scheduler.conf" --bind-address=127.0.0.1 --leader-elect=false
  wait_for 120 "service account from kube-controller-manager" kube get serviceaccount default
}
