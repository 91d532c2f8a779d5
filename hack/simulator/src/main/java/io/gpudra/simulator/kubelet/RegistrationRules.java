package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.proto.registration.PluginInfo;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a 1.27 to 1.30 kubelet accepts as a DRA plugin (protocol 4.3). */
final class RegistrationRules {
  private static final Pattern VERSION = Pattern.compile("v?(\\d+)(\\.\\d+){0,2}");

  private RegistrationRules() {}

  /**
   * @param nameTaken another socket has registered the name already
   */
  static Optional<String> problem(PluginInfo info, boolean nameTaken) {
    if (!info.getType().equals("DRAPlugin")) {
      return Optional.of("no handler registered for plugin type: " + info.getType());
    }
    if (info.getName().isEmpty()) {
      return Optional.of("plugin name is empty");
    }
    Optional<Integer> highest =
        info.getSupportedVersionsList().stream()
            .map(VERSION::matcher)
            .filter(Matcher::matches)
            .map(matcher -> Integer.parseInt(matcher.group(1)))
            .max(Integer::compare);
    if (highest.isEmpty() || highest.get() > 1) {
      return Optional.of(
          "None of the versions specified %s are supported"
              .formatted(info.getSupportedVersionsList()));
    }
    if (highest.get() < 1) {
      return Optional.of("unsupported version: must be v1.x");
    }
    return nameTaken
        ? Optional.of(
            "Another plugin with the same name is already registered with a higher supported"
                + " version")
        : Optional.empty();
  }
}
