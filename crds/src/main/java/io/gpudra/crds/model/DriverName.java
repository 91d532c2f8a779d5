package io.gpudra.crds.model;

import java.util.Optional;
import java.util.regex.Pattern;

/** Validates a driver's name (api.md 1); both binaries get it with {@code --driver-name}. */
public final class DriverName {

  /**
   * The kubelet up to 1.30 makes an annotation key of name and claim UID, whose length is limited.
   */
  private static final int MAX_CHARACTERS = 26;

  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern CUSTOM = Pattern.compile("[^.]+[.]resource[.][^.]+[.].+");

  private DriverName() {}

  /** The reason why the name cannot work. */
  public static Optional<String> problem(String name) {
    if (name.length() > MAX_CHARACTERS) {
      return Optional.of(
          "--driver-name: \"%s\" has %d characters, at most %d are possible with kubelet 1.27-1.30"
              .formatted(name, name.length(), MAX_CHARACTERS));
    }
    return SUBDOMAIN.matcher(name).matches()
        ? Optional.empty()
        : Optional.of("--driver-name: \"%s\" is no DNS subdomain in lower case".formatted(name));
  }

  /** Whether the name works but does not have the usual form of driver names. */
  public static boolean unusual(String name) {
    return !CUSTOM.matcher(name).matches();
  }
}
