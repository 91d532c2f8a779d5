# shellcheck shell=bash
# Certificates of one cluster authority, and a kubeconfig for each user.

make_authority() {
  mkdir -p "$pki"
  chmod 700 "$pki"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$pki/ca.key" -out "$pki/ca.crt" -days 365 -subj /CN=gpudra-cluster 2> /dev/null
  openssl genrsa -out "$pki/service-accounts.key" 2048 2> /dev/null
}

# certificate NAME SUBJECT [ALTERNATIVE-NAMES]
certificate() {
  local file=$pki/$1
  openssl req -newkey rsa:2048 -nodes -keyout "$file.key" -out "$file.csr" -subj "$2" 2> /dev/null
  openssl x509 -req -in "$file.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial -out "$file.crt" -days 365 \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s' "${3:+subjectAltName=$3}") 2> /dev/null
}

# user NAME SUBJECT KUBECONFIG
user() {
  local config=("$kubernetes/kubectl" config --kubeconfig "$3")
  certificate "$1" "$2"
  {
    "${config[@]}" set-cluster gpudra --server="https://$address:6443" --certificate-authority="$pki/ca.crt" --embed-certs
    "${config[@]}" set-credentials "$1" --client-certificate="$pki/$1.crt" --client-key="$pki/$1.key" --embed-certs
    "${config[@]}" set-context gpudra --cluster=gpudra --user="$1"
    "${config[@]}" use-context gpudra
  } > /dev/null
}
