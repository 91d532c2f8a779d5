package io.gpudra.controller.group;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.gate.group.GroupPlacer;
import io.gpudra.controller.gate.group.KeptNodesNotice;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Holds GPUs for all members of a group or for none. A search holds up no pod that is in no group:
 * it reads ledgers, and the commit searches again where they changed.
 */
public final class GpuGroupPlacer implements GroupPlacer<GpuRequest> {
  private static final int MAX_SEARCHES = 8;

  /** So that none waits for long if the others are gone. */
  private static final int MAX_TURNED_AWAY = 100;

  private final Ledgers ledgers;
  private final Supplier<GrantAudit> stamps;
  private final GroupTurns groupTurns;
  private final Consumer<ClaimRef> lost;
  private final NodeCapacities capacities = new NodeCapacities();

  /**
   * One group of a namespace at a time: two would take the same nodes, and a search may take
   * seconds of a worker.
   */
  private final LoadingCache<String, SearchTurn> turns =
      CacheBuilder.newBuilder().weakValues().build(CacheLoader.from(() -> new SearchTurn()));

  /** A pass over a group, which ends when it is late. */
  private record Pass(
      ImmutableList<Member<GpuRequest>> members,
      GroupRequest request,
      Waiter group,
      BooleanSupplier late) {

    GroupAnswer answer(Ledgers ledgers, Set<String> closed, NodeCapacities capacities) {
      return GroupSearch.of(
          ledgers.snapshot(), node -> !closed.contains(node), request, capacities, late);
    }
  }

  /** Groups that are turned away come back one after the other. */
  private static final class SearchTurn {
    private final Lock lock = new ReentrantLock();
    private final AtomicInteger turnedAway = new AtomicInteger();
  }

  /** A placer for which lost searches are not counted. */
  public GpuGroupPlacer(Ledgers ledgers, Supplier<GrantAudit> stamps, GroupTurns groupTurns) {
    this(ledgers, stamps, groupTurns, unused -> {});
  }

  /**
   * A placer.
   *
   * @param stamps the epoch and time for a grant
   * @param lost receives a claim of each group whose nodes changed during each search
   */
  public GpuGroupPlacer(
      Ledgers ledgers,
      Supplier<GrantAudit> stamps,
      GroupTurns groupTurns,
      Consumer<ClaimRef> lost) {
    this.ledgers = ledgers;
    this.stamps = stamps;
    this.groupTurns = groupTurns;
    this.lost = lost;
  }

  @Override
  public GroupPlacing place(
      ImmutableList<Member<GpuRequest>> members,
      Supplier<ImmutableSet<String>> reserved,
      Waiter group) {
    if (members.size() > GroupRequest.MAX_MEMBERS) {
      return new GroupPlacing.Undecided(0);
    }
    SearchTurn turn = turns.getUnchecked(members.get(0).pod().namespace());
    if (!turn.lock.tryLock()) {
      return new GroupPlacing.Busy(
          turn.turnedAway.updateAndGet(count -> Math.min(count + 1, MAX_TURNED_AWAY)));
    }
    try {
      turn.turnedAway.set(0);
      return search(members, reserved, group);
    } finally {
      turn.lock.unlock();
    }
  }

  @Override
  public void leave(WorkKey group) {
    groupTurns.leave(group);
  }

  @Override
  public Optional<Duration> again(WorkKey group) {
    return groupTurns.again(group);
  }

  @Override
  public Optional<KeptNodesNotice> kept(WorkKey group) {
    return groupTurns.kept(group).map(nodes -> KeptNodesNotice.of(nodes.nodes(), nodes.end().at()));
  }

  private GroupPlacing search(
      ImmutableList<Member<GpuRequest>> members,
      Supplier<ImmutableSet<String>> reserved,
      Waiter group) {
    GroupRequest request = request(members);
    GroupPlacing placing =
        search(new Pass(members, request, group, groupTurns.passTime()), reserved);
    if (placing instanceof GroupPlacing.Placed) {
      groupTurns.granted(group.work());
    } else if (placing instanceof GroupPlacing.Limited) {
      groupTurns.leave(group.work());
    } else if (!(placing instanceof GroupPlacing.Busy)) {
      groupTurns.waits(group, request, capacities);
    }
    return placing;
  }

  /**
   * Nodes that refuse what the search found for them, such as by a name, are left out; in the end
   * also all that are kept for another group, since most of them would refuse.
   */
  private GroupPlacing search(Pass pass, Supplier<ImmutableSet<String>> reserved) {
    Waiter group = pass.group();
    Set<String> closed = new HashSet<>();
    for (int i = 0; i < MAX_SEARCHES; i++) {
      closed.addAll(reserved.get());
      if (i >= MAX_SEARCHES / 2) {
        closed.addAll(groupTurns.keptFrom(group));
      }
      GroupAnswer answer = pass.answer(ledgers, closed, capacities);
      if (answer instanceof GroupAnswer.DoesNotFit no) {
        return new GroupPlacing.TooFew(no.fitting());
      }
      if (answer instanceof GroupAnswer.Undecided undecided) {
        return new GroupPlacing.Undecided(undecided.fitting());
      }
      CommitResult result =
          ledgers.commitAll(
              requests((GroupAnswer.Fits) answer, group.rank()),
              group.work().owner(),
              stamps.get());
      if (result instanceof CommitResult.AllCommitted committed) {
        // The handles were found writable before their devices were held.
        return new GroupPlacing.Placed(
            GpuDriver.handles(Member.claims(pass.members()), committed.grants()));
      }
      if (result instanceof CommitResult.Limited limited) {
        return new GroupPlacing.Limited(limited.why(), limited.limits());
      }
      if (result instanceof CommitResult.Changed) {
        lost.accept(pass.members().get(0).claims().get(0).claim().ref());
        return new GroupPlacing.Busy();
      }
      closed.addAll(((CommitResult.Refused) result).reasons().keySet());
    }
    // In the next pass, the same searches would find the same.
    return new GroupPlacing.Undecided(0);
  }

  /** What the members ask for together; at most {@link GroupRequest#MAX_MEMBERS}. */
  public static GroupRequest request(ImmutableList<Member<GpuRequest>> members) {
    return new GroupRequest(
        members.stream().map(GpuGroupPlacer::member).collect(toImmutableList()),
        members.get(0).staying());
  }

  private static GroupMember member(Member<GpuRequest> member) {
    return new GroupMember(
        member.pod(), GpuDriver.request(member.claims()), member.demand(), member.node());
  }

  private static ImmutableMap<String, PodRequest> requests(GroupAnswer.Fits fits, WaitRank rank) {
    return ImmutableMap.copyOf(
        Maps.transformValues(fits.byNode(), parts -> new PodRequest(claims(parts), rank)));
  }

  private static ImmutableList<ClaimRequest> claims(ImmutableList<GroupPart> parts) {
    return parts.stream().flatMap(part -> part.claims().stream()).collect(toImmutableList());
  }
}
