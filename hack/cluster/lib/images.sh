# shellcheck shell=bash
# The images a cluster without a registry starts from: busybox for pods, and pause for their sandboxes.

# make_images TAR: a docker archive with both, made of Debian's static busybox.
make_images() {
  local work=$state/images version
  version=$(/bin/busybox | sed -n '1s/^BusyBox v\([0-9]*\.[0-9]*\).*/\1/p')
  mkdir -p "$work/root"/{bin,etc,tmp}
  chmod 1777 "$work/root/tmp"
  cp /bin/busybox "$work/root/bin/busybox"
  chroot "$work/root" /bin/busybox --install -s /bin
  echo "root:x:0:0:root:/:/bin/sh" > "$work/root/etc/passwd"
  tar -C "$work/root" --owner=0 --group=0 -cf "$work/layer.tar" .
  image_config '"sh"' > "$work/busybox.json"
  image_config '"sleep", "2147483647"' > "$work/pause.json"
  cat > "$work/manifest.json" << T
[{"Config": "busybox.json", "RepoTags": ["busybox:$version", "busybox:latest"], "Layers": ["layer.tar"]},
 {"Config": "pause.json", "RepoTags": ["localhost/pause:1"], "Layers": ["layer.tar"]}]
T
  tar -C "$work" -cf "$1" manifest.json busybox.json pause.json layer.tar
  rm -r "$work"
}

image_config() {
  local digest architecture
  architecture=$(dpkg --print-architecture)
  digest=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
  echo "{\"architecture\": \"$architecture\", \"os\": \"linux\", \"config\": {\"Env\": [\"PATH=/bin\"], \"Cmd\": [$1]}," \
    "\"rootfs\": {\"type\": \"layers\", \"diff_ids\": [\"sha256:$digest\"]}}"
}
