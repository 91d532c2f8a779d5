# shellcheck shell=bash
# Debian's packages of an architecture, which are unpacked and not installed: Java, the C libraries that it loads, and what
# runs a driver's programs.

packages_in_image=(coreutils libc6 libgcc-s1 libstdc++6 openjdk-17-jdk-headless zlib1g)
java_libraries=(libc.so.6 libgcc_s.so.1 libm.so.6 libstdc++.so.6 libz.so.1)

fail() {
  echo "$*" >&2
  exit 2
}

architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}

# from_debian ROOT: fills the root directory of an image for $arch. There is no archive of the JDK's own classes: only a
# machine of that architecture can dump one, and no two dumps are alike.
from_debian() {
  local root=$1 own package unpacked=$work/unpacked
  own=$(architecture)
  unpack "$own" openjdk-17-jdk-headless openjdk-17-jre-headless
  unpack "$arch" "${packages_in_image[@]}"
  [ "$(java_version "$own")" = "$(java_version "$arch")" ] ||
    fail "Java is $(java_version "$own") for $own and $(java_version "$arch") for $arch: try again when both are there"
  keep_links_inside
  cut_java "$unpacked/usr/lib/jvm/java-17-openjdk-$own" "$unpacked/usr/lib/jvm/java-17-openjdk-$arch/jmods" \
    "$root/opt/java/openjdk"
  copy_libraries "$root"
  install -D -m 755 "$unpacked$chroot" "$root$chroot"
  for package in "${packages_in_image[@]}"; do
    install -D -m 644 "$unpacked/control/$arch/$package" "$root/var/lib/dpkg/status.d/$package"
  done
}

unpack() {
  local architecture=$1 control=$unpacked/control/$1 package deb
  shift
  mkdir -p "$control"
  for package in "$@"; do
    [ ! -e "$control/$package" ] || continue
    deb=$(debian_package "$architecture" "$package")
    dpkg-deb --extract "$deb" "$unpacked"
    dpkg-deb --field "$deb" > "$control/$package"
  done
}

java_version() {
  sed -n 's/^Version: //p' "$unpacked/control/$1/openjdk-17-jdk-headless"
}

# Those of the JDK lead into an /etc that may be another JDK's.
keep_links_inside() {
  local link
  find "$unpacked/usr/lib/jvm" -lname '/etc/*' | while read -r link; do
    ln -sfn "$unpacked$(readlink "$link")" "$link"
  done
}

copy_libraries() {
  local root=$1 triplet loader name
  case $arch in
    amd64) triplet=x86_64-linux-gnu loader=lib64/ld-linux-x86-64.so.2 ;;
    arm64) triplet=aarch64-linux-gnu loader=lib/ld-linux-aarch64.so.1 ;;
  esac
  install -D -m 755 "$unpacked/lib/$triplet/${loader##*/}" "$root/$loader"
  for name in "${java_libraries[@]}" "${driver_libraries[@]}"; do
    install -D -m 755 "$(find "$unpacked"/{,usr/}lib/"$triplet" -name "$name")" "$root/lib/$triplet/$name"
  done
}

# debian_package ARCH PACKAGE: prints the file of its newest version, as known within the hour. The sources are those of
# this machine; what is known and installed on it stays as it is.
debian_package() (
  command -v apt-get > /dev/null || fail "apt-get not found: this is made of Debian's packages"
  architecture=$1 package=$2 cache=${XDG_CACHE_HOME:-$HOME/.cache}/gpudra/debian/$1
  mkdir -p "$cache"/{lists,archives}/partial
  cd "$cache"
  : > status
  [ -n "$(find updated -mmin -60 2> /dev/null)" ] || { apt update >&2 && touch updated; }
  # Of a file that is there already apt prints no name.
  file=$(cd lists && apt download --print-uris "$package" | cut -d ' ' -f 2)
  [ -n "$file" ] || fail "no package $package for $architecture"
  [ -e "$file" ] || { rm -f "$package"_*.deb && apt download "$package" >&2; }
  echo "$cache/$file"
)

apt() {
  apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User=root \
    -o Dir::State="$cache" -o Dir::State::status="$cache/status" -o Dir::Cache="$cache" "$@"
}
