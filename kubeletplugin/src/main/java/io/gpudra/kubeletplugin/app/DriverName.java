package io.gpudra.kubeletplugin.app;

import java.util.Optional;
import java.util.regex.Pattern;

/** What a driver may be called (api.md 1). */
final class DriverName {

  /** The rest of the 63 characters of a CDI annotation key is the claim UID (protocol.md 4.9). */
  private static final int MOST_CHARACTERS = 26;

  private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final Pattern SUBDOMAIN = Pattern.compile(LABEL + "(\\." + LABEL + ")*");
  private static final Pattern CUSTOMARY =
      Pattern.compile(LABEL + "\\.resource\\." + LABEL + "\\." + LABEL);

  private DriverName() {}

  /** Why the plugin cannot start under this name. */
  static Optional<String> problem(String name) {
    if (name.length() > MOST_CHARACTERS) {
      return Optional.of(
          "--driver-name: \"%s\" has %d characters, at most %d are possible with kubelet 1.27-1.30"
              .formatted(name, name.length(), MOST_CHARACTERS));
    }
    return SUBDOMAIN.matcher(name).matches()
        ? Optional.empty()
        : Optional.of("--driver-name: \"%s\" is no DNS subdomain in lower case".formatted(name));
  }

  /** Why the name is unusual. */
  static Optional<String> doubt(String name) {
    return CUSTOMARY.matcher(name).matches()
        ? Optional.empty()
        : Optional.of(
            "--driver-name: \"%s\" does not look like <hw>.resource.<company>.<domain>"
                .formatted(name));
  }
}
