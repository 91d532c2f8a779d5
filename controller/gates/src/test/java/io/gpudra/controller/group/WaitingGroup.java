package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gate.group.GroupPlacer.Member;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** A group of pods that ask alike, of a tenant with this namespace. */
record WaitingGroup(
    String namespace, String name, int members, int gpus, int priority, Duration since) {

  /** A group that is as old as the cluster. */
  static WaitingGroup of(String name, int members, int gpus) {
    return new WaitingGroup("team-a", name, members, gpus, 0, Duration.ZERO);
  }

  WaitingGroup in(String other) {
    return new WaitingGroup(other, name, members, gpus, priority, since);
  }

  WaitingGroup since(Duration created) {
    return new WaitingGroup(namespace, name, members, gpus, priority, created);
  }

  WaitingGroup members(int count) {
    return new WaitingGroup(namespace, name, count, gpus, priority, since);
  }

  WorkKey work() {
    return WorkKey.gate(new ObjectKey(namespace, "group/" + name));
  }

  /** Made anew, a group has another UID. */
  Waiter waiter() {
    return new Waiter(
        new WaitRank(priority, Some.EPOCH.plus(since)), name + " made at " + since, work());
  }

  ImmutableList<ClaimUid> claims() {
    return pods().stream()
        .flatMap(member -> member.claims().stream())
        .map(one -> one.claim().uid())
        .collect(toImmutableList());
  }

  ImmutableList<Member<GpuRequest>> pods() {
    return IntStream.range(0, members)
        .mapToObj(i -> member(name + "-" + i))
        .collect(toImmutableList());
  }

  private Member<GpuRequest> member(String pod) {
    GpuRequest request =
        new GpuRequest(
            GroupFixture.claim(pod, gpus).alternatives(),
            Optional.empty(),
            AllocationPolicy.PACK,
            ImmutableList.of(),
            /* shareable= */ false,
            OptionalLong.empty());
    ClassFacts gpu = new ClassFacts("gpu", Some.DRIVER, false, Optional.empty(), Optional.empty());
    return new Member<>(
        new PodRef(namespace, pod, pod + "-uid"),
        ImmutableList.of(new PendingClaim<>(Some.claim(pod).in(namespace).facts(), gpu, request)),
        GroupFixture.demand(1),
        Optional.empty());
  }
}
