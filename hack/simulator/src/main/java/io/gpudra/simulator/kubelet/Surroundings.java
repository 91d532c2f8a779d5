package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.Api;
import java.time.InstantSource;
import java.util.Random;

/** What all kubelets of a cluster share. */
public record Surroundings(
    Api api, Timings timings, Profile profile, InstantSource clock, Random random) {}
