package io.gpudra.controller.webhook;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.FieldFilter;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.WatchedKind;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/** Reads a pod from the API server for each call. */
public final class KubeNodesOfPods implements NodesOfPods {
  private final CoreV1Api api;
  private final LiveObjects<V1Pod, V1Pod> live;

  public KubeNodesOfPods(HttpClients http) {
    this.api = new CoreV1Api(http.api());
    this.live =
        new LiveObjects<>(
            http,
            new WatchedKind<>(
                "/api/v1/pods",
                "v1",
                "Pod",
                FieldFilter.of("spec.nodeName"),
                V1Pod.class,
                Function.identity()),
            malformed -> {});
  }

  @Override
  public Optional<String> nodeOf(String namespace, String pod, String uid) throws IOException {
    return live.get(api.readNamespacedPod(pod, namespace)::buildCall)
        .filter(found -> found.uid().equals(uid))
        .map(found -> found.value().getSpec())
        .map(V1PodSpec::getNodeName);
  }
}
