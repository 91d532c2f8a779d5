# shellcheck shell=bash
# The images a cluster without a registry starts from: busybox for pods, pause for their sandboxes, and stand-ins for what
# the documents of hack/scenarios name by a tag.

# Tags that documents name; their nvidia-smi and bash are scripts.
named='"ubuntu:22.04", "nvidia/cuda:13.0-base", "nvcr.io/nvidia/cuda:13.0.0-base-ubuntu22.04"'

# make_images TAR: a docker archive with all of them, made of Debian's static busybox.
make_images() {
  local work=$state/images version
  version=$(/bin/busybox | sed -n '1s/^BusyBox v\([0-9]*\.[0-9]*\).*/\1/p')
  mkdir -p "$work/root"/{bin,etc,tmp}
  chmod 1777 "$work/root/tmp"
  cp /bin/busybox "$work/root/bin/busybox"
  chroot "$work/root" /bin/busybox --install -s /bin
  echo "root:x:0:0:root:/:/bin/sh" > "$work/root/etc/passwd"
  script bash 'exec sh "$@"'
  script nvidia-smi "env | sort; [ \$# -gt 0 ] || { trap 'exit 0' TERM; sleep infinity & wait; }"
  tar -C "$work/root" --owner=0 --group=0 -cf "$work/layer.tar" .
  image_config '"sh"' > "$work/busybox.json"
  image_config '"sleep", "2147483647"' > "$work/pause.json"
  image_config '"nvidia-smi"' > "$work/named.json"
  cat > "$work/manifest.json" << T
[{"Config": "busybox.json", "RepoTags": ["busybox:$version", "busybox:latest"], "Layers": ["layer.tar"]},
 {"Config": "named.json", "RepoTags": [$named], "Layers": ["layer.tar"]},
 {"Config": "pause.json", "RepoTags": ["localhost/pause:1"], "Layers": ["layer.tar"]}]
T
  tar -C "$work" -cf "$1" manifest.json busybox.json named.json pause.json layer.tar
  rm -r "$work"
}

# script NAME TEXT
script() {
  printf '#!/bin/sh\n%s\n' "$2" > "$work/root/bin/$1"
  chmod +x "$work/root/bin/$1"
}

image_config() {
  local digest architecture
  architecture=$(dpkg --print-architecture)
  digest=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
  echo "{\"architecture\": \"$architecture\", \"os\": \"linux\", \"config\": {\"Env\": [\"PATH=/bin\"], \"Cmd\": [$1]}," \
    "\"rootfs\": {\"type\": \"layers\", \"diff_ids\": [\"sha256:$digest\"]}}"
}
