package io.gpudra.kubeletplugin.device.mps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** With answers as NVIDIA's programs give them. */
class MpsLimitsTest {

  private final List<String> told = new ArrayList<>();

  private void set(MpsServer server, ImmutableMap<String, String> answers) throws IOException {
    new MpsLimits(
            server,
            command -> {
              told.add(command);
              return answers.getOrDefault(command, "");
            })
        .set();
  }

  private static MpsServer memory(ImmutableSortedMap<String, Long> pinned) {
    return new MpsServer("gpu-0", pinned, OptionalInt.empty());
  }

  private static MpsServer threads(int percentage) {
    return new MpsServer("gpu-0", ImmutableSortedMap.of("GPU-a", 0L), OptionalInt.of(percentage));
  }

  @Test
  void aDeviceIsNamedByItsPlaceAmongThoseThatTheServerSees() throws IOException {
    set(
        memory(ImmutableSortedMap.of("GPU-c", 70_000L << 20, "GPU-b", 0L, "GPU-a", 512L << 20)),
        ImmutableMap.of(
            "get_default_device_pinned_mem_limit 0",
            "512M",
            "get_default_device_pinned_mem_limit 2",
            "68G"));

    assertThat(told)
        .containsExactly(
            "set_default_device_pinned_mem_limit 0 512M",
            "get_default_device_pinned_mem_limit 0",
            "set_default_device_pinned_mem_limit 2 70000M",
            "get_default_device_pinned_mem_limit 2");
  }

  @Test
  void aLimitBelowAMebibyteIsAMebibyte() throws IOException {
    set(
        memory(ImmutableSortedMap.of("GPU-a", 1000L)),
        ImmutableMap.of("get_default_device_pinned_mem_limit 0", "1M"));

    assertThat(told).contains("set_default_device_pinned_mem_limit 0 1M");
  }

  @Test
  void aMemoryLimitThatIsNotTakenFailsTheStart() {
    assertThatThrownBy(
            () -> set(memory(ImmutableSortedMap.of("GPU-a", 1L << 30)), ImmutableMap.of()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "MPS server of gpu-0 did not take memory limit 1024M of GPU-a and answers \"\": it takes"
                + " driver 495 or newer; update the driver, or claim without a limit of memory");
  }

  @Test
  void aDriverThatKnowsNoMemoryLimitsFailsTheStart() {
    String unknown = "Unknown command \"get_default_device_pinned_mem_limit\"";
    assertThatThrownBy(
            () ->
                set(
                    memory(ImmutableSortedMap.of("GPU-a", 1L << 30)),
                    ImmutableMap.of("get_default_device_pinned_mem_limit 0", unknown)))
        .hasMessageContaining("answers \"" + unknown + "\": it takes driver 495 or newer");
  }

  @Test
  void aPercentageThatIsNotTakenFailsTheStart() {
    assertThatThrownBy(
            () ->
                set(threads(50), ImmutableMap.of("get_default_active_thread_percentage", "100.0")))
        .hasMessage(
            "MPS server of gpu-0 did not take active thread percentage 50 and answers \"100.0\":"
                + " take another one");
  }

  @Test
  void aPercentageThatIsReadBackIsTaken() throws IOException {
    set(threads(50), ImmutableMap.of("get_default_active_thread_percentage", "50.0"));

    assertThat(told)
        .containsExactly(
            "set_default_active_thread_percentage 50", "get_default_active_thread_percentage");
  }

  @Test
  void withoutLimitsNothingIsAsked() throws IOException {
    set(memory(ImmutableSortedMap.of("GPU-a", 0L)), ImmutableMap.of());

    assertThat(told).isEmpty();
  }
}
