package io.gpudra.crds.usage;

import static io.gpudra.crds.testing.GrantFixture.migDevice;
import static io.gpudra.crds.usage.A100.gpuInstance;
import static io.gpudra.crds.usage.A100.share;
import static io.gpudra.crds.usage.A100.slice;
import static io.gpudra.crds.usage.A100.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.Taints;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RemainingCapacityTest {
  private static final DeviceTaint TAINT = Taints.noSchedule("gpu.resource.example.com/xid");

  private static Gpu gpu(ImmutableList<MigState.Device> devices) {
    return GpuModels.gpu(A100.UUID, 0, GpuModels.A100).with(GpuModels.enabled().with(devices));
  }

  private static MigState.Device device(String profile, int start, boolean foreign) {
    return migDevice("MIG-" + start, gpuInstance(profile, start, Optional.empty()), foreign);
  }

  private static PartHolding[] sevenths() {
    return Stream.of(0, 1, 2, 3, 4, 5, 6)
        .map(start -> slice("a" + start, "1g.5gb", start))
        .toArray(PartHolding[]::new);
  }

  private static Arguments of(
      String what, boolean any, ImmutableList<MigState.Device> devices, PartHolding... holdings) {
    return arguments(what, any, gpu(devices), ImmutableList.copyOf(holdings));
  }

  static Stream<Arguments> gpus() {
    ImmutableList<MigState.Device> none = ImmutableList.of();
    return Stream.of(
        of("nothing is taken", true, none),
        of("all of it", false, none, whole("a")),
        of("half of it", true, none, slice("a", "3g.20gb", 0)),
        of("all sevenths", false, none, sevenths()),
        of("some memory", true, none, share("a", 39, 0)),
        of("all memory", false, none, share("a", 30, 0), share("b", 10, 0)),
        of("more than there is", false, none, whole("a"), share("b", 10, 0)));
  }

  static Stream<Arguments> gpusWithDevicesOfOthers() {
    MigState.Device all = device("7g.40gb", 0, false);
    MigState.Device half = device("3g.20gb", 0, true);
    MigState.Device rest = device("4g.20gb", 0, false);
    return Stream.of(
        of("other software has all", false, ImmutableList.of(device("7g.40gb", 0, true))),
        of("other software has half", true, ImmutableList.of(half)),
        of(
            "other software and a claim have all",
            false,
            ImmutableList.of(half),
            slice("a", "3g.20gb", 4)),
        of("a static device is free", true, ImmutableList.of(all)),
        of("it is tainted", false, ImmutableList.of(all.with(ImmutableList.of(TAINT)))),
        of("a tainted one leaves room", true, ImmutableList.of(rest.with(ImmutableList.of(TAINT)))),
        of("it is a claim's", false, ImmutableList.of(all), A100.existing("a", "7g.40gb", 0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"gpus", "gpusWithDevicesOfOthers"})
  void onePartMoreFitsWhereThereIsRoomForTheSmallest(
      String what, boolean any, Gpu gpu, ImmutableList<PartHolding> holdings) {
    GpuUsage usage = GpuUsage.of(GpuShape.of(gpu), holdings);

    assertThat(new RemainingCapacity(gpu, usage).any()).as(what).isEqualTo(any);
  }
}
