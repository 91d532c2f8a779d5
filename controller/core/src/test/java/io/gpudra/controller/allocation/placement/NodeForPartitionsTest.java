package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.pod;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.model;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.Gpu;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which node an Immediate claim gets that wants parts of GPUs. */
class NodeForPartitionsTest {
  private static final HoldOwner OWNER = new HoldOwner("test");
  private static final GrantAudit STAMP = new GrantAudit(1, Instant.EPOCH);

  private final Ledgers ledgers = new Ledgers();

  /** Each of two GPUs that nobody uses. */
  @BeforeEach
  void nodes() {
    for (String node : ImmutableList.of("n0", "n1", "n2")) {
      ledgers.observe(
          Worlds.inventory(
              node, ImmutableList.of(gpu(0, A100, cuttable()), gpu(1, A100, cuttable()))));
    }
  }

  private static ClaimRequest wants(
      String claim, AllocationPolicy policy, DeviceSubRequest subRequest) {
    return claim(claim, policy, alternative(DeviceConstraints.ANYHOW, subRequest));
  }

  private String node(ClaimRequest claim) {
    return ((CommitResult.Committed) ledgers.commitBest(pod(claim), OWNER, STAMP)).node();
  }

  private void hold(String node, String claim, DeviceSubRequest subRequest) {
    ClaimRequest one = wants(claim, AllocationPolicy.PACK, subRequest);
    assertThat(ledgers.commitBest(pod(one), ImmutableSet.of(node), OWNER, STAMP))
        .isInstanceOf(CommitResult.Committed.class);
  }

  @Test
  void theNodeWithTheLeastRoomForLargeMigDevicesTakesASmallOne() {
    hold("n1", "all of one", mig("7g.40gb", 1));
    hold("n2", "some of each", mig("1g.5gb+me", 2));

    assertThat(node(wants("pack", AllocationPolicy.PACK, mig("1g.5gb", 1)))).isEqualTo("n2");
    assertThat(node(wants("spread", AllocationPolicy.SPREAD, mig("1g.5gb", 1)))).isEqualTo("n0");
  }

  @Test
  void whereNoLargeMigDeviceFitsAnyMoreTheNodeWithTheLeastMemoryLeftTakesOne() {
    hold("n0", "all", mig("7g.40gb", 2));
    hold("n1", "half of each", mig("4g.20gb", 2));
    hold("n2", "half of each here", mig("4g.20gb", 2));
    hold("n2", "and more", mig("2g.10gb", 2));

    assertThat(node(wants("pack", AllocationPolicy.PACK, mig("1g.5gb", 1)))).isEqualTo("n2");
    assertThat(node(wants("spread", AllocationPolicy.SPREAD, mig("1g.5gb", 1)))).isEqualTo("n1");
  }

  @Test
  void theNodeWithTheFewestFreeGpusTakesAWholeOneWhateverSharesHaveLeft() {
    ledgers.observe(Worlds.inventory("n3", t4s(3)));
    ledgers.observe(Worlds.inventory("n4", t4s(2)));
    hold("n3", "a", share(1, 2));

    assertThat(node(wants("pack", AllocationPolicy.PACK, whole(1)))).isEqualTo("n3");
  }

  private static ImmutableList<Gpu> t4s(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> gpu(i, model("T4", 16), cuttable()))
        .collect(toImmutableList());
  }

  @Test
  void theNodeWithTheLeastMemoryLeftTakesAShare() {
    hold("n1", "a", share(10, 2));
    hold("n2", "b", share(20, 2));

    assertThat(node(wants("pack", AllocationPolicy.PACK, share(10, 1)))).isEqualTo("n2");
    assertThat(node(wants("spread", AllocationPolicy.SPREAD, share(10, 1)))).isEqualTo("n0");
  }

  @Test
  void whatIsLeftOfACutGpuCountsLikeWhatIsLeftOfASharedOne() {
    ledgers.observe(Worlds.inventory("cut", ImmutableList.of(gpu(0, A100, cuttable()))));
    ledgers.observe(Worlds.inventory("shared", ImmutableList.of(gpu(0, A100, cuttable()))));
    hold("cut", "three quarters", mig("4g.20gb", 1));
    hold("cut", "of it", mig("2g.10gb", 1));
    hold("shared", "half", share(20, 1));

    assertThat(
            node(
                claim(
                    "either",
                    alternative(DeviceConstraints.ANYHOW, share(5, 1)),
                    alternative(DeviceConstraints.ANYHOW, mig("1g.5gb", 1)))))
        .isEqualTo("cut");
  }

  @Test
  void gpusThatCannotBeCutAreShared() {
    ledgers.observe(Worlds.inventory("n3", t4s(1)));

    assertThat(node(wants("a", AllocationPolicy.PACK, share(1, 1)))).isEqualTo("n3");
  }
}
