package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.Api;
import java.time.InstantSource;
import java.util.Random;

/** What a node is made of besides the lives of its kubelet; cache and runtime outlast these. */
record NodeParts(
    String name,
    Api api,
    KubeletSettings settings,
    InstantSource clock,
    Random random,
    ClaimCache cache,
    ContainerRuntime runtime) {
  Timings timings() {
    return settings.timings();
  }

  Profile profile() {
    return settings.profile();
  }
}
