package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Workbench.CLAIM;
import static io.gpudra.scenarios.reference.Workbench.NODE;
import static io.gpudra.scenarios.reference.Workbench.NOW;
import static io.gpudra.scenarios.reference.Workbench.facts;
import static io.gpudra.scenarios.reference.Workbench.ref;
import static io.gpudra.scenarios.reference.Workbench.uid;

import io.gpudra.controller.check.Finding;
import io.gpudra.controller.check.Finding.Kind;
import io.gpudra.controller.check.NodeCheck;
import io.gpudra.controller.check.OverdueClaims;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** For kinds of findings a node of which one is made. */
final class Findings {
  private static final Inventory THERE = Workbench.node("a100-40:2");

  /** As plugins tell it. */
  private static final String QUEUE =
      "MPS serves one user at a time: processes of user 1001 wait until those of user 1000 have"
          + " ended";

  private static final String GPU = THERE.gpus().get(0).uuid();

  private Findings() {}

  /** A sentence that says what is wrong; empty where that takes more than a node. */
  static Optional<String> example(Kind kind) {
    return all(kind).filter(one -> one.kind() == kind).map(Finding::message).findFirst();
  }

  private static Stream<Finding> all(Kind kind) {
    return kind == Kind.CLAIM_OVERDUE
        ? overdue()
        : NodeCheck.of(bench(kind).ledger(), unused -> kind == Kind.DRAINING).stream();
  }

  /** With a node of which there is one. */
  static Workbench bench(Kind kind) {
    return switch (kind) {
      case DOUBLE_GRANT -> granted(granted(Workbench.of(THERE), CLAIM, GPU), "other", GPU);
      case UNREADABLE_HANDLE -> unreadable();
      case STRAY_HANDLE -> stray();
      case DEVICE_LOST -> granted(Workbench.of(THERE), CLAIM, "GPU-of-another-node");
      case DEVICE_UNHEALTHY -> granted(Workbench.of(Refusals.tainted()), CLAIM, GPU);
      case SHARING_WAITS -> granted(Workbench.of(prepared(QUEUE)), CLAIM, GPU);
      case NODE_GONE -> granted(Workbench.of(serving(new Inventory.Service.Absent())), CLAIM, GPU);
      case NODE_STALE -> Workbench.of(serving(Refusals.STALE));
      case INVENTORY_IMPLAUSIBLE -> Workbench.of(serving(Refusals.IMPLAUSIBLE));
      default -> Workbench.of(prepared(""));
    };
  }

  private static Workbench granted(Workbench bench, String claim, String gpu) {
    bench.ledgers().observe(ref(claim), uid(claim), Optional.of(Refusals.grant(uid(claim), gpu)));
    return bench;
  }

  private static Workbench stray() {
    Workbench bench = Workbench.of(THERE);
    bench.ledgers().observe(ref(CLAIM), uid(CLAIM), Optional.of(Refusals.grant(uid("other"), GPU)));
    return bench;
  }

  private static Workbench unreadable() {
    Workbench bench = Workbench.of(THERE);
    ResourceHandle handle = new ResourceHandle("{\"v\":9}", Optional.of(NODE), true);
    bench.driver().observe(ref(CLAIM), uid(CLAIM), Optional.of(handle));
    return bench;
  }

  private static Inventory serving(Inventory.Service service) {
    return THERE.with(service);
  }

  private static Inventory prepared(String waits) {
    PreparedClaim claim =
        GrantFixture.preparedWhole(uid(CLAIM), ref(CLAIM), GPU)
            .waiting(Optional.of(waits).filter(why -> !why.isEmpty()));
    return NodeFixture.like(THERE).prepared(claim).inventory();
  }

  private static Stream<Finding> overdue() {
    Workbench bench = granted(Workbench.of(THERE), CLAIM, GPU);
    bench.read("{limits: {claimDuration: 24h}}", "{}");
    return new OverdueClaims(
            claim -> Optional.of(facts(claim.name())),
            unused -> Optional.of(Workbench.OF_CLASS),
            bench)
        .of(bench.ledgers().snapshot(), NOW.plus(Duration.ofHours(30))).stream();
  }
}
