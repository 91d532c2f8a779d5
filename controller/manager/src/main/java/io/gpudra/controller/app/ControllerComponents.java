package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.LedgerListener;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.client.election.LeaderElection;
import io.gpudra.controller.dra.engine.ProtocolEngine;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.eviction.Evictor;
import io.gpudra.controller.kube.KubeCluster;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.metrics.GpuStatistics;
import io.gpudra.controller.metrics.GpuTimeMeter;
import io.gpudra.controller.quota.status.QuotaStatusWriter;
import io.gpudra.controller.status.ParametersLoop;
import io.gpudra.controller.webhook.server.ReviewHandler;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

/**
 * All components of the controller that are started or stopped, in the order of their dependencies.
 *
 * @param alerts to be connected once the ledgers are complete
 * @param gates empty if pods at a gate are not served
 * @param evictor empty if evictions are off
 * @param admission answers admission reviews, if there is a webhook
 * @param writes runs the writes of a pod's claims in parallel
 */
record ControllerComponents(
    LeadershipState leadershipState,
    LeaderElection election,
    KubeCluster cluster,
    Requeuer requeuer,
    Ledgers ledgers,
    LedgerListener alerts,
    ExecutorService writes,
    ProtocolEngine engine,
    WorkLoop claims,
    WorkLoop contexts,
    ClusterStats clusterStats,
    ParametersLoop parameters,
    QuotaStatusWriter quotas,
    GpuStatistics gpuStatistics,
    GpuTimeMeter gpuTimeMeter,
    Optional<GateComponents> gates,
    Optional<Evictor> evictor,
    ReviewHandler admission) {

  /** The loops of keys; those that release devices are the last to stop. */
  ImmutableList<WorkLoop> loops() {
    return Stream.of(
            Stream.of(contexts), gates.stream().map(GateComponents::loop), Stream.of(claims))
        .flatMap(loop -> loop)
        .collect(ImmutableList.toImmutableList());
  }
}
