package io.gpudra.controller.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which container runtimes inject devices through CDI. */
final class ContainerRuntimes {
  static final String WITH_CDI =
      "containerd 1.7 with enable_cdi, containerd 2, or CRI-O 1.28, or later ones";

  private static final Pattern VERSION = Pattern.compile("([a-z-]+)://v?(\\d{1,4})\\.(\\d{1,4}).*");

  private ContainerRuntimes() {}

  /** Whether the runtime is known to lack CDI; unknown runtimes may have it. */
  static boolean withoutCdi(String runtime) {
    Matcher version = VERSION.matcher(runtime);
    if (!version.matches()) {
      return false;
    }
    int number = Integer.parseInt(version.group(2)) * 10_000 + Integer.parseInt(version.group(3));
    return switch (version.group(1)) {
      case "containerd" -> number < 1_0007;
      case "cri-o" -> number < 1_0028;
      case "docker" -> true;
      default -> false;
    };
  }
}
