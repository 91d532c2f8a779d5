package io.gpudra.controller.gate.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.gate.group.GroupPlacer;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Places one member after the other with a {@link FakeDriver}, or none. */
public final class FakeGroupPlacer implements GroupPlacer<String> {
  private final FakeDriver driver;
  private final ImmutableMap<String, Integer> slots;

  /** The names of the pods of each search. */
  public final List<ImmutableList<String>> searches = new ArrayList<>();

  /** Claims of members that started before the last search. */
  public ImmutableSet<ClaimRef> staying = ImmutableSet.of();

  /** The names of the groups that wait for no devices. */
  public final List<String> left = new ArrayList<>();

  /** When a group that was refused is searched again. */
  public Optional<Duration> again = Optional.empty();

  /** The nodes that are kept for every group. */
  public Optional<KeptNodesNotice> kept = Optional.empty();

  /** The answer to every search. */
  public Optional<GroupPlacing> answer = Optional.empty();

  FakeGroupPlacer(FakeDriver driver, ImmutableMap<String, Integer> slots) {
    this.driver = driver;
    this.slots = slots;
  }

  ImmutableMap<String, Integer> slots() {
    return slots;
  }

  @Override
  public GroupPlacing place(
      ImmutableList<Member<String>> members,
      Supplier<ImmutableSet<String>> reserved,
      Waiter group) {
    searches.add(
        members.stream()
            .map(member -> member.pod().name())
            .collect(ImmutableList.toImmutableList()));
    staying = members.get(0).staying();
    return answer.orElseGet(() -> placed(members, reserved, group.work().owner()));
  }

  @Override
  public void leave(WorkKey group) {
    left.add(group.key().name());
  }

  @Override
  public Optional<Duration> again(WorkKey group) {
    return again;
  }

  @Override
  public Optional<KeptNodesNotice> kept(WorkKey group) {
    return kept;
  }

  /** Nothing is held before all fit: a device that is given back would wake the group again. */
  private GroupPlacing placed(
      ImmutableList<Member<String>> members,
      Supplier<ImmutableSet<String>> reserved,
      HoldOwner owner) {
    Map<String, Integer> free = new TreeMap<>(slots);
    driver.holds.values().forEach(hold -> free.merge(hold.node(), -1, Integer::sum));
    free.keySet().removeAll(reserved.get());
    Map<Member<String>, String> nodes = new LinkedHashMap<>();
    Set<ClaimUid> placed = new HashSet<>();
    for (Member<String> member : members) {
      long wanted =
          member.claims().stream().filter(one -> !placed.contains(one.claim().uid())).count();
      Optional<String> node =
          free.keySet().stream()
              .filter(one -> member.node().orElse(one).equals(one))
              .filter(one -> free.getOrDefault(one, 0) >= wanted)
              .findFirst();
      if (node.isPresent()) {
        nodes.put(member, node.get());
        free.merge(node.get(), (int) -wanted, Integer::sum);
        member.claims().forEach(one -> placed.add(one.claim().uid()));
      }
    }
    return nodes.size() == members.size()
        ? held(nodes, owner)
        : new GroupPlacing.TooFew(nodes.size());
  }

  private GroupPlacing held(Map<Member<String>, String> nodes, HoldOwner owner) {
    ImmutableMap.Builder<ClaimUid, ResourceHandle> handles = ImmutableMap.builder();
    nodes.forEach(
        (member, node) ->
            handles.putAll(
                ((Allocation.Held)
                        driver.allocate(member.claims(), new NodeChoice.OneNode(node), owner))
                    .handles()));
    return new GroupPlacing.Placed(handles.buildKeepingLast());
  }
}
