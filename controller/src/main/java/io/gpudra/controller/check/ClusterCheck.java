package io.gpudra.controller.check;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.ClusterReading;
import io.gpudra.controller.view.Cluster;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the objects of one driver contradict each other in; other drivers' are left alone. */
public final class ClusterCheck {
  private final ClusterReading reading;
  private final String driverName;
  private final List<Finding> findings = new ArrayList<>();
  private final Cluster cluster;

  private ClusterCheck(ClusterReading reading, String driverName, Instant now) {
    this.reading = reading;
    this.driverName = driverName;
    this.cluster = Cluster.of(reading, driverName, now, new HandleAlerts(findings));
  }

  /** Everything that is wrong, by kind and place. */
  public static ImmutableList<Finding> of(ClusterReading reading, String driverName, Instant now) {
    return new ClusterCheck(reading, driverName, now).findings();
  }

  private ImmutableList<Finding> findings() {
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
    if (claim.structured()) {
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
    if (claim.guarded() && !allocatedInOurName(claim)) {
      return Optional.of(
          found(
              Kind.FINALIZER_LEFT,
              claim,
              "has this driver's finalizer, but no allocation of this driver"));
    }
    return claim.allocatedByUs() && !claim.guarded()
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
    Parameters<GpuRequest> parameters = cluster.driver().parameters(resourceClass, claim);
    if (parameters instanceof Parameters.Missing<GpuRequest> missing) {
      return Optional.of(found(Kind.PARAMETERS_NOT_FOUND, claim, missing.text()));
    }
    if (parameters instanceof Parameters.NotAllowed<GpuRequest> not) {
      return Optional.of(found(Kind.NAMESPACE_NOT_ALLOWED, claim, not.text()));
    }
    if (parameters instanceof Parameters.OverLimit<GpuRequest> over) {
      return Optional.of(found(Kind.CLASS_LIMIT, claim, String.join("; ", over.texts())));
    }
    return parameters instanceof Parameters.Invalid<GpuRequest> invalid
        ? Optional.of(found(Kind.INVALID_PARAMETERS, claim, String.join("; ", invalid.problems())))
        : Optional.empty();
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

  /** Handles that no node's ledger can show. */
  private record HandleAlerts(List<Finding> findings) implements GpuAlerts {

    @Override
    public void unreadableHandle(
        ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
      if (node.isEmpty()) {
        findings.add(
            found(
                Kind.UNREADABLE_HANDLE,
                ImmutableSortedMap.of(claim, ref),
                problem + "; nobody can tell its node"));
      }
    }

    @Override
    public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {}

    @Override
    public void conditionFailed(String expression, String problem) {}

    @Override
    public void conditionBroken(String expression, String result) {}
  }
}
