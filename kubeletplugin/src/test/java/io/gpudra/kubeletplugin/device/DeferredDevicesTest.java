package io.gpudra.kubeletplugin.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoDriver;
import io.gpudra.kubeletplugin.device.AbsentDevices.NoGpus;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeferredDevicesTest {

  private static final NoDriver ABSENT = new NoDriver("why", ImmutableList.of());

  private final List<String> told = new ArrayList<>();
  private final DeferredDevices late = new DeferredDevices(ABSENT);

  /** Writes down what it is told, and refuses what starts with that. */
  private GpuDevices recording(String refused) {
    return (GpuDevices)
        Proxy.newProxyInstance(
            GpuDevices.class.getClassLoader(),
            new Class<?>[] {GpuDevices.class},
            (proxy, method, arguments) -> {
              if (method.getReturnType() == boolean.class) {
                return false;
              }
              if (method.getReturnType() == Optional.class) {
                return Optional.empty();
              }
              told.add(method.getName() + (arguments == null ? "" : Arrays.toString(arguments)));
              if (method.getName().equals(refused)) {
                throw new IOException(refused);
              }
              return null;
            });
  }

  @Test
  void whatWasSaidBeforeTheyCameTheyAreTold() throws IOException {
    Runnable action = () -> told.add("changed");
    late.hold(Set.of("GPU-1"));
    late.usedByOthers(Optional.of("a device plugin"));
    late.onChange(action);
    late.become(recording(""));

    assertThat(told)
        .containsExactly(
            "hold[[GPU-1]]",
            "usedByOthers[Optional[a device plugin]]",
            "onChange[%s]".formatted(action),
            "changed");
    assertThat(late.came()).isTrue();
  }

  @Test
  void whatAnEarlierBootLeftIsTakenBackWhereNoClaimHoldsAnything() throws IOException {
    late.hold(Set.of());
    late.become(recording(""));

    assertThat(told).startsWith("hold[[]]", "reset");
  }

  @Test
  void thoseThatCannotBeTakenBackHaveNotCome() {
    assertThatThrownBy(() -> late.become(recording("reset"))).hasMessage("reset");

    assertThat(late.came()).isFalse();
    assertThat(late.unreachable()).contains("why");
  }

  @Test
  void theSameReasonIsNoChange() throws IOException {
    AtomicInteger changes = new AtomicInteger();
    late.onChange(changes::incrementAndGet);
    late.become(new NoDriver("why", ImmutableList.of()));
    assertThat(changes).hasValue(0);

    late.become(new NoGpus());
    assertThat(changes).hasValue(1);
    assertThat(late.unreachable()).isEmpty();
  }
}
