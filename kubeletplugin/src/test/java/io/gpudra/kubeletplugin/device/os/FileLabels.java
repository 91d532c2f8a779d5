package io.gpudra.kubeletplugin.device.os;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Labels of SELinux, which root can give a file where no SELinux minds them, too. */
public final class FileLabels {

  private FileLabels() {}

  public static Optional<String> get(Path file) throws IOException {
    return ContainerLabel.get(file);
  }

  public static void set(Path file, String label) {
    try {
      ContainerLabel.put(file, label);
    } catch (IOException e) {
      Assumptions.abort("only root may label a file: " + e.getMessage());
    }
  }
}
