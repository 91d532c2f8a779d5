package io.gpudra.controller.dra.engine;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.dra.testing.World;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import org.junit.jupiter.api.Test;

/** What people are told of claims that wait for something else than a free device. */
final class ToldTest {
  private final World world = World.of("worker", 3);

  private void addPod() {
    world.addClaim(claim("c")).addPod("pod", World.direct("c")).select("pod", "worker").run();
  }

  @Test
  void whatNoDeviceCouldEverServeIsSaidOfTheWholeCluster() {
    world.driver.unsatisfiable = ImmutableList.of("spec.count: too many", "spec.cel: never");
    world.driver.unsuitableFor.put("c", ImmutableSet.of("worker"));
    addPod();
    assertThat(world.cluster.warnings)
        .extracting("reason", "message")
        .contains(
            tuple(
                "NoMatchingDevice",
                "no device of the cluster satisfies the claim: spec.count: too many;"
                    + " spec.cel: never"));
  }

  @Test
  void whatAClassDoesNotGiveIsToldAsItsLimit() {
    world.driver.parameters.put(
        "c", DriverParameters.refused(Kind.CLASS_LIMIT, ImmutableList.of("4 of 5")));
    addPod();
    assertThat(world.cluster.warnings)
        .extracting("reason", "message")
        .contains(tuple("ClassLimit", "4 of 5"));
  }

  @Test
  void whatAClassForbidsIsToldByAReasonOfItsOwn() {
    world.driver.parameters.put(
        "c", DriverParameters.refused(Kind.ATTRIBUTE_FORBIDDEN, ImmutableList.of("not that")));
    addPod();
    assertThat(world.cluster.warnings)
        .extracting("reason", "message")
        .contains(tuple("AttributeForbidden", "not that"));
  }

  @Test
  void aNamespaceThatAClassDoesNotServeIsToldSoAndWokenWhenItsLabelsChange() {
    world.driver.parameters.put(
        "c", DriverParameters.refused(Kind.NAMESPACE_NOT_ALLOWED, ImmutableList.of("not for you")));
    world.driver.parameters.put(
        "now",
        DriverParameters.refused(Kind.NAMESPACE_NOT_ALLOWED, ImmutableList.of("not for you")));
    world.addClaim(claim("now").immediate());
    addPod();
    assertThat(world.cluster.warnings).extracting("reason").containsOnly("NamespaceNotAllowed");
    world.driver.parameters.clear();
    world.requeuer.namespaceChanged("mock-class", "another");
    world.requeuer.namespaceChanged("another", Some.NS);
    world.run();
    assertThat(world.claim("now").allocatedByUs()).isFalse();
    world.requeuer.namespaceChanged("mock-class", Some.NS);
    world.run();
    assertThat(world.claim("c").allocatedByUs()).isTrue();
    assertThat(world.claim("now").allocatedByUs()).isTrue();
  }
}
