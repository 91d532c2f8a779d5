package io.gpudra.controller.kube;

import io.gpudra.controller.client.LiveObjects;
import io.gpudra.controller.client.ObjectCache.Kept;
import io.gpudra.controller.dra.PodFacts;
import io.gpudra.controller.dra.Pods;
import io.gpudra.controller.dra.Unavailable;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.util.Optional;

/** Pods, read one at a time and never cached. */
final class KubePods implements Pods {
  private final CoreV1Api api;
  private final LiveObjects<V1Pod, V1Pod> live;
  private final PodMapping mapping;

  KubePods(CoreV1Api api, LiveObjects<V1Pod, V1Pod> live, PodMapping mapping) {
    this.api = api;
    this.live = live;
    this.mapping = mapping;
  }

  @Override
  public Optional<PodFacts> read(PodRef pod) throws Unavailable {
    try {
      return live.get(api.readNamespacedPod(pod.name(), pod.namespace())::buildCall)
          .filter(found -> found.uid().equals(pod.uid()))
          .map(Kept::value)
          .map(found -> mapping.facts(pod, found));
    } catch (IOException e) {
      throw new Unavailable("read pod " + pod, e);
    }
  }
}
