package io.gpudra.controller.app;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.gate.GateReconciler;
import io.gpudra.controller.gate.GateReports;
import io.gpudra.controller.gate.GateTakeover;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.controller.gate.UnitReconciler;
import io.gpudra.controller.gate.group.GroupLifter;
import io.gpudra.controller.gate.group.GroupPlacer;
import io.gpudra.controller.gate.group.GroupReconciler;
import io.gpudra.controller.gate.group.GroupSize;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.controller.kube.KubeGatedPods;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.process.BucketTimer;
import io.gpudra.process.LabelledCounter;
import io.gpudra.process.LabelledCounter.Table;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * The components for pods that wait at their gate.
 *
 * @param takeover requeues the pods for a new leader
 */
record GateComponents(KubeGatedPods pods, GateTakeover takeover, WorkLoop loop) {

  /**
   * What groups need beyond single pods.
   *
   * @param writes removes gates side by side
   */
  record GroupParts<P>(GroupPlacer<P> placer, GroupTurns turns, Executor writes) {}

  static <P> GateComponents of(
      EngineParts<P> parts,
      KubeGatedPods pods,
      Duration patience,
      GroupParts<P> ofGroups,
      MetricRegistry metrics) {
    GateReports reports =
        new GateReports(parts.ports().reports(), outcome -> outcomes(metrics, outcome).inc());
    GateReconciler<P> gates =
        new GateReconciler<>(parts, pods, reports, patience, System::nanoTime);
    GroupReconciler<P> groups =
        new GroupReconciler<>(
            parts,
            ofGroups.placer(),
            new GroupLifter(pods, reports, ofGroups.writes()),
            System::nanoTime);
    registerGroups(metrics, groups::waiting);
    registerPods(metrics, pods::gatedCount);
    registerHold(metrics, ofGroups.turns()::kept);
    ControllerAssembly.entries(metrics, "groupTurns", ofGroups.turns()::size);
    Stream.of(gates.entries(), groups.entries())
        .forEach(
            entries ->
                entries.forEach((what, size) -> ControllerAssembly.entries(metrics, what, size)));
    return new GateComponents(
        pods,
        new GateTakeover(pods, parts.ports().claims(), parts.requeuer()),
        new WorkLoop(
            "gates", parts.requeuer().gateKeys(), new UnitReconciler(gates, groups), metrics));
  }

  /** Shows each outcome from the start, also if pods at a gate are not served. */
  static void registerOutcomes(MetricRegistry metrics) {
    Stream.concat(Stream.of(LiftReason.values()).map(LiftReason::label), GateReports.others())
        .forEach(outcome -> outcomes(metrics, outcome));
  }

  /**
   * Shows the groups that wait, and from the start the time that groups waited.
   *
   * @param waiting their number
   */
  static void registerGroups(MetricRegistry metrics, ToIntFunction<GroupSize> waiting) {
    for (GroupSize size : GroupSize.values()) {
      metrics.timer("group.wait." + size.label(), BucketTimer::ofWaiting);
      metrics.register(
          "groups.waiting." + size.label(), (Gauge<Integer>) () -> waiting.applyAsInt(size));
    }
  }

  /** Shows the number of pods at the gate. */
  static void registerPods(MetricRegistry metrics, IntSupplier gated) {
    metrics.register("gated.pods", (Gauge<Integer>) gated::getAsInt);
  }

  /**
   * Shows the number of nodes that are kept for a group.
   *
   * @param kept those nodes
   */
  static void registerHold(MetricRegistry metrics, Supplier<Optional<GroupTurns.Kept>> kept) {
    metrics.register("group.hold", (Gauge<Table>) () -> table(kept.get()));
  }

  private static Table table(Optional<GroupTurns.Kept> kept) {
    LabelledCounter nodes = new LabelledCounter("namespace");
    kept.ifPresentOrElse(now -> nodes.add(now.nodes(), now.namespace()), () -> nodes.add(0, ""));
    return nodes.table();
  }

  private static Counter outcomes(MetricRegistry metrics, String outcome) {
    return metrics.counter("gates." + outcome);
  }
}
