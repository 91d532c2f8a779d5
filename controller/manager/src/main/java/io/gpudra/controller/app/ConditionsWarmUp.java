package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.gpu.cel.CelDevice;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import java.util.List;

/**
 * Evaluates a made-up GPU with conditions that use every part of the language: the first condition
 * costs about a second, for which no claim should wait.
 */
final class ConditionsWarmUp {

  private static final List<String> CONDITIONS =
      List.of(
          "device.memory >= quantity('40Gi') && device.architecture in ['Ampere', 'Hopper']",
          "device.cudaComputeCapability >= '8.0' || device.productName.matches('A100|H100')",
          "device.attributes['gpu.nvidia.com'].type == 'gpu'",
          "device.capabilities.exists(one, one == 'nvlink')");

  /** Accepts no alert, since the conditions are the driver's own. */
  private static final class FailOnAlert implements ConditionAlerts {
    @Override
    public void conditionFailed(String expression, String problem) {
      throw new IllegalStateException("%s fails: %s".formatted(expression, problem));
    }

    @Override
    public void conditionBroken(String expression, String result) {
      throw new IllegalStateException("%s yields %s".formatted(expression, result));
    }
  }

  private ConditionsWarmUp() {}

  /**
   * Blocks until all conditions are evaluated.
   *
   * @throws IllegalStateException when one of the conditions is wrong: a defect of ours
   */
  static void run(String driver) {
    ConditionCompiler conditionCompiler = new ConditionCompiler(driver, new FailOnAlert());
    GpuModel model = new GpuModel("warm-up", "", "", "8.0", 1, ImmutableSortedSet.of("nvlink"));
    Gpu gpu = new Gpu.Builder("GPU-0", 0, model, 1).build();
    NodeState node = NodeState.unknown("warm-up");
    Inventory inventory =
        new Inventory(
            node,
            "",
            "",
            ImmutableList.of(gpu),
            ImmutableList.of(),
            new Inventory.Service.Absent());
    for (String condition : CONDITIONS) {
      CompilationResult compilation = conditionCompiler.compile(condition);
      if (!(compilation instanceof CompilationResult.Compiled compiled)) {
        throw new IllegalStateException("%s: %s".formatted(condition, compilation));
      }
      conditionCompiler.matches(compiled.expression(), new CelDevice(driver, inventory, gpu));
    }
  }
}
