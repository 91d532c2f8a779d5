package io.gpudra.crds.model.node;

import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one node, each of which reaches every other without the PCIe bus.
 *
 * @param gpuUuids at least two
 * @param lanes NVLinks of each pair
 */
public record GpuLink(ImmutableSet<String> gpuUuids, Type type, int lanes) {

  /** The type of the connection. */
  public enum Type {
    NVLINK("NVLink"),
    NVSWITCH("NVSwitch");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    /** The usual name for people. */
    public String text() {
      return text;
    }

    /** The type of this name, if there is one. */
    public static Optional<Type> of(@Nullable String text) {
      return Arrays.stream(values()).filter(type -> type.text.equals(text)).findFirst();
    }
  }
}
