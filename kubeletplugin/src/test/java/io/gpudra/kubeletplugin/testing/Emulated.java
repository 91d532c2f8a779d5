package io.gpudra.kubeletplugin.testing;

import static org.junit.jupiter.api.Assertions.fail;

import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.nvidia.NvidiaDevices;
import io.gpudra.nvidia.EmulatedKernel;
import io.gpudra.nvidia.NvidiaPackages;
import io.gpudra.nvidia.NvidiaPackages.Answer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * NVIDIA's own libraries on a kernel that is emulated; tests are skipped where there is neither.
 */
public final class Emulated {

  /** Whether a compiler that is missing fails a test rather than skipping it. */
  private static final boolean REQUIRED = Boolean.getBoolean("nvidia.required");

  private Emulated() {}

  /** The management library of a driver, such as {@code 550}. */
  public static Path library(String driver) throws IOException {
    Assumptions.assumeTrue(EmulatedKernel.isWanted(), "only in surefire's execution \"emulated\"");
    Assumptions.assumeTrue(
        System.getProperty("os.arch").equals("amd64"), "NVIDIA's libraries are fetched for amd64");
    if (EmulatedKernel.preloaded().isEmpty()) {
      missing("no C compiler: the kernel cannot be emulated");
    }
    return packageOf("libnvidia-ml-" + driver).file("libnvidia-ml.so.");
  }

  private static void missing(String why) {
    if (REQUIRED) {
      fail(why);
    }
    Assumptions.abort(why);
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
    return open(kernel, new FakeMpsServers());
  }

  public static NvidiaDevices open(EmulatedKernel kernel, MpsServers mps) throws IOException {
    return Stubs.open(kernel.root(), mps);
  }
}
