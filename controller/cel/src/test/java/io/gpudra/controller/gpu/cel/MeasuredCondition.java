package io.gpudra.controller.gpu.cel;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.management.ThreadMXBean;
import dev.cel.bundle.Cel;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.GpuModels;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * What evaluating a condition took on a device whose texts are as long as an inventory's can be.
 *
 * @param bound as told without evaluating it
 * @param steps nodes that were evaluated
 * @param bytes that were allocated
 */
record MeasuredCondition(long bound, long steps, long bytes) {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final Cel CEL = CelLanguage.cel();
  private static final V1SyntaxRewriter STRUCTURED = new V1SyntaxRewriter(DeviceSamples.DRIVER);
  private static final ImmutableMap<String, Object> FATTEST = fattest();

  private static ImmutableMap<String, Object> fattest() {
    String longest = "a".repeat(256);
    String[] capabilities =
        IntStream.range(0, 32)
            .mapToObj(i -> "a".repeat(31) + (char) ('A' + i))
            .toArray(String[]::new);
    GpuModel model =
        GpuModels.capable(GpuModels.model(longest, longest, longest, "9.0", 1), capabilities);
    Gpu gpu =
        new Gpu.Builder(longest, 1, model, 1)
            .name(longest)
            .minor(0)
            .pcieBusId(longest)
            .pcieRoot(longest)
            .attributes(AttributeValues.parse(ImmutableMap.of("pcieDeviceID", longest)))
            .numaNode(1)
            .mig(GpuModels.enabled())
            .build();
    Inventory node = DeviceSamples.inventory(longest, ImmutableList.of(gpu));
    return Arrays.stream(DeviceAttribute.values())
        .collect(
            ImmutableMap.toImmutableMap(
                DeviceAttribute::variable,
                one -> AttributeReader.value(one, new CelDevice(longest, node, gpu))));
  }

  private interface Evaluation {
    Object run() throws CelEvaluationException;
  }

  static MeasuredCondition of(String condition) {
    try {
      CelAbstractSyntaxTree parsed = CEL.parse(condition).getAst();
      CelAbstractSyntaxTree tree = CEL.check(STRUCTURED.flat(condition, parsed).tree()).getAst();
      CelRuntime.Program program = CEL.createProgram(tree);
      AtomicLong steps = new AtomicLong();
      allocated(() -> program.trace(FATTEST, (expr, value) -> steps.incrementAndGet()));
      long bytes = allocated(() -> program.eval(FATTEST));
      return new MeasuredCondition(CelCost.steps(tree), steps.get(), bytes);
    } catch (CelValidationException | CelEvaluationException e) {
      throw new AssertionError(condition, e);
    }
  }

  /** A condition that fails costs something, too. */
  private static long allocated(Evaluation evaluation) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      evaluation.run();
    } catch (CelEvaluationException e) {
      return allocated() - before;
    }
    return allocated() - before;
  }

  /** By this thread until now. */
  static long allocated() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
