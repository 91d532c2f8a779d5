package io.gpudra.kubeletplugin.testing;

import static org.junit.jupiter.api.Assertions.fail;

import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.mps.PaperMps;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices;
import io.gpudra.nvidia.EmulatedKernel;
import io.gpudra.nvidia.NvidiaPackages;
import io.gpudra.nvidia.NvidiaPackages.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/**
 * NVIDIA's own libraries on a kernel that is emulated; tests are skipped where there is neither.
 */
public final class Emulated {

  private static final boolean REQUIRED =
      Boolean.getBoolean("nvidia.required") || System.getenv("CI_STRICT") != null;

  private Emulated() {}

  /** The management library of a driver, such as {@code 550}. */
  public static Path library(String driver) throws IOException {
    if (EmulatedKernel.preloaded().isEmpty()) {
      String why = "no C compiler: the kernel cannot be emulated";
      if (REQUIRED) {
        fail(why);
      }
      Assumptions.abort(why);
    }
    return packageOf("libnvidia-ml-" + driver).file("libnvidia-ml.so.");
  }

  /** One that {@code hack/nvidia/fetch} knows; where it cannot be had, the test is skipped. */
  public static Answer.Found packageOf(String name) {
    Answer answer = NvidiaPackages.of(name);
    if (answer instanceof Answer.Absent absent) {
      Assumptions.abort("%s: %s".formatted(name, absent.reason()));
    }
    return (Answer.Found) answer;
  }

  public static NvidiaDevices open(EmulatedKernel kernel) throws IOException {
    return open(kernel, new PaperMps());
  }

  public static NvidiaDevices open(EmulatedKernel kernel, MpsServers mps) throws IOException {
    DriverRoot root = DriverRoot.find(Optional.of(Path.of("/")), kernel.root());
    return NvidiaDevices.open(root, kernel.root(), mps, Stubs.health(kernel.root()));
  }
}
