package io.gpudra.controller.app;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.eviction.Evictor.Cluster;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.KubeCluster;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceToleration;
import java.util.Optional;

/** Access of evictions to cluster and driver. */
record TaintEvictions(KubeCluster cluster, GpuDriver driver) implements Cluster {

  @Override
  public ImmutableList<PodRef> pods(ClaimRef ref, ClaimUid claim) {
    return cluster.podsOf(ref, claim);
  }

  @Override
  public Optional<ImmutableList<DeviceToleration>> tolerations(ClaimRef ref, ClaimUid claim) {
    return cluster.claims().get(ref).filter(now -> now.uid().equals(claim)).flatMap(this::read);
  }

  private Optional<ImmutableList<DeviceToleration>> read(ClaimFacts claim) {
    Optional<DriverParameters<GpuRequest>> parameters =
        cluster.classes().get(claim.className()).map(found -> driver.parameters(found, claim));
    return parameters.isPresent()
            && parameters.get() instanceof DriverParameters.Ready<GpuRequest> ready
        ? Optional.of(ready.value().tolerations())
        : Optional.empty();
  }

  @Override
  public Answer evict(PodRef pod) {
    return cluster.evict(pod);
  }
}
