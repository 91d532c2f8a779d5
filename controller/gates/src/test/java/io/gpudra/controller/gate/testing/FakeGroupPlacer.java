package io.gpudra.controller.gate.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.testing.FakeDriver;
import io.gpudra.controller.gate.GroupPlacer;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Places one member after the other with a {@link FakeDriver}, or none. */
public final class FakeGroupPlacer implements GroupPlacer<String> {
  private final FakeDriver driver;
  private final ImmutableMap<String, Integer> slots;

  /** The names of the pods of each search. */
  public final List<ImmutableList<String>> searches = new ArrayList<>();

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
      HoldOwner owner) {
    searches.add(
        members.stream()
            .map(member -> member.pod().name())
            .collect(ImmutableList.toImmutableList()));
    return answer.orElseGet(() -> placed(members, reserved, owner));
  }

  private GroupPlacing placed(
      ImmutableList<Member<String>> members,
      Supplier<ImmutableSet<String>> reserved,
      HoldOwner owner) {
    ImmutableMap.Builder<ClaimUid, ResourceHandle> handles = ImmutableMap.builder();
    int fitting = 0;
    for (Member<String> member : members) {
      Allocation allocation = driver.allocate(member.claims(), where(member, reserved), owner);
      if (allocation instanceof Allocation.Held held) {
        handles.putAll(held.handles());
        fitting++;
      }
    }
    ImmutableMap<ClaimUid, ResourceHandle> held = handles.buildKeepingLast();
    if (fitting == members.size()) {
      return new GroupPlacing.Placed(held);
    }
    held.keySet().forEach(claim -> driver.release(claim, owner));
    return new GroupPlacing.TooFew(fitting);
  }

  private NodeChoice where(Member<String> member, Supplier<ImmutableSet<String>> reserved) {
    return new NodeChoice.Fitting(member.demand(), member.node().map(ImmutableSet::of), reserved);
  }
}
