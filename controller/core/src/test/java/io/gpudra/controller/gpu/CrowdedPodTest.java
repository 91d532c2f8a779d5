package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.GpuSamples.claim;
import static io.gpudra.controller.gpu.GpuSamples.ofClaim;
import static io.gpudra.controller.gpu.GpuSamples.resourceClass;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.sun.management.ThreadMXBean;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.NamespaceAudience;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a pod costs that brings more claims than any node could serve. */
class CrowdedPodTest {
  private static final int CLAIMS = 300;
  private static final int NODES = 128;

  /** A reference or ten for each pair of a claim and a node, and no text. */
  private static final long MAX_BYTES = 800L * CLAIMS * NODES;

  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final Ledgers ledgers = new Ledgers();
  private final GpuDriver driver =
      new GpuDriver(
          DeviceSamples.DRIVER,
          objects,
          ledgers,
          () -> new GrantAudit(3, Instant.EPOCH),
          new GpuSamples.Alerts());

  @BeforeEach
  void nodesOfEight() {
    nodes().forEach(name -> ledgers.observe(node(name, A100, A100, A100, A100)));
  }

  private static ImmutableSet<String> nodes() {
    return IntStream.range(0, NODES)
        .mapToObj(i -> "worker-" + i)
        .collect(ImmutableSet.toImmutableSet());
  }

  private ImmutableList<PendingClaim<GpuRequest>> claims(int claims) {
    objects.put("any", GpuClaimParametersSpec.of(1, "40Gi", null, false, null));
    return IntStream.range(0, claims)
        .mapToObj(i -> pending("a-claim-with-a-name-of-some-length-" + i))
        .collect(ImmutableList.toImmutableList());
  }

  private PendingClaim<GpuRequest> pending(String name) {
    ClaimFacts claim = claim(name, ofClaim("any"));
    DriverParameters<GpuRequest> read = driver.parameters(resourceClass(Optional.empty()), claim);
    return new PendingClaim<>(
        claim,
        resourceClass(Optional.empty()),
        ((DriverParameters.Ready<GpuRequest>) read).value());
  }

  private static UnsuitableReason someReason(NodeSuitability suitability) {
    return requireNonNull(
        suitability.unsuitable().values().iterator().next().values().iterator().next());
  }

  @Test
  void reasonsCostNothingBeforeTheyAreShown() {
    ImmutableList<PendingClaim<GpuRequest>> claims = claims(CLAIMS);
    driver.suitability(claims.subList(0, 2), nodes());
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    NodeSuitability suitability = driver.suitability(claims, nodes());
    long bytes = thread.getCurrentThreadAllocatedBytes() - before;

    assertThat(suitability.unsuitable()).hasSize(CLAIMS);
    assertThat(suitability.unsuitable().values())
        .allSatisfy(refusals -> assertThat(refusals).hasSize(NODES));
    assertThat(bytes).isLessThan(MAX_BYTES);
  }

  @Test
  void aReasonNamesFourOthersAndCountsTheRest() {
    NodeSuitability suitability = driver.suitability(claims(CLAIMS), nodes());

    assertThat(someReason(suitability).text(new NamespaceAudience("team-a")))
        .startsWith("fits alone, but not together with team-a/a-claim-with")
        .endsWith(" and 295 more of the same pod")
        .hasSizeLessThan(300);
  }
}
