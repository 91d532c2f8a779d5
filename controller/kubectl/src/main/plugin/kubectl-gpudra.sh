#!/bin/sh
# kubectl gpudra: this script, and behind it in the same file its jar. kubectl finds the file on the PATH by its name.
# Needs Java 17 or newer. From the second run on the JVM takes most classes ready-made from an archive that the first
# run leaves in ${XDG_CACHE_HOME:-~/.cache}/gpudra once it is over: nobody waits for that, and nobody hears of it.

built=@built@

# Of the Java of a directory and a program: reading a file is quicker than starting a JVM.
version_of() {
  if [ -r "$1/release" ]; then
    sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release"
  else
    "$2" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p'
  fi
}

needed() {
  echo "kubectl gpudra needs Java 17 or newer and found $1: set JAVA_HOME, or change the PATH" >&2
  exit 1
}

# Sets java, home and version to those of the first Java that is new enough.
find_java() {
  old=
  for candidate in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} java; do
    java=$(command -v "$candidate") || continue
    home=$(readlink -f "$java" 2> /dev/null)
    home=${home%/bin/java}
    version=$(version_of "$home" "$java")
    [ "${version%%[!0-9]*}" -ge 17 ] 2> /dev/null && return
    old="${old:+$old and }$java of version ${version:-unknown}"
  done
  needed "${old:-none}"
}

# The archive's name but for its size. The JVM takes none that was made with another jar or JVM; this tells by size and
# time of both that there is none yet.
archive_of() {
  stamps=$(stat -L -c '%n %s %Y' "$file" "$home/lib/modules" || stat -L -f '%N %z %m' "$file" "$home/lib/modules")
  sum=$(echo "$built $version $stamps" | cksum)
  echo "$cache/kubectl-${sum%% *}"
} 2> /dev/null

# Sets found. A short one would be the JVM's end, which checks sums only; what belongs to somebody else, as with sudo, may
# hold anybody's classes.
find_archive() {
  for found in "$archive"-*.jsa; do
    size=${found##*-}
    [ -O "$found" ] && [ "$(wc -c < "$found")" -eq "${size%.jsa}" ] && return
  done
  return 1
}

# Runs some commands on a cluster of paper, and throws the archive away if it does not work. What a power cut leaves of a
# file has another size, or is on the disk.
make_archive() {
  if KUBECONFIG=$archive.making/kubeconfig nice -n 19 "$java" "$@" -Xshare:auto \
    -XX:ArchiveClassesAtExit="$archive.making/jsa" -cp "$file" \
    io.gpudra.controller.cli.training.TrainingRun "$archive.making" &&
    "$java" "$@" -Xshare:on -XX:SharedArchiveFile="$archive.making/jsa" -jar "$file" --version; then
    sync
    rm -f "$archive"-*.jsa
    mv "$archive.making/jsa" "$archive-$(($(wc -c < "$archive.making/jsa"))).jsa"
  fi
}

# Of many runs at once one makes the archive, even if another was killed while it did.
make_archive_once() {
  cd "$cache" || return
  find "$cache"/kubectl-*.making -prune -mmin +10 -exec rm -rf {} +
  find "$cache"/kubectl-*.jsa -mtime +30 -exec rm -f {} +
  mkdir "$archive.making" || return
  find_archive || make_archive "$@"
  rm -rf "$archive.making"
}

# The pipe ends when the command does, which has its writing end.
make_archive_afterwards() {
  over=$cache/kubectl-$$.over
  { mkdir -p "$cache" && [ -O "$cache" ] && mkfifo "$over"; } || return
  exec 9<> "$over" 8< "$over"
  rm -f "$over"
  {
    exec 9>&-
    read -r _ <&8
    make_archive_once "$@"
  } < /dev/null > /dev/null 2>&1 &
  exec 8<&-
}

case $0 in
  /*) file=$0 ;;
  *) file=$PWD/$0 ;;
esac
find_java
case ${XDG_CACHE_HOME:-} in
  /*) cache=$XDG_CACHE_HOME/gpudra ;;
  *) cache=${HOME:-/nonexistent}/.cache/gpudra ;;
esac
archive=$(archive_of)

# An answer is given before the second compiler has helped, and mostly without a collection; a page is served for hours.
# Files are translated one after the other, in little memory.
case " $* " in
  *" dashboard "*) haste= ;;
  *" convert "* | *" migrate "*) haste="-XX:TieredStopAtLevel=1 -Xms96m -Xmn64m -Xmx176m" ;;
  *) haste="-XX:TieredStopAtLevel=1 -Xms400m -Xmn256m -XX:+UseTransparentHugePages" ;;
esac
# There is no log. The last two keep Java 24 and later from warning about what protobuf does.
flags="$haste -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -XX:+VerifySharedSpaces
  -Dslf4j.internal.verbosity=ERROR -XX:+IgnoreUnrecognizedVMOptions --sun-misc-unsafe-memory-access=allow"
if find_archive; then
  exec "$java" $flags -Xshare:auto -XX:SharedArchiveFile="$found" -jar "$file" "$@"
fi
make_archive_afterwards $flags 2> /dev/null
exec "$java" $flags -Xshare:auto -jar "$file" "$@"
