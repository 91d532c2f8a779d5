package io.gpudra.controller.check;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds inconsistent objects of one driver; objects of other drivers are ignored. */
public final class ClusterCheck {
  private final ClusterSnapshot cluster;
  private final ClusterObjects reading;
  private final String driverName;

  private ClusterCheck(ClusterSnapshot cluster) {
    this.cluster = cluster;
    this.reading = cluster.reading();
    this.driverName = cluster.driver().name();
  }

  /** All findings, by kind and place. */
  public static ImmutableList<Finding> of(ClusterSnapshot cluster) {
    return new ClusterCheck(cluster).findings();
  }

  private ImmutableList<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    cluster.unreadable().stream().map(ClusterCheck::unreadable).forEach(findings::add);
    Set<ClaimUid> existing =
        reading.claims().stream().map(ClaimFacts::uid).collect(Collectors.toSet());
    cluster.ledgers().snapshot().stream()
        .flatMap(ledger -> NodeCheck.of(ledger, claim -> existing.contains(claim.uid())).stream())
        .forEach(findings::add);
    reading.claims().stream().flatMap(this::about).forEach(findings::add);
    reading.malformed().stream().map(ClusterCheck::malformed).forEach(findings::add);
    return ImmutableList.sortedCopyOf(
        Comparator.comparing(Finding::kind)
            .thenComparing(Finding::node)
            .thenComparing(finding -> finding.claims().toString())
            .thenComparing(finding -> finding.devices().toString()),
        findings);
  }

  private Stream<Finding> about(ClaimFacts claim) {
    if (claim.hasBuiltinFinalizer()) {
      return Stream.empty();
    }
    return Stream.of(handle(claim), finalizer(claim), parameters(claim)).flatMap(Optional::stream);
  }

  private Optional<Finding> handle(ClaimFacts claim) {
    return allocatedInOurName(claim) && !claim.allocatedByUs()
        ? Optional.of(
            found(
                Kind.UNREADABLE_HANDLE,
                claim,
                "allocated by this driver, but without exactly one handle of it"))
        : Optional.empty();
  }

  private boolean allocatedInOurName(ClaimFacts claim) {
    return claim.allocation().map(Granted::driverName).filter(driverName::equals).isPresent();
  }

  private Optional<Finding> finalizer(ClaimFacts claim) {
    if (claim.hasFinalizer() && !allocatedInOurName(claim)) {
      return Optional.of(
          found(
              Kind.FINALIZER_LEFT,
              claim,
              "has this driver's finalizer, but no allocation of this driver"));
    }
    return claim.allocatedByUs() && !claim.hasFinalizer()
        ? Optional.of(
            found(Kind.FINALIZER_MISSING, claim, "allocated, but without this driver's finalizer"))
        : Optional.empty();
  }

  private Optional<Finding> parameters(ClaimFacts claim) {
    return Optional.ofNullable(reading.classes().get(claim.className()))
        .filter(found -> claim.allocation().isEmpty() && !found.structured())
        .filter(found -> found.driverName().equals(driverName))
        .flatMap(found -> parameters(found, claim));
  }

  private Optional<Finding> parameters(ClassFacts resourceClass, ClaimFacts claim) {
    return cluster.driver().parameters(resourceClass, claim)
            instanceof DriverParameters.Refused<GpuRequest> refused
        ? Optional.of(found(refused.reason(), claim))
        : Optional.empty();
  }

  private static Finding found(UnsuitableReason reason, ClaimFacts claim) {
    return found(Kind.of(reason.kind()), claim, reason.text(NamespaceAudience.READER_OF_ALL));
  }

  private static Finding unreadable(ClusterSnapshot.Unreadable handle) {
    return found(
        Kind.UNREADABLE_HANDLE,
        ImmutableSortedMap.of(handle.claim(), handle.ref()),
        handle.problem() + "; its node is unknown");
  }

  private static Finding malformed(MalformedObject object) {
    return found(
        Kind.MALFORMED_OBJECT,
        ImmutableSortedMap.of(),
        "%s %s: %s"
            .formatted(
                object.kind(),
                ObjectCache.key(object.namespace(), object.name()),
                object.problem()));
  }

  private static Finding found(Kind kind, ClaimFacts claim, String what) {
    return found(kind, ImmutableSortedMap.of(claim.uid(), claim.ref()), what);
  }

  private static Finding found(
      Kind kind, ImmutableSortedMap<ClaimUid, ClaimRef> claims, String what) {
    return new Finding(kind, "", claims, ImmutableSortedSet.of(), what);
  }
}
