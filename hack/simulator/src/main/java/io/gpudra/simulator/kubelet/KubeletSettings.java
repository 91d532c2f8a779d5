package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;

/** How all kubelets of a cluster behave. */
public record KubeletSettings(Timings timings, Profile profile) {}
