package io.gpudra.scenarios.steps;

import com.codahale.metrics.MetricRegistry;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.gate.GateReconciler;
import io.gpudra.controller.gate.GateReports;
import io.gpudra.controller.gate.GateTakeover;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.UnitReconciler;
import io.gpudra.controller.gate.group.GroupLifter;
import io.gpudra.controller.gate.group.GroupPlacer;
import io.gpudra.controller.gate.group.GroupReconciler;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.loop.WorkLoop;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The gates of one controller process.
 *
 * @param takeover for a new leader
 */
record Gates(GateTakeover takeover, WorkLoop loop) {
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** All groups together have had their turns once everything had time. */
  static final GroupTurns.Times TURNS =
      new GroupTurns.Times(Duration.ofSeconds(10), Duration.ofSeconds(15));

  /** The real reconcilers over these ports. */
  static <P> Gates of(
      EngineParts<P> parts,
      GatedPods pods,
      GroupPlacer<P> placer,
      LongSupplier nanoTime,
      UnaryOperator<Reconciler> watched) {
    GateReports reports = new GateReports(parts.ports().reports(), outcome -> {});
    Reconciler units =
        new UnitReconciler(
            new GateReconciler<>(parts, pods, reports, PATIENCE, nanoTime),
            new GroupReconciler<>(
                parts, placer, new GroupLifter(pods, reports, Runnable::run), nanoTime));
    return new Gates(
        new GateTakeover(pods, parts.ports().claims(), parts.requeuer()),
        new WorkLoop(
            "gates", parts.requeuer().gateKeys(), watched.apply(units), new MetricRegistry()));
  }
}
