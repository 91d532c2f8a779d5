package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.kube.mapping.CachedClaim.Consumer;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1alpha2AllocationResult;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimParametersReference;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimSpec;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimStatus;
import io.kubernetes.client.openapi.models.V1alpha2ResourceHandle;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * ResourceClaim → facts (protocol.md 1.2), for claims of this driver. Total: missing or invalid
 * fields get a safe value.
 */
public record ClaimMapping(String driverName, String finalizer) {

  /** Finalizers of claims with structured parameters, up to 1.30 and from 1.31. */
  private static final ImmutableSet<String> BUILTIN_FINALIZERS =
      ImmutableSet.of("dra.k8s.io/delete-protection", "resource.kubernetes.io/delete-protection");

  /** Reads the fields that are cached. */
  public CachedClaim keep(V1alpha2ResourceClaim claim) {
    V1ObjectMeta metadata = requireNonNullElse(claim.getMetadata(), new V1ObjectMeta());
    ClaimFacts facts = facts(claim);
    return new CachedClaim(
        facts,
        !ObjectMetadata.finalizers(metadata).isEmpty(),
        consumers(claim.getStatus()),
        ObjectMetadata.controller(metadata)
            .filter(unused -> facts.mode() == Mode.IMMEDIATE && facts.allocation().isEmpty())
            .map(owner -> pod(facts.ref(), owner)));
  }

  private static PodRef pod(ClaimRef claim, V1OwnerReference owner) {
    return new PodRef(
        claim.namespace(),
        ObjectMetadata.nameOrSo(owner.getName()),
        ObjectMetadata.nameOrSo(owner.getUid()));
  }

  /** Reads the facts that the protocol needs. */
  public ClaimFacts facts(V1alpha2ResourceClaim claim) {
    V1ObjectMeta metadata = requireNonNullElse(claim.getMetadata(), new V1ObjectMeta());
    V1alpha2ResourceClaimSpec spec =
        requireNonNullElse(claim.getSpec(), new V1alpha2ResourceClaimSpec());
    V1alpha2ResourceClaimStatus status =
        requireNonNullElse(claim.getStatus(), new V1alpha2ResourceClaimStatus());
    ClaimRef ref = new ClaimRef(ObjectMetadata.namespace(metadata), ObjectMetadata.name(metadata));
    List<String> finalizers = ObjectMetadata.finalizers(metadata);
    return new ClaimFacts(
        ref,
        new ClaimUid(ObjectMetadata.uid(metadata)),
        ObjectMetadata.resourceVersion(metadata),
        ObjectMetadata.created(metadata),
        requireNonNullElse(spec.getResourceClassName(), ""),
        parameters(ref, spec.getParametersRef()),
        "Immediate".equals(spec.getAllocationMode()) ? Mode.IMMEDIATE : Mode.DELAYED,
        metadata.getDeletionTimestamp() != null,
        Boolean.TRUE.equals(status.getDeallocationRequested()),
        finalizers.contains(finalizer),
        finalizers.stream().anyMatch(BUILTIN_FINALIZERS::contains),
        Optional.ofNullable(status.getAllocation()).map(a -> granted(status, a)),
        status.getAllocation() == null && driverName.equals(status.getDriverName()),
        consumers(status).stream().map(Consumer::uid).collect(ImmutableSet.toImmutableSet()),
        ObjectMetadata.controllerUid(metadata));
  }

  private static Optional<ParametersRef> parameters(
      ClaimRef claim, @Nullable V1alpha2ResourceClaimParametersReference ref) {
    return Optional.ofNullable(ref)
        .map(
            r ->
                new ParametersRef(
                    ObjectMetadata.nameOrSo(r.getApiGroup()),
                    ObjectMetadata.nameOrSo(r.getKind()),
                    Optional.of(claim.namespace()),
                    ObjectMetadata.nameOrSo(r.getName())));
  }

  private Granted granted(V1alpha2ResourceClaimStatus status, V1alpha2AllocationResult allocation) {
    String driver = requireNonNullElse(status.getDriverName(), "");
    return new Granted(driver, driver.equals(driverName) ? ours(allocation) : Optional.empty());
  }

  private Optional<ResourceHandle> ours(V1alpha2AllocationResult allocation) {
    List<V1alpha2ResourceHandle> handles =
        requireNonNullElse(allocation.getResourceHandles(), List.<V1alpha2ResourceHandle>of());
    List<V1alpha2ResourceHandle> ours =
        handles.stream().filter(h -> driverName.equals(h.getDriverName())).toList();
    if (ours.size() != 1) {
      return Optional.empty();
    }
    return Optional.of(
        new ResourceHandle(
            requireNonNullElse(ours.get(0).getData(), ""),
            NodeSelectors.onlyNode(allocation.getAvailableOnNodes()),
            Boolean.TRUE.equals(allocation.getShareable())));
  }

  private static ImmutableList<Consumer> consumers(@Nullable V1alpha2ResourceClaimStatus status) {
    if (status == null || status.getReservedFor() == null) {
      return ImmutableList.of();
    }
    return status.getReservedFor().stream()
        .map(
            consumer ->
                new Consumer(
                    requireNonNullElse(consumer.getApiGroup(), ""),
                    requireNonNullElse(consumer.getResource(), ""),
                    requireNonNullElse(consumer.getName(), ""),
                    requireNonNullElse(consumer.getUid(), "")))
        .collect(ImmutableList.toImmutableList());
  }
}
