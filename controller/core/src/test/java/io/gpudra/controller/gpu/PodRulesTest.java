package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.management.ThreadMXBean;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.testing.GrantFixture;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** M12 to M18 of api.md 2.8: what a pod may not do with claims that are each right. */
class PodRulesTest {
  private static final String MPS = "'sharing':{'strategy':'MPS'}";

  /** A few hundred for each of 64 claims and 64 containers. */
  private static final long MAX_BYTES = 64 * 64 * 500;

  private static final String SHARE = "{'mode':'shared','memoryLimit':'4Gi'}";

  private final ParametersFixture read = new ParametersFixture();
  private final List<PodUse.Entry> entries = new ArrayList<>();
  private final List<Container> containers = new ArrayList<>();
  private final List<ClaimFacts> pending = new ArrayList<>();
  private final List<GpuRequest> requests = new ArrayList<>();

  private PodRulesTest waits(String name, String spec) {
    ClaimFacts claim = GpuSamples.claim(name, Optional.empty());
    pending.add(claim);
    requests.add(read.ready("{}", spec));
    return entry(name, claim, DeviceSamples.DRIVER);
  }

  private PodRulesTest entry(String name, ClaimFacts claim, String driver) {
    entries.add(new PodUse.Entry(name, Optional.of(claim), Optional.of(driver)));
    return this;
  }

  private PodRulesTest container(String name, long claims) {
    containers.add(new Container(name, claims));
    return this;
  }

  private ImmutableList<String> problems(String claim) {
    return problems(pendingClaims())
        .getOrDefault(new ClaimUid("uid-of-" + claim), ImmutableList.of());
  }

  private ImmutableList<PendingClaim<GpuRequest>> pendingClaims() {
    PodUse use = new PodUse(ImmutableList.copyOf(entries), ImmutableList.copyOf(containers));
    ImmutableList.Builder<PendingClaim<GpuRequest>> all = ImmutableList.builder();
    for (int i = 0; i < pending.size(); i++) {
      all.add(
          new PendingClaim<>(
              pending.get(i), GpuSamples.resourceClass(Optional.empty()), requests.get(i), use));
    }
    return all.build();
  }

  private static ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<GpuRequest>> claims) {
    return new PodRules(DeviceSamples.DRIVER, claims).problems();
  }

  private static ClaimFacts granted(String name, Part part) {
    ClaimFacts bare = GpuSamples.claim(name, Optional.empty());
    Grant grant =
        GrantFixture.grant(
            bare.uid(), "node", GrantFixture.device("gpu-0", GrantFixture.part("GPU-0", part)));
    return Some.of(bare)
        .withFinalizer(true)
        .allocation(
            Optional.of(
                new ClaimFacts.Granted(
                    DeviceSamples.DRIVER,
                    Optional.of(
                        new ResourceHandle(HandleCodec.encode(grant), Optional.of("node"), true)))))
        .facts();
  }

  @Test
  void aClaimIsInsideAnEntryThatThePodHas() {
    waits("mig-enabled-gpu", "{}").waits("slice", inside("mig-enabld-gpu"));
    assertThat(problems("slice"))
        .containsExactly(
            "spec.insideClaim: the pod has no resourceClaims entry \"mig-enabld-gpu\","
                + " did you mean \"mig-enabled-gpu\"?");
    assertThat(problems("mig-enabled-gpu")).isEmpty();
  }

  private static String inside(String entry) {
    return "{'migProfile':'1g.5gb','insideClaim':'%s'}".formatted(entry);
  }

  @Test
  void aClaimIsNotInsideItself() {
    assertThat(waits("slice", inside("slice")).problems("slice"))
        .containsExactly("spec.insideClaim: \"slice\" is this claim itself");
  }

  @Test
  void aClaimIsInsideAClaimOfThisDriver() {
    entry("cpu", GpuSamples.claim("cpu", Optional.empty()), "dsa.example.com");
    assertThat(waits("slice", inside("cpu")).problems("slice"))
        .containsExactly("spec.insideClaim: \"cpu\" is a claim of driver dsa.example.com");
  }

  @Test
  void aContainerUsesOneShare() {
    waits("a", SHARE).waits("b", SHARE).waits("c", "{}").container("main", 0b111);
    assertThat(problems("a"))
        .containsExactly("container \"main\" uses two shares; a container can use one");
    assertThat(problems("b")).isEqualTo(problems("a"));
    assertThat(problems("c")).isEmpty();
  }

  @Test
  void aShareThatIsGrantedAlreadyCountsToo() {
    entry("old", granted("old", new Part.Share(1L << 30, 0)), DeviceSamples.DRIVER);
    waits("new", SHARE).container("main", 0b11);
    assertThat(problems("new"))
        .containsExactly("container \"main\" uses two shares; a container can use one");
  }

  @Test
  void sharesOfDifferentContainersDoNotMeet() {
    waits("a", SHARE).waits("b", SHARE).waits("c", "{}");
    container("one", 0b101).container("other", 0b110);
    assertThat(problems("a")).isEmpty();
  }

  @Test
  void aContainerUsesOneClaimWithMps() {
    waits("a", "{%s}".formatted(MPS)).waits("b", "{%s}".formatted(MPS)).container("main", 0b11);
    assertThat(problems("a"))
        .containsExactly(
            "container \"main\" uses two claims with MPS; a process can talk to one MPS server"
                + " only");
  }

  @Test
  void aContainerIsLookedAtOnceForAllClaims() {
    for (int i = 0; i < Long.SIZE; i++) {
      waits("c" + i, "{}").container("container-" + i, -1);
    }
    ImmutableList<PendingClaim<GpuRequest>> claims = pendingClaims();
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    assertThat(problems(claims)).isEmpty();

    assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(MAX_BYTES);
  }

  @Test
  void oneClaimUnderTwoNamesIsOne() {
    waits("a", SHARE).entry("again", GpuSamples.claim("a", Optional.empty()), DeviceSamples.DRIVER);
    assertThat(container("main", 0b11).problems("a")).isEmpty();
  }
}
