package io.gpudra.controller.translate.cel;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gpu.cel.CelDevice;
import io.gpudra.controller.gpu.cel.CelDevice.MigDevice;
import io.gpudra.controller.gpu.cel.CompilationResult.Compiled;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.gpu.cel.V1DeviceValues;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Devices;
import io.gpudra.controller.translate.cel.V1ConditionWriter.Written;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is written for a condition selects the devices that it selects here, or it is refused. */
class V1ConditionPropertiesTest {
  private static final int CONDITIONS = Integer.getInteger("gpudra.conditions", 2_000);
  private static final String DRIVER = DeviceSamples.DRIVER;

  private static final Inventory NODE = DeviceSamples.node("worker-1", DeviceSamples.A100_MIG);
  private static final Gpu GPU = NODE.gpus().get(0);
  private static final Gpu UNKNOWN =
      new Gpu.Builder("GPU-9", 1, DeviceSamples.T4, 1L << 34).build();

  private static final List<Asked> ALL =
      List.of(
          new Asked(whole(GPU), "gpu", List.of(Devices.WHOLE, Devices.ALL)),
          new Asked(whole(GPU), "share", List.of(Devices.SHARES, Devices.ALL)),
          new Asked(whole(UNKNOWN), "gpu", List.of(Devices.WHOLE, Devices.ALL)),
          new Asked(mig(Optional.of("MIG-1")), "mig", List.of(Devices.MIG, Devices.ALL)),
          new Asked(mig(Optional.empty()), "mig", List.of(Devices.MIG, Devices.ALL)));

  private final ConditionCompiler conditionCompiler =
      new ConditionCompiler(DRIVER, new DeviceSamples.Told());
  private final V1ConditionWriter writer = new V1ConditionWriter(DRIVER, DRIVER, conditionCompiler);
  private final Map<String, KubernetesCel> compiled = new HashMap<>();

  /** A device, its type there, and what it may be asked as. */
  private record Asked(CelDevice device, String type, List<Devices> as) {}

  private static CelDevice whole(Gpu gpu) {
    return new CelDevice(DRIVER, DeviceSamples.inventory("worker-1", ImmutableList.of(gpu)), gpu);
  }

  private static CelDevice mig(Optional<String> uuid) {
    MigDevice device = new MigDevice(DeviceSamples.slice(DeviceSamples.SMALL, 2), uuid);
    return new CelDevice(DRIVER, NODE, GPU, Optional.of(device));
  }

  @Test
  void itSelectsTheSameDevicesThere() {
    long written =
        new RandomConditions(35).conditions().limit(CONDITIONS).filter(this::isWritten).count();

    assertThat(written).isGreaterThan(CONDITIONS / 2);
  }

  private boolean isWritten(String condition) {
    ALL.forEach(asked -> asked.as().forEach(as -> judge(condition, asked, as)));
    return writer.write(condition, Devices.WHOLE) instanceof Written;
  }

  private void judge(String condition, Asked asked, Devices as) {
    if (writer.write(condition, as) instanceof Written written) {
      boolean here = matches(condition, asked.device());
      Optional<Boolean> there = there(written, asked);
      assertThat(there)
          .as("%s of %s: %s", condition, asked.type(), written)
          .isIn(
              written.mayFail()
                  ? List.of(Optional.of(here), Optional.empty())
                  : List.of(Optional.of(here)));
    }
  }

  private boolean matches(String condition, CelDevice device) {
    Compiled known = (Compiled) conditionCompiler.compile(condition);
    return conditionCompiler.matches(known.expression(), device);
  }

  private Optional<Boolean> there(Written written, Asked asked) {
    boolean onNode = written.nodes().isEmpty() || written.nodes().contains("worker-1");
    Optional<Boolean> selected =
        written.text().isEmpty()
            ? Optional.of(true)
            : compiled
                .computeIfAbsent(written.text(), KubernetesCel::compile)
                .matches(V1DeviceValues.of(asked.device(), asked.type()));
    return selected.map(one -> one && onNode);
  }
}
