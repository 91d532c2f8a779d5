package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.GpuSamples.claim;
import static io.gpudra.controller.gpu.GpuSamples.ofClaim;
import static io.gpudra.controller.gpu.GpuSamples.resourceClass;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.KeptNodes;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.HoldOwner;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A claim whose node others change during each of its searches. */
class LostSearchTest {
  private static final HoldOwner OWNER = new HoldOwner("pod a/b");
  private static final HoldOwner OTHER = new HoldOwner("pod a/other");
  private static final GrantAudit STAMP = new GrantAudit(3, Instant.EPOCH);

  private final AtomicLong seconds = new AtomicLong();
  private final Ledgers ledgers =
      new Ledgers(CommitGuard.NONE, () -> Duration.ofSeconds(seconds.incrementAndGet()).toNanos());
  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final GpuSamples.Alerts alerts = new GpuSamples.Alerts();
  private final GpuDriver driver = new GpuDriver(DRIVER, objects, ledgers, () -> STAMP, alerts);

  /** Another claim takes a GPU while a commit is asked about, and gives it back the next time. */
  private record Meanwhile(Ledgers ledgers, PodRequest other) implements KeptNodes {
    @Override
    public boolean concern(String node) {
      return true;
    }

    @Override
    public boolean concern(String node, PodRequest request) {
      return true;
    }

    @Override
    public Optional<UnsuitableReason> refuse(
        NodeLedger seen, NodeLedger next, PodRequest request, HoldOwner owner) {
      if (owner.equals(OWNER) && seen.holds().isEmpty()) {
        ledgers.commit(seen.node(), other, OTHER, STAMP);
      } else if (owner.equals(OWNER)) {
        ledgers.release(other.claims().get(0).uid(), OTHER);
      }
      return Optional.empty();
    }
  }

  private ImmutableList<PendingClaim<GpuRequest>> pending(String name) {
    objects.put(name, GpuClaimParametersSpec.of(1, "40Gi", null, false, null));
    ClaimFacts claim = claim(name, ofClaim(name));
    DriverParameters<GpuRequest> read = driver.parameters(resourceClass(Optional.empty()), claim);
    return ImmutableList.of(
        new PendingClaim<>(
            claim,
            resourceClass(Optional.empty()),
            ((DriverParameters.Ready<GpuRequest>) read).value()));
  }

  @Test
  void isNoRefusalOfNodesAndIsTold() {
    ledgers.observe(node("large", A100, A100));
    PodRequest other = GpuDriver.request(pending("other"));
    ledgers.keep(unused -> new Meanwhile(ledgers, other));
    ImmutableList<PendingClaim<GpuRequest>> claims = pending("a");

    assertThat(driver.allocate(claims, new NodeChoice.OneNode("large"), OWNER))
        .isEqualTo(new Allocation.Changed());
    assertThat(alerts.told).containsExactly("search lost " + claims.get(0).claim().ref());
  }
}
