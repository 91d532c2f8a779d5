package io.gpudra.controller.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.eviction.Evictor.Cluster;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A cluster with tainted GPUs, and a clock that only the test sets. */
abstract class EvictionScene extends Clock implements Cluster, ReportSink {
  static final Service SERVING = new Service.Serving();

  final Ledgers ledgers = new Ledgers();
  final Map<ClaimRef, ImmutableList<PodRef>> pods = new HashMap<>();
  final Map<String, Answer> answers = new HashMap<>();
  final Set<ClaimRef> unreadable = new HashSet<>();
  final List<String> asked = new ArrayList<>();
  final List<Warning> warnings = new ArrayList<>();
  final List<Answer> counted = new ArrayList<>();
  Optional<ImmutableList<DeviceToleration>> tolerations = Optional.of(ImmutableList.of());
  boolean leads = true;
  boolean deposed;
  boolean edits;
  int read;
  Instant now = Instant.parse("2026-11-21T08:00:00Z");
  final Uptime uptime = new Uptime();
  final Evictor evictor =
      new Evictor(
          ledgers::snapshot,
          this,
          () -> leads,
          this,
          uptime,
          new Evictor.Sinks(this, counted::add));

  static DeviceTaint taint(Effect effect, Optional<Instant> since) {
    return new DeviceTaint("xid", "79", effect, "fell off the bus", since, Optional.empty());
  }

  void observe(String node, Service service, DeviceTaint... taints) {
    observe(node, service, MigState.of(Gpu.MigMode.UNSUPPORTED), taints);
  }

  void observe(String node, Service service, MigState mig, DeviceTaint... taints) {
    Gpu gpu =
        GpuModels.gpu("GPU-of-" + node, 0, GpuModels.T4)
            .with(mig)
            .with(ImmutableList.copyOf(taints));
    ledgers.observe(
        NodeFixture.node(node).gpus(ImmutableList.of(gpu)).service(service).inventory());
  }

  /** A pod and its claim of the same name have the node's GPU. */
  void use(String node, String name) {
    use(node, name, GrantedPart.whole("GPU-of-" + node));
  }

  void use(String node, String name, GrantedPart part) {
    ClaimRef ref = new ClaimRef("team", name);
    ClaimUid uid = new ClaimUid(name);
    Grant grant = GrantFixture.grant(uid, node, GrantFixture.device("gpu-0", part));
    ledgers.observe(ref, uid, Optional.of(grant));
    pods.put(ref, ImmutableList.of(new PodRef("team", name, "uid-of-" + name)));
  }

  static DeviceToleration minute(String key) {
    return toleration(key, Optional.of(Duration.ofMinutes(1)));
  }

  static DeviceToleration toleration(String key, Optional<Duration> time) {
    return new DeviceToleration(key, Optional.empty(), Optional.empty(), time);
  }

  void tainted(String... nodes) {
    for (String node : nodes) {
      observe(node, SERVING, taint(Effect.NO_EXECUTE, Optional.empty()));
      use(node, "on-" + node);
    }
  }

  void rounds(int count) {
    for (int i = 0; i < count; i++) {
      evictor.runOnce();
      now = now.plusSeconds(1);
      uptime.passSecond();
    }
  }

  @Override
  public ImmutableList<PodRef> pods(ClaimRef ref, ClaimUid claim) {
    return pods.getOrDefault(ref, ImmutableList.of());
  }

  @Override
  public Optional<ImmutableList<DeviceToleration>> tolerations(ClaimRef ref, ClaimUid claim) {
    read++;
    if (unreadable.contains(ref)) {
      return Optional.empty();
    }
    return edits ? Optional.of(ImmutableList.of(minute("other-" + read))) : tolerations;
  }

  @Override
  public Answer evict(PodRef pod) {
    assertThat(leads).isTrue();
    asked.add(pod.name());
    leads = !deposed;
    return answers.getOrDefault(pod.name(), Answer.EVICTED);
  }

  @Override
  public void warn(Warning warning) {
    warnings.add(warning);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {
    throw new AssertionError("nobody was refused");
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public ZoneId getZone() {
    throw new AssertionError("instants have no zone");
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new AssertionError("instants have no zone");
  }
}
