package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.group.GroupPlacer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Sees every commit for a group beside the quotas. */
record WatchedPlacer<P>(GroupPlacer<P> placer, Optional<QuotaPort> quotas, Controller process)
    implements GroupPlacer<P> {

  @Override
  public GroupPlacing place(
      ImmutableList<Member<P>> members, Supplier<ImmutableSet<String>> reserved, Waiter group) {
    String namespace = members.get(0).pod().namespace();
    long before = quotas.map(port -> port.held(namespace)).orElse(0L);
    GroupPlacing placing = placer.place(members, reserved, group);
    quotas.ifPresent(port -> port.mustAllow(namespace, before));
    process.breathe();
    return placing;
  }

  @Override
  public void leave(WorkKey group) {
    placer.leave(group);
  }

  @Override
  public Optional<Duration> again(WorkKey group) {
    return placer.again(group);
  }
}
