package io.gpudra.kubeletplugin.device.os;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.escape.Escaper;
import com.google.common.escape.Escapers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The mounts of a process (mountinfo in man 5 proc). Any pod adds mounts, with any bytes in their
 * names, so they are compared as bytes and read one at a time.
 *
 * @param file such as {@code /proc/self/mountinfo}
 */
public record MountTable(Path file) {

  /** The mounts of this process. */
  public static final MountTable OWN = new MountTable(Path.of("/proc/self/mountinfo"));

  private static final Splitter SPACE = Splitter.on(' ');
  private static final int ROOT = 3;

  /** The characters that the kernel escapes. */
  private static final Escaper KERNEL =
      Escapers.builder()
          .addEscape(' ', "\\040")
          .addEscape('\t', "\\011")
          .addEscape('\n', "\\012")
          .addEscape('\\', "\\134")
          .build();

  /** A mount, with its names as the kernel writes them, one character a byte. */
  private record Mount(String root, String place) {

    /** The mount of a line; empty for a line that is cut short. */
    static Optional<Mount> of(String line) {
      Iterator<String> fields = SPACE.split(line).iterator();
      for (int i = 0; i < ROOT && fields.hasNext(); i++) {
        fields.next();
      }
      String root = fields.hasNext() ? fields.next() : "";
      return fields.hasNext() ? Optional.of(new Mount(root, fields.next())) : Optional.empty();
    }

    boolean holds(String directory) {
      return place.equals("/") || (directory + "/").startsWith(place + "/");
    }

    boolean isAsDeepAs(Mount other) {
      return place.length() >= other.place.length();
    }
  }

  private static String escaped(Path directory) {
    return KERNEL.escape(new String(directory.toString().getBytes(UTF_8), ISO_8859_1));
  }

  /**
   * The place of a directory's mount in the file system that is mounted there; the kernel keeps it
   * current. Empty if nothing is mounted above the directory.
   */
  public Optional<String> rootOf(Path directory) throws IOException {
    String name = escaped(directory);
    return read(
        mounts ->
            mounts
                .filter(mount -> mount.holds(name))
                .reduce((one, other) -> other.isAsDeepAs(one) ? other : one)
                .map(Mount::root));
  }

  /**
   * Places below a directory where something is mounted, in the kernel's spelling.
   *
   * @param directory without links
   */
  public ImmutableList<String> below(Path directory) throws IOException {
    String below = escaped(directory) + "/";
    return places(place -> place.startsWith(below));
  }

  /** The same, and the directory itself if something is mounted there. */
  public ImmutableList<String> within(Path directory) throws IOException {
    String below = escaped(directory) + "/";
    return places(place -> (place + "/").startsWith(below));
  }

  private ImmutableList<String> places(Predicate<String> wanted) throws IOException {
    return read(mounts -> mounts.map(Mount::place).filter(wanted).collect(toImmutableList()));
  }

  private <T> T read(Function<Stream<Mount>, T> reader) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file, ISO_8859_1)) {
      return reader.apply(lines.lines().flatMap(line -> Mount.of(line).stream()));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
