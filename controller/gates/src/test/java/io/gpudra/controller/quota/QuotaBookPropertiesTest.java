package io.gpudra.controller.quota;

import static io.gpudra.controller.quota.QuotaWorld.AUDIT;
import static io.gpudra.controller.quota.QuotaWorld.OWNER;
import static io.gpudra.controller.quota.QuotaWorld.TEAM;
import static io.gpudra.controller.quota.QuotaWorld.limit;
import static io.gpudra.controller.quota.QuotaWorld.pod;
import static io.gpudra.controller.quota.QuotaWorld.uid;
import static io.gpudra.controller.quota.QuotaWorld.wants;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.Part;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random histories, with sums that are counted in another way. */
class QuotaBookPropertiesTest {
  private static final ImmutableList<String> NODES = ImmutableList.of("n0", "n1");
  private static final int CLAIMS = 6;

  /** One thing that happens; some claims are of another namespace, some of another class. */
  record Step(Kind kind, String node, int claim, int count, int hard) {
    enum Kind {
      COMMIT,
      COMMIT_SHARE,
      COMMIT_ON_BOTH,
      LAND,
      GIVE_UP,
      OBSERVE_GONE,
      OBSERVE_ELSEWHERE,
      LOSE_GPUS,
      FIND_GPUS,
      NODE_GONE,
      LIMIT,
      LIMIT_CLASS,
      NO_LIMIT
    }

    String name() {
      return claim == 0 ? "other/c0" : "c" + claim;
    }

    ClaimRequest request() {
      return kind == Kind.COMMIT_SHARE
          ? wants(name(), new DeviceKind.Share(count * 7L * QuotaWorld.GIB, 100 * hard, 100))
          : wants(name(), count + 1, count);
    }
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    return Combinators.combine(
            Arbitraries.of(Step.Kind.values()),
            Arbitraries.of(NODES),
            Arbitraries.integers().between(0, CLAIMS - 1),
            Arbitraries.integers().between(1, 2),
            Arbitraries.integers().between(0, 6))
        .as(Step::new)
        .list()
        .ofMaxSize(40);
  }

  /** The ledgers with their book, and what the API would show. */
  private static final class Course {
    final QuotaWorld world = new QuotaWorld("n0", "n1");
    final Map<ClaimUid, Grant> flying = new HashMap<>();

    Course() {
      world.classes.put(uid("c1"), Optional.of("another"));
    }

    void perform(Step step) {
      switch (step.kind()) {
        case COMMIT, COMMIT_SHARE ->
            commit(world.ledgers.commit(step.node(), pod(step.request()), OWNER, AUDIT));
        case COMMIT_ON_BOTH -> commitOnBoth(step);
        case LAND -> land(step.name());
        case GIVE_UP -> world.ledgers.release(uid(step.name()), OWNER);
        case OBSERVE_GONE -> world.gone(step.name());
        case OBSERVE_ELSEWHERE -> world.hold(step.name(), step.node(), step.count());
        case LOSE_GPUS -> world.ledgers.observe(QuotaWorld.inventory(step.node(), step.count()));
        case FIND_GPUS -> world.ledgers.observe(QuotaWorld.inventory(step.node(), 4));
        case NODE_GONE -> world.ledgers.nodeGone(step.node());
        case LIMIT -> world.quotas(limit("all", "" + step.hard(), 40 * step.count() + "Gi"));
        case LIMIT_CLASS ->
            world.quotas(
                limit("one", "" + step.hard(), null, QuotaWorld.CLASS), limit("all", "4", null));
        case NO_LIMIT -> world.quotas();
      }
    }

    private void commitOnBoth(Step step) {
      ClaimRequest other = wants("c" + (step.claim() % (CLAIMS - 1) + 1), step.count());
      if (!other.uid().equals(step.request().uid())) {
        commit(
            world.ledgers.commitAll(
                ImmutableMap.of("n0", pod(step.request()), "n1", pod(other)), OWNER, AUDIT));
      }
    }

    private void commit(CommitResult result) {
      if (result instanceof CommitResult.Committed done) {
        flying.putAll(done.grants());
      } else if (result instanceof CommitResult.AllCommitted done) {
        flying.putAll(done.grants());
      }
    }

    private void land(String claim) {
      Grant grant = flying.remove(uid(claim));
      if (grant != null) {
        world.observe(claim, grant);
        world.ledgers.granted(uid(claim), OWNER);
      }
    }

    /** The sum of what counts for the quota, device by device. */
    QuotaCharge sum(QuotaLimit limit) {
      return world.ledgers.snapshot().stream()
          .flatMap(ledger -> ledger.claims().stream().map(claim -> charge(ledger, claim, limit)))
          .reduce(QuotaCharge.NONE, QuotaCharge::plus);
    }

    private QuotaCharge charge(NodeLedger ledger, ClaimUid claim, QuotaLimit limit) {
      boolean counts =
          !claim.equals(uid("other/c0")) && (limit.classes().isEmpty() || !claim.equals(uid("c1")));
      return counts
          ? requireNonNull(ledger.holds().get(claim))
              .devices()
              .map(device -> List.of(device.uuid(), device.part().part()))
              .distinct()
              .map(device -> charge(ledger, (String) device.get(0), (Part) device.get(1)))
              .reduce(QuotaCharge.NONE, QuotaCharge::plus)
          : QuotaCharge.NONE;
    }

    private static QuotaCharge charge(NodeLedger ledger, String gpu, Part part) {
      long all = 40 * QuotaWorld.GIB;
      boolean known = ledger.inventory().gpus().stream().anyMatch(one -> one.uuid().equals(gpu));
      return known && part instanceof Part.Share share
          ? new QuotaCharge(
              Math.max(share.millicores(), (share.memoryBytes() * 1000 + all - 1) / all),
              share.memoryBytes())
          : new QuotaCharge(1000, all);
    }
  }

  @Property(tries = 300)
  void theBookIsASumOverTheLedgers(@ForAll("histories") List<Step> history) {
    Course course = new Course();
    for (Step step : history) {
      course.perform(step);
      for (QuotaUse use : course.world.book.uses(TEAM)) {
        assertThat(use.used()).as("%s", step).isEqualTo(course.sum(use.limit()));
      }
    }
  }

  @Property(tries = 300)
  void noCommitExceedsAQuota(@ForAll("histories") List<Step> history) {
    Course course = new Course();
    for (Step step : history) {
      ImmutableMap<QuotaLimit, QuotaCharge> before = sums(course);
      course.perform(step);
      if (step.kind().name().startsWith("COMMIT")) {
        assertThat(sums(course))
            .as("%s", step)
            .allSatisfy(
                (limit, sum) ->
                    assertThat(sum)
                        .matches(
                            now ->
                                now.equals(before.get(limit))
                                    || limit.allows(QuotaCharge.NONE, now)));
      }
    }
  }

  private static ImmutableMap<QuotaLimit, QuotaCharge> sums(Course course) {
    return course.world.book.uses(TEAM).stream()
        .map(QuotaUse::limit)
        .collect(ImmutableMap.toImmutableMap(limit -> limit, course::sum));
  }

  @Property(tries = 300)
  void aBookThatBeginsLateHasTheSameFigures(@ForAll("histories") List<Step> history) {
    Course course = new Course();
    history.forEach(course::perform);
    QuotaLimit all = limit("all", "9", null);
    QuotaBook late = new QuotaBook((ref, claim) -> Optional.of(QuotaWorld.CLASS));
    course.world.quotas(all);
    course.world.ledgers.withAll(ledgers -> late.limits(TEAM, ImmutableList.of(all), ledgers));

    assertThat(late.uses(TEAM)).hasSize(1);
    assertThat(late.uses(TEAM).get(0).used().thousandths())
        .isEqualTo(course.world.used("all").thousandths());
  }
}
