package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gate.group.GroupPlacer;
import io.gpudra.crds.model.HoldOwner;
import java.util.Optional;
import java.util.function.Supplier;

/** Sees every commit for a group beside the quotas. */
record WatchedPlacer<P>(GroupPlacer<P> placer, Optional<QuotaPort> quotas, Controller process)
    implements GroupPlacer<P> {

  @Override
  public GroupPlacing place(
      ImmutableList<Member<P>> members, Supplier<ImmutableSet<String>> reserved, HoldOwner owner) {
    String namespace = members.get(0).pod().namespace();
    long before = quotas.map(port -> port.held(namespace)).orElse(0L);
    GroupPlacing placing = placer.place(members, reserved, owner);
    quotas.ifPresent(port -> port.mustAllow(namespace, before));
    process.breathe();
    return placing;
  }
}
