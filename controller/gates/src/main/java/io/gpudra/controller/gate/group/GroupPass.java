package io.gpudra.controller.gate.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.GateSituation;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gate.group.GroupQuorum.GroupState;
import io.gpudra.crds.model.PodRef;

/**
 * A pass over a group of which enough members are there.
 *
 * @param waiting its pods without a node
 * @param starting those that get devices together: needed at the gate, or without the gate
 */
record GroupPass<P>(
    WorkKey work,
    ImmutableList<GatedPod> waiting,
    GroupState.Ready state,
    ImmutableList<GateSituation<P>> starting) {

  /** The members with claims to allocate. */
  OpenMembers<P> open() {
    return new OpenMembers<>(
        starting.stream()
            .filter(situation -> situation.pending().mayAllocate())
            .map(this::member)
            .collect(toImmutableList()));
  }

  private Member<P> member(GateSituation<P> situation) {
    return new Member<>(
        situation.pod().ref(),
        situation.pending().pendingClaims(),
        situation.pod().demand(),
        situation.node(),
        state.staying());
  }

  ImmutableList<GateSituation<P>> needed() {
    ImmutableSet<PodRef> refs =
        state.needed().stream().map(GatedPod::ref).collect(toImmutableSet());
    return starting.stream()
        .filter(situation -> refs.contains(situation.pod().ref()))
        .collect(toImmutableList());
  }

  /** The number of entries for claims that were read. */
  int entries() {
    return starting.stream().mapToInt(one -> one.pod().facts().claims().size()).sum();
  }

  Waiter waiter() {
    return new Waiter(state.rank(), state.uid(), work);
  }
}
