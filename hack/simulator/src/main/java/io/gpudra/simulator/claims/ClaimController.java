package io.gpudra.simulator.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Actor;
import io.gpudra.simulator.actor.Claim;
import io.gpudra.simulator.actor.Events;
import io.gpudra.simulator.actor.KeyedLoop;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Mirror;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Generates claims for pods and takes them, and reservations, back. */
public final class ClaimController implements Actor.Looping {
  /**
   * The real one reserves claims for finished pods and takes that back, for ever (protocol.md 3.3);
   * its client's rate limit holds that to about 20 writes a second.
   */
  private static final Duration FINISHED_POD_INTERVAL = Duration.ofMillis(100);

  /** A pod or a claim. */
  record Key(boolean pod, String namespace, String name) {
    String path() {
      return namespace + "/" + name;
    }
  }

  private final Map<String, Instant> finishedPods = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private final Profile profile;
  private final KeyedLoop<Key> loop;
  private final Mirror claims;
  private final Mirror pods;
  private final Generation generation;
  private final Consumers consumers;
  private final BoundPods boundPods;

  /**
   * Watches from now on.
   *
   * @param random makes the suffixes of generated names
   */
  public ClaimController(Api api, Profile profile, InstantSource clock, Random random) {
    this.clock = clock;
    this.profile = profile;
    this.loop = new KeyedLoop<>(clock, Runnable::run, this::sync);
    Events events = new Events(api, "resource-claim-controller", clock);
    this.generation = new Generation(api, profile, random, events);
    this.consumers = new Consumers(api, profile);
    this.boundPods = new BoundPods(api);
    this.pods = Mirror.of(api, Resource.PODS, this::podChanged);
    this.claims = Mirror.of(api, Resource.CLAIMS, this::claimChanged);
  }

  private void podChanged(WatchEvent event) {
    Pod pod = new Pod(event.object());
    boolean deleted = event.type().equals("DELETED");
    if (deleted) {
      finishedPods.remove(pod.uid());
    }
    for (Pod.ClaimEntry entry : pod.claims(profile)) {
      if ((deleted || pod.done()) && entry.binding() == Pod.Binding.NAMED) {
        loop.add(new Key(false, pod.namespace(), entry.claim()));
      }
      if (!deleted) {
        loop.add(new Key(true, pod.namespace(), pod.name()));
      }
    }
  }

  private void claimChanged(WatchEvent event) {
    Claim claim = new Claim(event.object());
    loop.add(new Key(false, claim.namespace(), claim.name()));
    JsonNode owner = Meta.controller(claim.json());
    if (owner.path("kind").asText().equals("Pod")) {
      loop.add(new Key(true, claim.namespace(), owner.path("name").asText()));
      return;
    }
    for (ObjectNode json : pods.all()) {
      Pod pod = new Pod(json);
      if (pod.namespace().equals(claim.namespace()) && names(pod, claim)) {
        loop.add(new Key(true, pod.namespace(), pod.name()));
      }
    }
  }

  private boolean names(Pod pod, Claim claim) {
    return pod.claims(profile).stream().anyMatch(entry -> entry.claim().equals(claim.name()));
  }

  private void sync(Key key) {
    if (key.pod()) {
      pods.get(key.path()).map(Pod::new).ifPresent(pod -> syncPod(key, pod));
    } else {
      claims.get(key.path()).map(Claim::new).ifPresent(consumers::sync);
    }
  }

  private void syncPod(Key key, Pod pod) {
    if (pod.deleting()) {
      return;
    }
    if (!pod.done()) {
      generation.sync(pod);
    }
    if (pod.node().isEmpty() || profile == Profile.V1_27) {
      return;
    }
    if (pod.terminal()) {
      Instant now = clock.instant();
      Instant next = finishedPods.getOrDefault(pod.uid(), Instant.MIN);
      if (now.isBefore(next)) {
        loop.add(key, next);
        return;
      }
      finishedPods.put(pod.uid(), now.plus(FINISHED_POD_INTERVAL));
    }
    boundPods.sync(pod);
  }

  @Override
  public KeyedLoop<?> loop() {
    return loop;
  }

  @Override
  public void close() {
    pods.close();
    claims.close();
  }
}
