package io.gpudra.controller.kube;

import io.gpudra.controller.client.WatchedKind;
import io.gpudra.crds.api.GpuApi;
import io.kubernetes.client.common.KubernetesObject;
import java.util.function.Function;

/** Paths of what is read and written. */
final class Kinds {
  static final String RESOURCE_API = "resource.k8s.io/v1alpha2";
  private static final String GPU_API = GpuApi.GROUP + "/" + GpuApi.VERSION;

  private Kinds() {}

  static <T, V> WatchedKind<T, V> resource(
      String plural, String kind, Class<T> type, Function<T, V> keep) {
    return new WatchedKind<>(
        "/apis/" + RESOURCE_API + "/" + plural, RESOURCE_API, kind, type, keep);
  }

  static <T extends KubernetesObject> WatchedKind<T, T> gpu(
      String plural, String kind, Class<T> type) {
    return new WatchedKind<>(
        "/apis/" + GPU_API + "/" + plural, GPU_API, kind, type, Function.identity());
  }

  /** Path of a namespaced object of the resource API. */
  static String path(String namespace, String plural, String name) {
    return "/apis/" + RESOURCE_API + "/namespaces/" + namespace + "/" + plural + "/" + name;
  }
}
