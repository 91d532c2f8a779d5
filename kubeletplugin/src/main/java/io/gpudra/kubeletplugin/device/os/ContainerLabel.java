package io.gpudra.kubeletplugin.device.os;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a directory to containers where SELinux labels it, which would keep them out in spite of
 * its permissions (man 7 xattr). Files created in it later have its label, too.
 */
public final class ContainerLabel {

  private static final Logger log = LoggerFactory.getLogger(ContainerLabel.class);
  private static final String ATTRIBUTE = "security.selinux";

  /** Has no categories, since those of a container are its own. */
  private static final String OF_ALL_CONTAINERS = "container_file_t:s0";

  private static final int MAX_BYTES = 4096;
  private static final int ENODATA = 61;
  private static final int EOPNOTSUPP = 95;

  private ContainerLabel() {}

  /** Sets the label, if there are labels. Without it, clients may have no access. */
  public static void set(Path directory) {
    try {
      Optional<String> label = get(directory);
      if (label.isPresent()) {
        put(directory, open(label.get()));
      }
    } catch (IOException e) {
      log.warn(
          "SELinux may deny containers access to a directory path={} reason=\"{}\"",
          directory,
          e.getMessage());
    }
  }

  /** The label for containers; of user, role, type and range the first two stay. */
  private static String open(String label) {
    List<String> parts = Splitter.on(':').splitToList(label);
    return Stream.concat(parts.stream().limit(2), Stream.of(OF_ALL_CONTAINERS))
        .collect(joining(":"));
  }

  static Optional<String> get(Path directory) throws IOException {
    byte[] value = new byte[MAX_BYTES];
    try {
      int size =
          LibC.Held.C.getxattr(directory.toString(), ATTRIBUTE, value, new NativeLong(MAX_BYTES))
              .intValue();
      String label = new String(Arrays.copyOf(value, size), UTF_8);
      return Optional.of(CharMatcher.is('\0').trimTrailingFrom(label));
    } catch (LastErrorException e) {
      if (e.getErrorCode() == ENODATA || e.getErrorCode() == EOPNOTSUPP) {
        return Optional.empty();
      }
      throw new IOException("label cannot be read: " + e.getMessage(), e);
    }
  }

  static void put(Path directory, String label) throws IOException {
    byte[] value = (label + "\0").getBytes(UTF_8);
    try {
      LibC.Held.C.setxattr(
          directory.toString(), ATTRIBUTE, value, new NativeLong(value.length), /* flags= */ 0);
    } catch (LastErrorException e) {
      throw new IOException("label %s cannot be set: %s".formatted(label, e.getMessage()), e);
    }
  }
}
