package io.gpudra.controller.allocation;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimUid;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Allows this number of claims to hold devices, and no claim of more than two GPUs. */
final class HeldClaims implements CommitGuard {
  static final Limit LIMIT = new Limit(StatedReason.of(Kind.CLASS_LIMIT), ImmutableSet.of("quota"));

  private final int most;
  private final Map<String, ImmutableSet<ClaimUid>> held = new HashMap<>();

  HeldClaims(int most) {
    this.most = most;
  }

  @Override
  public Before before(PodRequest request) {
    return request.claims().stream().map(ClaimRequest::only).anyMatch(one -> one.count() > 2)
        ? new Before.Limited(LIMIT)
        : new Before.GoOn(request);
  }

  @Override
  public Optional<Limit> ask(ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
    int more = 0;
    for (int i = 0; i < seen.size(); i++) {
      more += Sets.difference(next.get(i).claims(), seen.get(i).claims()).size();
    }
    return more > 0 && count() + more > most ? Optional.of(LIMIT) : Optional.empty();
  }

  @Override
  public void changed(NodeLedger before, NodeLedger after) {
    if (!held.getOrDefault(before.node(), ImmutableSet.of()).equals(before.claims())) {
      throw new AssertionError("not the change after the last: " + before);
    }
    held.put(after.node(), ImmutableSet.copyOf(after.claims()));
  }

  int count() {
    return held.values().stream().mapToInt(ImmutableSet::size).sum();
  }
}
