package io.gpudra.controller.kube;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.client.watch.TooLargeException;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.PodStore;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads pods from the API server, a few at a time. */
final class KubePodStore implements PodStore {
  /** The API server has no limit, and the claims of a waiting pod are kept in memory. */
  private static final int MAX_CLAIMS = 512;

  /** Estimated bytes; twice those of the claims of such a pod. */
  static final long MAX_BYTES = 4 << 20;

  private final CoreV1Api api;
  private final LiveObjects<V1Pod, V1Pod> live;
  private final PodMapping mapping;
  private final Consumer<MalformedObject> malformed;

  /**
   * @param malformed receives all pods that are not served
   */
  KubePodStore(HttpClients http, PodMapping mapping, Consumer<MalformedObject> malformed) {
    this.api = new CoreV1Api(http.api());
    this.live =
        new LiveObjects<>(http, ResourceKinds.pods(mapping.driverName()), malformed, MAX_BYTES);
    this.mapping = mapping;
    this.malformed = malformed;
  }

  @Override
  public Optional<PodFacts> read(PodRef pod) throws ApiUnavailableException {
    try {
      return live.get(api.readNamespacedPod(pod.name(), pod.namespace())::buildCall)
          .filter(found -> found.uid().equals(pod.uid()))
          .map(Kept::value)
          .filter(found -> served(pod, found))
          .map(found -> mapping.facts(pod, found));
    } catch (TooLargeException e) {
      report(pod, "" + e.getMessage());
      return Optional.empty();
    } catch (IOException e) {
      throw new ApiUnavailableException("read pod " + pod, e);
    }
  }

  private boolean served(PodRef pod, V1Pod found) {
    int claims = PodMapping.entries(found).size();
    if (claims > MAX_CLAIMS) {
      report(
          pod,
          "spec.resourceClaims has %d entries, at most %d are allowed"
              .formatted(claims, MAX_CLAIMS));
    }
    return claims <= MAX_CLAIMS;
  }

  private void report(PodRef pod, String problem) {
    malformed.accept(
        new MalformedObject("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), problem));
  }
}
