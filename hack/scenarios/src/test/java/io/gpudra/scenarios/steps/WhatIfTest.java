package io.gpudra.scenarios.steps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Iterables;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.manifest.ManifestDocument;
import io.gpudra.controller.manifest.ManifestReader;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.DryRun;
import io.gpudra.controller.view.dryrun.DryRunResult;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is foretold of a pod is what then becomes of it, in small clusters left to chance. */
class WhatIfTest {
  private static final long SEEDS = Long.getLong("gpudra.whatif.seeds", 40);
  private static final String NS = "ab";
  private static final String NEWCOMER = "newcomer";
  private static final ImmutableList<Hardware.Kind> KINDS =
      ImmutableList.of(
          Hardware.Kind.PLAIN, Hardware.Kind.CUTTABLE, Hardware.Kind.CUTTABLE, Hardware.Kind.CUT);

  /** How it went, so that the test can see that it saw every way. */
  private enum Course {
    FITS,
    HELPED,
    HOPELESS
  }

  @BeforeAll
  static void quietly() {
    StepsCommand.silence();
  }

  @Test
  void whatIsForetoldComesTrueAndWhatIsNamedHelps() {
    Map<Course, Long> courses =
        LongStream.rangeClosed(1, SEEDS)
            .parallel()
            .mapToObj(WhatIfTest::live)
            .collect(
                Collectors.groupingBy(
                    course -> course, () -> new EnumMap<>(Course.class), Collectors.counting()));

    assertThat(courses).containsOnlyKeys(Course.values());
  }

  private static Course live(long seed) {
    Chance chance = new Chance(seed);
    List<World.Node> nodes = new ArrayList<>();
    for (int i = chance.between(1, 3); i > 0; i--) {
      nodes.add(new World.Node(gpus(chance), Profile.V1_30));
    }
    CrashPoint undisturbed = CrashPoint.none();
    try (World world = new World(chance, /* chronicled= */ true, undisturbed, nodes, Extras.NONE)) {
      undisturbed.in(world);
      Life life = new Life(world, new CrashScript(world, undisturbed));
      try {
        return life.live();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "seed %d: %s%n%s".formatted(seed, e, String.join("\n", world.history())), e);
      }
    }
  }

  private static ImmutableList<Hardware.Kind> gpus(Chance chance) {
    return Stream.generate(() -> chance.of(KINDS))
        .limit(chance.between(1, 3))
        .collect(ImmutableList.toImmutableList());
  }

  /** One cluster. */
  private record Life(World world, CrashScript script) {

    Course live() {
      crowd();
      ImmutableList<String> wants = wants(world.chance().between(1, 2));
      DryRunResult foretold = foretell(wants);
      for (int i = 0; i < wants.size(); i++) {
        script.makeClaim("new-" + i, wants.get(i), /* immediate= */ false);
      }
      script.makePod(NEWCOMER, names(wants.size()).toArray(String[]::new));
      script.settle();
      return foretold.waiting().isEmpty()
          ? fits(Iterables.getOnlyElement(foretold.placed()))
          : waits(foretold.waiting().get().remedy());
    }

    /** Pods that run; those that wait go again, so that nobody else wants what is released. */
    private void crowd() {
      for (int i = world.chance().between(1, 5); i > 0; i--) {
        script.makeClaim("old-" + i, wants(1).get(0), world.chance().oneIn(5));
        script.makePod("pod-" + i, "old-" + i);
        script.settle();
      }
      for (var json : world.api().list(Resource.PODS)) {
        Pod pod = new Pod(json);
        if (pod.node().isEmpty()) {
          script.delete(pod.name(), Optional.of(0));
          script.deleteClaim(pod.name().replace("pod", "old"));
        }
      }
      script.settle();
    }

    private ImmutableList<String> wants(int count) {
      return Stream.generate(() -> world.chance().of(Wants.OF_ALL_KINDS))
          .limit(count)
          .collect(ImmutableList.toImmutableList());
    }

    private static ImmutableList<String> names(int count) {
      return Stream.iterate(0, i -> i + 1)
          .limit(count)
          .map(i -> "new-" + i)
          .collect(ImmutableList.toImmutableList());
    }

    private DryRunResult foretell(ImmutableList<String> wants) {
      List<ManifestDocument> documents = new ArrayList<>();
      for (int i = 0; i < wants.size(); i++) {
        ObjectNode claim = Users.named(NS, "new-" + i);
        claim.put("apiVersion", "resource.k8s.io/v1alpha2").put("kind", "ResourceClaim");
        claim.set("spec", Users.spec(wants.get(i), /* immediate= */ false));
        documents.add(new ManifestDocument("claim " + i, claim.toString()));
      }
      documents.add(new ManifestDocument("pod", pod(wants.size()).toString()));
      KubeSettings settings =
          new KubeSettings(Facts.DRIVER, 30, Clock.fixed(world.clock().instant(), ZoneOffset.UTC));
      ManifestSet manifestSet = ManifestReader.read(documents, settings, NS);
      assertThat(manifestSet.problems()).isEmpty();
      UserView userView = UserView.of(sight(), Facts.DRIVER, world.clock().instant());
      return Iterables.getOnlyElement(DryRun.of(userView, manifestSet, ImmutableMap.of()));
    }

    private static ObjectNode pod(int claims) {
      ObjectNode pod = Users.named(NS, NEWCOMER);
      pod.put("apiVersion", "v1").put("kind", "Pod");
      ObjectNode spec = pod.putObject("spec");
      ObjectNode container = spec.putArray("containers").addObject().put("name", "ctr");
      for (int i = 0; i < claims; i++) {
        spec.withArray("resourceClaims")
            .addObject()
            .put("name", "e" + i)
            .putObject("source")
            .put("resourceClaimName", "new-" + i);
        container.withObject("resources").withArray("claims").addObject().put("name", "e" + i);
      }
      return pod;
    }

    private ClusterView sight() {
      ImmutableMap.Builder<String, GpuClaimParameters> parameters = ImmutableMap.builder();
      for (String namespace : World.NAMESPACES) {
        world.parameters().forEach((name, one) -> parameters.put(namespace + "/" + name, one));
      }
      ClusterObjects reading =
          new ClusterObjects(
              claims(),
              ImmutableMap.of(
                  ClassCache.GPU,
                  new ClassFacts(
                      ClassCache.GPU, Facts.DRIVER, false, Optional.empty(), Optional.empty())),
              parameters.buildOrThrow(),
              ImmutableMap.of(),
              ImmutableMap.of(),
              world.inventories(),
              ImmutableMap.of(),
              ImmutableList.of());
      return new ClusterView(
          reading,
          ImmutableMap.of(),
          ImmutableList.of(),
          ImmutableList.of(),
          ImmutableList.of(),
          ImmutableMap.of(),
          ImmutableList.of());
    }

    private ImmutableList<ClaimFacts> claims() {
      return world.api().list(Resource.CLAIMS).stream()
          .map(Facts::claim)
          .collect(ImmutableList.toImmutableList());
    }

    private Course fits(DryRunResult.Placed placed) {
      String node = node();
      assertThat(node).isIn(placed.suitable());
      if (placed.node().orElseThrow().equals(node) && placed.devices().size() == 1) {
        assertThat(devices("new-0")).isEqualTo(placed.devices().get("new-0"));
      }
      return Course.FITS;
    }

    private Course waits(Optional<ReleaseRemedy> remedy) {
      assertThat(node()).isEmpty();
      if (remedy.isPresent() && remedy.get() instanceof ReleaseRemedy.Release release) {
        release.blockers().forEach(this::release);
        script.settle();
        assertThat(node()).isNotEmpty();
        return Course.HELPED;
      }
      // Absent where the claims cannot be served together at all.
      assertThat(remedy.orElse(new ReleaseRemedy.NoneHelps()))
          .isEqualTo(new ReleaseRemedy.NoneHelps());
      claims().stream()
          .filter(claim -> claim.ref().name().startsWith("old"))
          .forEach(claim -> release(new BlockingClaim(claim.uid(), claim.ref(), false)));
      script.settle();
      assertThat(node()).isEmpty();
      return Course.HOPELESS;
    }

    private void release(BlockingClaim blockingClaim) {
      assertThat(blockingClaim.ref().name()).startsWith("old");
      script.delete(blockingClaim.ref().name().replace("old", "pod"), Optional.of(0));
      script.deleteClaim(blockingClaim.ref().name());
    }

    private String node() {
      return world
          .api()
          .get(Resource.PODS, NS, NEWCOMER)
          .map(pod -> new Pod(pod).node())
          .orElseThrow();
    }

    private List<String> devices(String name) {
      String handle =
          claims().stream()
              .filter(claim -> claim.ref().name().equals(name))
              .flatMap(claim -> claim.allocation().flatMap(ClaimFacts.Granted::ours).stream())
              .map(ResourceHandle::data)
              .findFirst()
              .orElseThrow();
      return ((DecodedHandle.Decoded) HandleCodec.decode(handle))
          .grant().devices().stream().map(GrantedDevice::name).toList();
    }
  }
}
