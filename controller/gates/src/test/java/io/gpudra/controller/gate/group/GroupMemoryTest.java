package io.gpudra.controller.gate.group;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static io.gpudra.controller.dra.testing.Some.claim;
import static io.gpudra.controller.gate.testing.SomePod.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.ReportSink.Warning;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.scheduling.SchedulingFactsReader.PodClaims;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.gate.GateFactsReader;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.testing.GateWorld;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.memory.LiveHeap;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a pass over a group holds of its claims, however many members name them. */
final class GroupMemoryTest {
  private static final long MEBI = 1 << 20;
  private static final int CLAIMS = 64;
  private static final Duration SOON = Duration.ofSeconds(1);

  private static final ParametersRef LARGE =
      new ParametersRef(GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(Some.NS), "large");

  private final GateWorld gate = GateWorld.of("n1", 8);

  private static ImmutableList<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "c" + i).collect(toImmutableList());
  }

  private static ImmutableList<GatedPod> pods(int count, int claims) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                pod("p" + i, names(claims).toArray(String[]::new))
                    .inGroup("g", Integer.toString(count))
                    .facts())
        .collect(toImmutableList());
  }

  private ImmutableList<String> warnings() {
    return gate.world.cluster.warnings.stream()
        .map(Warning::message)
        .distinct()
        .collect(toImmutableList());
  }

  /** Some 14 KB: 8 entries with 16 pinned limits each, and 16 tolerations. */
  private static GpuClaimParametersSpec large() {
    String pinned =
        IntStream.range(0, 16)
            .mapToObj(i -> "'GPU-%032d-%d':'1Gi'".formatted(i, i))
            .collect(Collectors.joining(","));
    String request =
        "{'name':'r%d','mode':'shared','memoryLimit':'2Gi','sharing':{'strategy':'MPS',"
            + "'mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{%s}}}}";
    String requests =
        IntStream.range(0, 8)
            .mapToObj(i -> request.formatted(i, pinned))
            .collect(Collectors.joining(","));
    String tolerations =
        IntStream.range(0, 16)
            .mapToObj(i -> "{'key':'%s-%d','operator':'Exists'}".formatted("x".repeat(60), i))
            .collect(Collectors.joining(","));
    return new Gson()
        .fromJson(
            "{'requests':[%s],'tolerations':[%s]}".formatted(requests, tolerations),
            GpuClaimParametersSpec.class);
  }

  private static final class OneObject extends DeviceSamples.Told
      implements ParametersObjects, GpuAlerts {
    private final GpuClaimParameters object =
        new GpuClaimParameters(
            GpuApi.GROUP_VERSION,
            GpuClaimParameters.KIND,
            new V1ObjectMeta().namespace(Some.NS).name("large").generation(1L),
            large());

    @Override
    public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
      return Optional.of(object);
    }

    @Override
    public Optional<GpuClassParameters> ofClass(String name) {
      return Optional.empty();
    }

    @Override
    public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
      return Optional.empty();
    }

    @Override
    public void unreadableHandle(
        ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
      told.add(problem);
    }

    @Override
    public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {
      told.add(ref.toString());
    }
  }

  private static GateFactsReader<GpuRequest> reader() {
    OneObject objects = new OneObject();
    GpuDriver driver =
        new GpuDriver(
            DeviceSamples.DRIVER,
            objects,
            new Ledgers(),
            () -> new GrantAudit(1, Some.EPOCH),
            objects);
    ClassFacts resourceClass =
        new ClassFacts(
            "mock-class", DeviceSamples.DRIVER, false, Optional.empty(), Optional.empty());
    ImmutableMap<ClaimRef, ClaimFacts> claims =
        names(CLAIMS).stream()
            .map(name -> claim(name).parameters(Optional.of(LARGE)).facts())
            .collect(toImmutableMap(ClaimFacts::ref, claim -> claim));
    return new GateFactsReader<>(
        new PodClaims<>(
            driver,
            ref -> Optional.ofNullable(claims.get(ref)),
            name -> Optional.of(resourceClass)),
        new World(ImmutableMap.of()).cluster);
  }

  @Test
  void pods440NamingTheSame64LargeClaimsTakeLessThan16MiB() {
    GateFactsReader<GpuRequest> reader = reader();
    ImmutableList<GatedPod> pods = pods(440, CLAIMS);
    long before = LiveHeap.bytes();
    MemberSituations<GpuRequest> read = MemberSituations.of(pods, reader);

    assertThat(LiveHeap.bytes() - before).isLessThan(16 * MEBI);
    assertThat(read.problem()).isEmpty();
    assertThat(read.all()).hasSize(440).allMatch(one -> one.pending().mayAllocate());
    assertThat(pods).isNotEmpty();
  }

  @Test
  void membersThatNameTheSameLargeClaimsAreRead() {
    gate.claims(claim("c0"));
    gate.world.driver.parameters.put("c0", new DriverParameters.Ready<>("x".repeat(1 << 20)));
    pods(4, 1).forEach(gate.pods::put);
    gate.run();

    assertThat(warnings()).isEmpty();
    assertThat(gate.world.claim("c0").allocatedByUs()).isTrue();
  }

  @Test
  void aGroupWithMoreEntriesThanAPassReadsIsInvalid() {
    names(CLAIMS).forEach(name -> gate.claims(claim(name)));
    pods(65, CLAIMS).forEach(gate.pods::put);
    gate.run();

    assertThat(warnings())
        .containsExactly(
            "the 65 members of the group have 4160 entries for claims: at most 4096 are allowed");
    assertThat(gate.world.driver.calls).isEmpty();
  }

  @Test
  void parametersOfAGroupThatTakeTooManyBytesAreReadOnceASecond() {
    names(5).forEach(name -> gate.claims(claim(name)));
    names(5)
        .forEach(
            name ->
                gate.world.driver.parameters.put(
                    name, new DriverParameters.Ready<>("x".repeat(1 << 19))));
    pods(2, 5).forEach(gate.pods::put);
    gate.run();
    assertThat(warnings())
        .containsExactly(
            "the parameters of the group's claims, those of pod p0 included, take 5242880 bytes:"
                + " at most 4194304 are allowed");

    gate.world.driver.calls.clear();
    gate.pods.put(pods(2, 5).get(0));
    gate.run();
    assertThat(gate.world.driver.calls).isEmpty();
    gate.pods.put(pods(2, 5).get(0));
    gate.pass(SOON);
    assertThat(gate.world.driver.calls).contains("parameters c0");
  }

  @Test
  void aLargeGroupThatCannotStartIsNotReadAtEachEvent() {
    names(CLAIMS).forEach(name -> gate.claims(claim(name)));
    gate.world.cluster.change(Some.ref("c0"), s -> s.ofClass("missing"));
    pods(8, CLAIMS).forEach(gate.pods::put);
    gate.run();
    gate.world.driver.calls.clear();
    gate.put(pod("p0", names(CLAIMS).toArray(String[]::new)).inGroup("g", "8")).run();
    assertThat(gate.world.driver.calls).isEmpty();

    gate.pass(Duration.ofMillis(8 * CLAIMS));
    assertThat(gate.world.driver.calls).contains("parameters c1");
  }

  @Test
  void theTextsOfObstaclesCount() {
    gate.claims(claim("c0"));
    gate.world.driver.parameters.put(
        "c0",
        DriverParameters.refused(Kind.INVALID_PARAMETERS, ImmutableList.of("x".repeat(1 << 21))));
    pods(2, 1).forEach(gate.pods::put);
    gate.run();

    assertThat(warnings()).allMatch(text -> text.endsWith("at most 4194304 are allowed"));
  }

  @Test
  void noMoreMembersWithObstaclesAreReadThanAreTold() {
    gate.claims(claim("c0").ofClass("missing"));
    pods(40, 1).forEach(gate.pods::put);

    assertThat(
            MemberSituations.of(
                    pods(40, 1),
                    new GateFactsReader<>(gate.world.parts.podClaims(), gate.world.cluster))
                .all())
        .hasSize(GroupReports.MAX_MEMBERS);
  }
}
