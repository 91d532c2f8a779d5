package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClass;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClassParametersReference;
import java.util.Optional;

/** ResourceClass → facts (protocol.md 1.5). */
public final class ClassMapping {

  private ClassMapping() {}

  /**
   * Reads the facts that the protocol needs.
   *
   * @throws IllegalArgumentException for a node selector operator that does not exist
   */
  public static ClassFacts facts(V1alpha2ResourceClass resourceClass) {
    return new ClassFacts(
        ObjectMetadata.name(requireNonNullElse(resourceClass.getMetadata(), new V1ObjectMeta())),
        requireNonNullElse(resourceClass.getDriverName(), ""),
        Boolean.TRUE.equals(resourceClass.getStructuredParameters()),
        Optional.ofNullable(resourceClass.getParametersRef()).map(ClassMapping::parameters),
        NodeSelectors.of(resourceClass.getSuitableNodes()));
  }

  private static ParametersRef parameters(V1alpha2ResourceClassParametersReference ref) {
    return new ParametersRef(
        requireNonNullElse(ref.getApiGroup(), ""),
        requireNonNullElse(ref.getKind(), ""),
        Optional.ofNullable(ref.getNamespace()).filter(namespace -> !namespace.isEmpty()),
        requireNonNullElse(ref.getName(), ""));
  }
}
