package io.gpudra.controller.view.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.crds.model.ClaimUid;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The search beside all sets that there are, on clusters small enough for that. */
class ReleaseSearchPropertiesTest {
  private static final String[] SPECS = {
    "{}",
    "{'count':2}",
    "{'count':3}",
    "{'all':true}",
    "{'count':2,'topology':'nvlink'}",
    "{'count':2,'sameAttribute':['numaNode']}",
    "{'migProfile':'1g.6gb'}",
    "{'migProfile':'1g.6gb','count':3}",
    "{'migProfile':'2g.12gb'}",
    "{'migProfile':'4g.24gb'}",
    "{'memoryLimit':'6Gi'}",
    "{'memoryLimit':'13Gi','millicores':600}",
    "{'alternatives':[{'count':2},{'migProfile':'2g.12gb'}]}"
  };

  /**
   * Who came before.
   *
   * @param fate it holds only; it has prepared, too; it is given back and still prepared
   */
  record Before(String spec, int node, int fate) {}

  /** GPUs of each node, who came before, and what a pod asks for. */
  record Case(List<Integer> nodes, List<Before> before, List<String> specs) {

    SmallCluster cluster() {
      SmallCluster cluster = new SmallCluster();
      for (int i = 0; i < nodes.size(); i++) {
        cluster.node("worker-" + i, nodes.get(i));
      }
      for (int i = 0; i < before.size(); i++) {
        add(cluster, "b" + i, before.get(i));
      }
      return cluster;
    }

    private void add(SmallCluster cluster, String name, Before one) {
      if (cluster.has(name, "worker-" + one.node % nodes.size(), one.spec) && one.fate > 0) {
        cluster.prepared(name);
        if (one.fate > 1) {
          cluster.givesBack(name);
        }
      }
    }

    ImmutableList<PendingClaim<GpuRequest>> pod(SmallCluster cluster) {
      ClaimFacts[] claims = new ClaimFacts[specs.size()];
      for (int i = 0; i < claims.length; i++) {
        claims[i] = cluster.waits("c" + i, specs.get(i));
      }
      return cluster.pending(claims);
    }
  }

  @Provide
  Arbitrary<Case> cases() {
    Arbitrary<String> specs = Arbitraries.of(SPECS);
    Arbitrary<Before> before =
        Combinators.combine(
                specs, Arbitraries.integers().between(0, 2), Arbitraries.integers().between(0, 2))
            .as(Before::new);
    return Combinators.combine(
            Arbitraries.integers().between(1, 3).list().ofMinSize(1).ofMaxSize(3),
            before.list().ofMinSize(2).ofMaxSize(8),
            specs.list().ofMinSize(1).ofMaxSize(2))
        .as(Case::new);
  }

  @Property(tries = 100)
  void namesAsFewClaimsAsThereCanBeAndTheyAreEnough(@ForAll("cases") Case one) {
    SmallCluster cluster = one.cluster();
    ImmutableList<PendingClaim<GpuRequest>> pod = one.pod(cluster);

    ReleaseRemedy remedy =
        ReleaseSearch.of(
            cluster.cluster(), pod, cluster.nodes(), any -> true, QueryDeadline.ofAPerson());

    OptionalInt fewest =
        cluster.nodes().stream().flatMapToInt(node -> fewest(cluster, pod, node).stream()).min();
    Assume.that(fewest.orElse(1) > 0);
    if (remedy instanceof ReleaseRemedy.Release release) {
      Set<ClaimUid> named =
          release.blockers().stream().map(BlockingClaim::uid).collect(Collectors.toSet());
      assertThat(fits(cluster, pod, release.node(), named)).isTrue();
      assertThat(named).hasSize(fewest.orElseThrow());
      assertThat(release.exact()).isTrue();
    } else {
      assertThat(remedy).isEqualTo(new ReleaseRemedy.NoneHelps());
      assertThat(fewest).isEmpty();
    }
  }

  @Property(tries = 25)
  void anEndedSearchIsRightAboutTheSetsThatItSawToTheEnd(
      @ForAll("cases") Case one, @ForAll("efforts") int questions) {
    SmallCluster cluster = one.cluster();
    ImmutableList<PendingClaim<GpuRequest>> pod = one.pod(cluster);

    ReleaseRemedy remedy =
        ReleaseSearch.of(
            cluster.cluster(),
            pod,
            cluster.nodes(),
            any -> true,
            new DryRunBudget(questions, QueryDeadline.ofAPerson()));

    OptionalInt fewest =
        cluster.nodes().stream().flatMapToInt(node -> fewest(cluster, pod, node).stream()).min();
    Assume.that(fewest.orElse(1) > 0);
    if (remedy instanceof ReleaseRemedy.NotWithin not) {
      assertThat(fewest.orElse(Integer.MAX_VALUE)).isGreaterThan(not.most());
    } else if (remedy instanceof ReleaseRemedy.Release release) {
      assertThat(release.blockers()).hasSize(fewest.orElseThrow());
    }
  }

  @Provide
  Arbitrary<Integer> efforts() {
    return Arbitraries.integers().between(0, 250);
  }

  private static OptionalInt fewest(
      SmallCluster cluster, ImmutableList<PendingClaim<GpuRequest>> pod, String node) {
    Set<ClaimUid> all = ImmutableSet.copyOf(cluster.occupants(node));
    return IntStream.rangeClosed(0, all.size())
        .filter(
            size ->
                Sets.combinations(all, size).stream()
                    .anyMatch(some -> fits(cluster, pod, node, some)))
        .findFirst();
  }

  private static boolean fits(
      SmallCluster cluster,
      ImmutableList<PendingClaim<GpuRequest>> pod,
      String node,
      Set<ClaimUid> gone) {
    return cluster
        .without(gone)
        .cluster()
        .driver()
        .suitability(pod, ImmutableSet.of(node))
        .refusingNodes()
        .isEmpty();
  }
}
