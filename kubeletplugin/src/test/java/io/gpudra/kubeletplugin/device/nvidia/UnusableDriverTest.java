package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.mps.NoMps;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One line each: what it is, and how to mend it. */
class UnusableDriverTest {

  @TempDir Path directory = Path.of("");

  private StubDriver stub() {
    return Stubs.driver(directory, StubDriver.NEWEST, Parts.gpus(2), ImmutableList.of());
  }

  private static void open(StubDriver stub) throws IOException {
    Stubs.open(stub, new NoMps()).close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nvmlInitWithFlags * 9 9 | nvmlInitWithFlags: Driver Not Loaded; load the kernel module of the"
            + " driver (modprobe nvidia); a plugin that is not privileged sees it with NVIDIA's runtime"
            + " alone (chart: kubeletPlugin.runtimeClassName)",
        "nvmlInitWithFlags * 18 9 | nvmlInitWithFlags: Driver/library version mismatch; the driver was"
            + " replaced: restart the node, or load its kernel module anew",
        "nvmlDeviceGetHandleByIndex_v2 * 4 9 | nvmlDeviceGetHandleByIndex: Insufficient Permissions;"
            + " the plugin must be privileged, or, where all claims are for whole GPUs, its pod have"
            + " NVIDIA's runtime (chart: kubeletPlugin.privileged, kubeletPlugin.runtimeClassName)",
        "nvmlInitWithFlags * 999 9 | nvmlInitWithFlags: Unknown Error"
      })
  void saysWhatTheDriverRefusesAndWhatToDo(String fault, String words) throws IOException {
    StubDriver stub = stub();
    stub.faults(fault);

    assertThatThrownBy(() -> open(stub)).hasMessage(words);
  }

  @Test
  void saysThatAnotherDriverIsThere() throws IOException {
    StubDriver stub = stub();
    stub.faults("nvmlInitWithFlags * 18 9");
    Path other = Files.createDirectories(directory.resolve("usr/lib"));
    Files.createFile(other.resolve("libnvidia-ml.so.535.1.3"));
    Files.createSymbolicLink(
        other.resolve("libnvidia-ml.so.1"), Path.of("libnvidia-ml.so.535.1.3"));

    assertThatThrownBy(() -> open(stub))
        .hasMessageEndingWith(
            "; /usr/lib64/libnvidia-ml.so.550.54.15 was taken, and left aside:"
                + " /usr/lib/libnvidia-ml.so.535.1.3");
  }

  @Test
  void saysThatTheDriverIsTooOld() throws IOException {
    StubDriver stub = stub();
    stub.version("418.87.00");

    assertThatThrownBy(() -> open(stub))
        .hasMessage("driver 418.87.00 is too old; install 450 or later");
  }

  @Test
  void saysThatALibraryIsMissing() throws IOException {
    StubDriver stub = stub();
    Files.delete(directory.resolve("usr/lib64/libcuda.so.1"));

    assertThatThrownBy(() -> open(stub))
        .hasMessageStartingWith(directory + " has no libcuda.so.1 of driver 550.54.15 in [");
  }
}
