package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Actor;
import io.gpudra.simulator.actor.Events;
import io.gpudra.simulator.actor.KeyedLoop;
import io.gpudra.simulator.actor.Mirror;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * One life of a kubelet: a worker for each pod of the node, lost with all it knows at a restart.
 */
final class PodWorkers implements Actor.Looping {
  /** Set on a pod whose containers end by themselves, such as {@code 2s} or {@code 1m}. */
  static final String EXIT_AFTER = "simulator.gpudra.io/exit-after";

  private static final int KILLED = 137;

  /**
   * What the worker of a pod remembers.
   *
   * @param gone the pod is no longer in the API; its last state is kept to end it
   * @param retry not before then, after a failure
   * @param stopAt when its containers will have ended, once that is wanted
   * @param exitCode what they end with
   */
  private record Work(
      Pod pod, boolean gone, Instant retry, Optional<Instant> stopAt, int exitCode, boolean ended) {
    Work seen(Pod newest, boolean nowGone) {
      boolean toEnd = (nowGone && !gone) || (newest.deleting() && !pod.deleting());
      return new Work(newest, nowGone, toEnd ? Instant.MIN : retry, stopAt, exitCode, ended);
    }

    Work retryAt(Instant at) {
      return new Work(pod, gone, at, stopAt, exitCode, ended);
    }

    Work stopAt(Instant at, int code) {
      return new Work(pod, gone, retry, Optional.of(at), code, ended);
    }

    Work reallyEnded() {
      return new Work(pod, gone, retry, stopAt, exitCode, true);
    }
  }

  private final Map<String, Work> works = new ConcurrentHashMap<>();
  private final Node node;
  private final Surroundings around;
  private final InstantSource clock;
  private final ContainerRuntime runtime;
  private final ClaimPreparation claims;
  private final PodStatus status;
  private final Events events;
  private final KeyedLoop<String> loop;
  private final Mirror pods;

  /** What the kubelet works with. */
  record Node(String name, ContainerRuntime runtime, ClaimPreparation claims) {}

  PodWorkers(Node node, Surroundings around, Executor executor) {
    this.node = node;
    this.around = around;
    this.clock = around.clock();
    this.runtime = node.runtime();
    this.claims = node.claims();
    this.status = new PodStatus(around.api(), clock);
    this.events = new Events(around.api(), "kubelet", clock);
    this.loop = new KeyedLoop<>(clock, executor, this::sync);
    this.pods = Mirror.of(around.api(), Resource.PODS, this::podChanged);
    runtime.keepOnly(Set.copyOf(works.keySet()));
  }

  private void podChanged(WatchEvent event) {
    Pod pod = new Pod(event.object());
    if (!pod.node().equals(node.name())) {
      return;
    }
    boolean gone = event.type().equals("DELETED");
    Work fresh = new Work(pod, gone, Instant.MIN, Optional.empty(), 0, false);
    works.merge(pod.uid(), fresh, (old, ignored) -> old.seen(pod, gone));
    loop.add(pod.uid());
  }

  /** Lets the containers of the pod end by themselves. */
  boolean finish(String podUid) {
    Instant now = clock.instant();
    boolean found = runtime.running(podUid);
    works.computeIfPresent(podUid, (uid, work) -> work.stopAt(now, 0));
    loop.add(podUid);
    return found;
  }

  private void sync(String uid) {
    Work work = works.get(uid);
    if (work == null) {
      return;
    }
    if (clock.instant().isBefore(work.retry())) {
      loop.add(uid, work.retry());
      return;
    }
    if (work.gone() || work.pod().deleting() || work.stopAt().isPresent()) {
      terminate(uid, work);
    } else if (work.pod().terminal()) {
      // A kubelet that restarted after the phase was written has nothing left to do but this.
      if (!work.ended()) {
        retryUnless(uid, claims.unprepare(work.pod()), work);
      }
    } else if (runtime.knows(uid)) {
      keepRunning(uid, work.pod());
    } else {
      start(uid, work.pod());
    }
  }

  private void start(String uid, Pod pod) {
    status.accepted(pod);
    Optional<String> failure = claims.prepare(pod);
    if (failure.isPresent()) {
      events.warning(
          pod,
          "FailedPrepareDynamicResources",
          "Failed to prepare dynamic resources: " + failure.get());
      retry(uid, around.timings().prepareRetry());
      return;
    }
    Optional<String> refused = runtime.start(pod, entry -> claims.devices(pod, entry));
    if (refused.isPresent()) {
      status.waiting(pod, refused.get());
      events.warning(pod, "Failed", "Error: " + refused.get());
      retry(uid, around.timings().podRetry());
      return;
    }
    status.running(pod);
    keepRunning(uid, pod);
  }

  private void keepRunning(String uid, Pod pod) {
    if (!Json.text(pod.json(), "status.phase").equals("Running") && runtime.running(uid)) {
      status.running(pod);
    }
    String after = Json.at(pod.json(), "metadata.annotations").path(EXIT_AFTER).asText();
    if (!after.isEmpty()) {
      Instant end = clock.instant().plus(Duration.parse("PT" + after));
      works.computeIfPresent(uid, (u, work) -> work.stopAt(end, 0));
      loop.add(uid, end);
    }
  }

  /**
   * Containers stop, then the claims are unprepared, then the API hears of it (protocol.md 3.5).
   */
  private void terminate(String uid, Work work) {
    boolean asked = work.gone() || work.pod().deleting();
    Instant now = clock.instant();
    if (runtime.running(uid)) {
      Instant kill = now.plus(around.timings().containerStop());
      Instant end = work.stopAt().filter(at -> !asked || at.isBefore(kill)).orElse(kill);
      if (work.stopAt().isEmpty() || end.isBefore(work.stopAt().get())) {
        works.computeIfPresent(uid, (u, w) -> w.stopAt(end, KILLED));
      }
      if (now.isBefore(end)) {
        loop.add(uid, end);
        return;
      }
      runtime.stop(uid);
    }
    if (work.ended() || retryUnless(uid, claims.unprepare(work.pod()), work)) {
      conclude(uid, works.getOrDefault(uid, work));
    } else if (!work.gone()) {
      status.stopped(work.pod(), works.getOrDefault(uid, work).exitCode());
    }
  }

  private void conclude(String uid, Work work) {
    if (work.gone()) {
      works.remove(uid);
      runtime.remove(uid);
      return;
    }
    if (!work.pod().terminal()) {
      status.ended(work.pod(), runtime.knows(uid) ? work.exitCode() : KILLED);
    }
    if (work.pod().deleting()) {
      delete(work.pod());
    }
  }

  private void delete(Pod pod) {
    try {
      around.api().delete(Resource.PODS, pod.namespace(), pod.name(), Optional.of(0));
    } catch (ApiError e) {
      if (e.code() != 404) {
        throw e;
      }
    }
  }

  private boolean retryUnless(String uid, Optional<String> failure, Work work) {
    if (failure.isPresent()) {
      retry(uid, around.timings().podRetry());
    } else if (!work.ended()) {
      works.computeIfPresent(uid, (u, w) -> w.reallyEnded());
    }
    return failure.isEmpty();
  }

  private void retry(String uid, Timings.Spread delay) {
    Instant at = clock.instant().plus(delay.draw(around.random()));
    works.computeIfPresent(uid, (u, work) -> work.retryAt(at));
    loop.add(uid, at);
  }

  @Override
  public KeyedLoop<String> loop() {
    return loop;
  }

  @Override
  public void close() {
    pods.close();
    works.clear();
  }
}
