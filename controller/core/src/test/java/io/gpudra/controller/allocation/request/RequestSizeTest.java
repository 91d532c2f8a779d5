package io.gpudra.controller.allocation.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeSelector.Operator;
import io.gpudra.crds.model.node.NodeSelector.Requirement;
import io.gpudra.crds.model.node.NodeSelector.Term;
import io.gpudra.crds.model.node.NodeToleration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RequestSizeTest {
  private static final String LONG = "x".repeat(1_000);

  private static PodRequest pod() {
    return new PodRequest(
        ImmutableList.of(
            new RequestFixture(
                    new ClaimRef("ns", "a"),
                    ImmutableList.of(
                        new RequestAlternative(
                            ImmutableList.of(DeviceSubRequest.whole(1, Among.EVERY)),
                            DeviceConstraints.ANYHOW)))
                .build()));
  }

  private static long more(
      Optional<NodeSelector> required,
      ImmutableList<NodeToleration> tolerations,
      ImmutableMap<String, Long> size) {
    return RequestSize.of(pod().fitting(new NodeDemand(required, tolerations, size)))
        - RequestSize.of(pod());
  }

  @Test
  void allTextsOfADemandCount() {
    Requirement requirement = new Requirement(LONG, Operator.IN, ImmutableList.of(LONG));
    NodeSelector selector =
        new NodeSelector(
            ImmutableList.of(
                new Term(ImmutableList.of(requirement), ImmutableList.of(requirement))));

    assertThat(more(Optional.of(selector), ImmutableList.of(), ImmutableMap.of()))
        .isGreaterThan(4L * LONG.length());
    assertThat(
            more(
                Optional.empty(),
                ImmutableList.of(new NodeToleration(LONG, Optional.of(LONG), Optional.empty())),
                ImmutableMap.of()))
        .isGreaterThan(2L * LONG.length());
    assertThat(more(Optional.empty(), ImmutableList.of(), ImmutableMap.of(LONG, 1L)))
        .isGreaterThan(LONG.length());
  }
}
