package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.alternative;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.link;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.share;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.testing.GpuModels;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Linked GPUs are preferred though nobody asks for them, where nothing else tells GPUs apart. */
class LinkedTest {

  /** GPUs 0 to 3 are of one NUMA node, 4 to 7 of the next. */
  private static NodeLedger gpus(int count, GpuLink... links) {
    return node(
        IntStream.range(0, count)
            .mapToObj(i -> Worlds.gpu(i, A100, cuttable()))
            .collect(ImmutableList.toImmutableList()),
        links);
  }

  @Test
  void ofEqualGpusThoseThatAreLinkedAreTaken() {
    NodeLedger pairs = gpus(4, link("GPU-1", "GPU-3"));

    assertThat(names(place(pairs, claim("a", whole(2))), "a")).containsExactly("gpu-1", "gpu-3");
    assertThat(names(place(gpus(4), claim("a", whole(2))), "a")).containsExactly("gpu-0", "gpu-1");
    assertThat(names(place(pairs, claim("a", whole(1))), "a")).containsExactly("gpu-0");
  }

  @Test
  void ofEquallyLinkedOnesThoseOfTheLowestIndexAreTaken() {
    NodeLedger pairs = gpus(4, link("GPU-2", "GPU-3"), link("GPU-1", "GPU-2"));

    assertThat(names(place(pairs, claim("a", whole(2))), "a")).containsExactly("gpu-1", "gpu-2");
  }

  @Test
  void asManyPairsAsCanBeAreLinked() {
    NodeLedger rings =
        gpus(
            8,
            link("GPU-0", "GPU-1"),
            link("GPU-1", "GPU-2"),
            link("GPU-2", "GPU-3"),
            link("GPU-4", "GPU-6", "GPU-7"));

    assertThat(names(place(rings, claim("a", whole(3))), "a"))
        .containsExactly("gpu-4", "gpu-6", "gpu-7");
  }

  @Test
  void noNumaNodeIsOpenedForALink() {
    NodeLedger across = gpus(8, link("GPU-3", "GPU-4"));

    assertThat(names(place(across, claim("a", whole(2))), "a")).containsExactly("gpu-0", "gpu-1");
    assertThat(
            names(
                place(
                    across,
                    claim(
                        "a",
                        AllocationPolicy.SPREAD,
                        alternative(DeviceConstraints.ANYHOW, whole(2)))),
                "a"))
        .containsExactly("gpu-3", "gpu-4");
  }

  @Test
  void noLargerGpuIsTakenForALink() {
    Gpu large = Worlds.gpu(0, GpuModels.model("large", 80), cuttable());
    NodeLedger mixed =
        node(
            ImmutableList.of(
                large, Worlds.gpu(1, A100, cuttable()), Worlds.gpu(2, A100, cuttable())),
            link("GPU-0", "GPU-1"));

    assertThat(names(place(mixed, claim("a", whole(2))), "a")).containsExactly("gpu-1", "gpu-2");
  }

  @Test
  void noOtherClaimOfThePodGoesWithoutForALink() {
    NodeLedger four = gpus(4, link("GPU-1", "GPU-2", "GPU-3"), link("GPU-0", "GPU-3"));
    Placement both = place(four, claim("a", whole(3)), claim("b", whole(1, 0b1100)));

    assertThat(names(both, "a")).containsExactly("gpu-0", "gpu-1", "gpu-3");
    assertThat(names(both, "b")).containsExactly("gpu-2");
  }

  @Test
  void noOtherClaimOfThePodGetsALargerGpuForALink() {
    NodeLedger mixed =
        node(
            ImmutableList.of(
                Worlds.gpu(0, A100, cuttable()),
                Worlds.gpu(1, A100, cuttable()),
                Worlds.gpu(2, A100, cuttable()),
                Worlds.gpu(3, GpuModels.model("large", 80), cuttable())),
            link("GPU-1", "GPU-2"));
    Placement both = place(mixed, claim("a", whole(2, 0b111)), claim("b", whole(1, 0b1100)));

    assertThat(names(both, "a")).containsExactly("gpu-0", "gpu-1");
    assertThat(names(both, "b")).containsExactly("gpu-2");
  }

  @Test
  void whatIsSearchedForIsLinkedToo() {
    NodeLedger pairs = gpus(4, link("GPU-2", "GPU-3"));

    assertThat(names(place(pairs, claim("a", whole(1), whole(1))), "a"))
        .containsExactly("gpu-2", "gpu-3");
    assertThat(names(place(pairs, claim("a", share(4, 2))), "a")).containsExactly("gpu-2", "gpu-3");
    Placement both = place(pairs, claim("a", whole(2)), claim("b", mig("1g.5gb", 1)));
    assertThat(names(both, "a")).containsExactly("gpu-2", "gpu-3");
    assertThat(names(both, "b")).containsExactly("gpu-0-mig-1g.5gb-6");
  }

  @Test
  void migDevicesAreOfOneGpuWhateverIsLinked() {
    NodeLedger pairs = gpus(4, link("GPU-2", "GPU-3"));

    assertThat(names(place(pairs, claim("a", mig("1g.5gb", 2))), "a"))
        .allMatch(name -> name.startsWith("gpu-0-"));
  }
}
