package io.gpudra.controller.view.dryrun;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.group.GroupPlacer.GroupPlacing;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.group.GpuGroupPlacer;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** Allocates devices of a snapshot for all members of a group, as the controller does. */
public final class GroupTrial {
  private static final Duration NEVER = Duration.ofDays(36_500);

  private final Ledgers ledgers;
  private final Waiter group;

  /** A trial for the group of this pod. */
  public GroupTrial(Ledgers ledgers, PodRef pod) {
    WorkKey work = WorkKey.gate(new ObjectKey(pod.namespace(), "group/" + pod.name()));
    this.ledgers = ledgers;
    this.group = new Waiter(WaitRank.LAST, pod.uid(), work);
  }

  /** The owner of the devices. */
  public HoldOwner owner() {
    return group.work().owner();
  }

  /**
   * Allocates devices for all of them or for none.
   *
   * @param closed nodes that are left out
   */
  public GroupPlacing place(
      ImmutableList<Member<GpuRequest>> members, Supplier<ImmutableSet<String>> closed) {
    GroupTurns turns =
        new GroupTurns(
            ledgers,
            new GroupTurns.Times(NEVER, NEVER),
            System::nanoTime,
            () -> Instant.EPOCH,
            (work, delay) -> {});
    return new GpuGroupPlacer(ledgers, () -> new GrantAudit(0, Instant.EPOCH), turns)
        .place(members, closed, group);
  }
}
