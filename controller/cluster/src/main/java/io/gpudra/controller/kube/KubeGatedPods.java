package io.gpudra.controller.kube;

import static java.util.Comparator.comparing;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.ListLimit;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.client.watch.TooLargeException;
import io.gpudra.controller.client.watch.TooSlowException;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.GatedPods;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.gate.SlowListException;
import io.gpudra.controller.kube.mapping.GatedPodMapping;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.PodRef;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pods without a node, from a watch of all that are pending. Of those that concern no claim and
 * no gate only the name is remembered.
 */
public final class KubeGatedPods implements GatedPods, CacheListener<Optional<GatedPod>> {
  private static final Logger log = LoggerFactory.getLogger(KubeGatedPods.class);
  private static final JsonMapper JSON = new JsonMapper();

  private final ObjectCache<Optional<GatedPod>> cache =
      new ObjectCache<>(pod -> pod.map(KubeGatedPods::terms).orElse(ImmutableList.of()));

  private final WatchedKind<V1Pod, Optional<GatedPod>> kind;
  private final GatedPodMemory memory = new GatedPodMemory(MemoryBudget.GATED_PODS.bytes());
  private final LiveObjects<V1Pod, PodView> live;
  private final HttpClients http;
  private final ListLimit listLimit;
  private final PodMapping mapping;
  private final CoreV1Api api;
  private final JsonCalls calls;
  private final String gate;
  private final BooleanSupplier mayWrite;
  private final Requeuer requeuer;

  /** Pods whose gate we removed, which the watch may still show. */
  private final Set<PodRef> lifted = ConcurrentHashMap.newKeySet();

  /**
   * No pods yet.
   *
   * @param mayWrite whether this process leads long enough for one more call
   */
  public KubeGatedPods(
      HttpClients http, KubeSettings settings, BooleanSupplier mayWrite, Requeuer requeuer) {
    this(http, settings, mayWrite, requeuer, System::nanoTime);
  }

  KubeGatedPods(
      HttpClients http,
      KubeSettings settings,
      BooleanSupplier mayWrite,
      Requeuer requeuer,
      LongSupplier nanoTime) {
    this.http = http;
    this.listLimit =
        new ListLimit(ControllerDelays.GROUP_LIST, GatedPods.MAX_LISTED_BYTES, nanoTime);
    this.mapping = new PodMapping(settings.serverMinor(), settings.driverName());
    GatedPodMapping gated = new GatedPodMapping(mapping);
    this.kind =
        ResourceKinds.gatedPods(settings.driverName(), pod -> gated.pod(pod).map(memory::kept));
    this.live =
        new LiveObjects<>(
            http,
            ResourceKinds.podViews(settings.serverMinor(), settings.driverName()),
            unread -> {},
            KubePodStore.MAX_BYTES);
    this.api = new CoreV1Api(http.api());
    this.calls = http.calls();
    this.gate = new GateName(settings.driverName()).own();
    this.mayWrite = mayWrite;
    this.requeuer = requeuer;
  }

  WatchedKind<V1Pod, Optional<GatedPod>> kind() {
    return kind;
  }

  ObjectCache<Optional<GatedPod>> cache() {
    return cache;
  }

  /** The number of pods whose gate we removed, which have no node yet. */
  int liftedCount() {
    return lifted.size();
  }

  /** The number of pods that are at the gate of this driver. */
  public int gatedCount() {
    return (int)
        cache.all().stream().flatMap(kept -> kept.value().stream()).filter(GatedPod::gated).count();
  }

  private static ImmutableList<String> terms(GatedPod pod) {
    return pod.waitsAtGate()
        ? ImmutableList.of(term(pod.unit()), termAtGate(pod.unit()))
        : ImmutableList.of(term(pod.unit()));
  }

  private static String term(ObjectKey unit) {
    return unit.toString();
  }

  /** No namespace begins with a space. */
  private static String termAtGate(ObjectKey unit) {
    return " " + unit;
  }

  @Override
  public ImmutableList<GatedPod> ofUnit(ObjectKey unit) {
    return cache.keysOf(term(unit)).stream()
        .flatMap(key -> cache.get(key).stream())
        .flatMap(kept -> kept.value().stream())
        .map(pod -> lifted.contains(pod.ref()) ? pod.lifted() : pod)
        .sorted(
            comparing((GatedPod pod) -> pod.facts().rank()).thenComparing(pod -> pod.ref().uid()))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public boolean isAtGate(ObjectKey unit) {
    return cache.anyOf(
        termAtGate(unit), pod -> pod.filter(found -> !lifted.contains(found.ref())).isPresent());
  }

  @Override
  public ImmutableSet<ObjectKey> units() {
    return cache.all().stream()
        .flatMap(kept -> kept.value().stream())
        .map(GatedPod::unit)
        .collect(ImmutableSet.toImmutableSet());
  }

  @Override
  public boolean awaitsNode(PodRef pod) throws ApiUnavailableException {
    return read(pod)
        .filter(found -> found.node().filter(node -> !node.isEmpty()).isEmpty())
        .isPresent();
  }

  @Override
  public boolean isGated(PodRef pod) throws ApiUnavailableException {
    return read(pod).filter(found -> found.scheduling().gates().contains(gate)).isPresent();
  }

  private Optional<PodView> read(PodRef pod) throws ApiUnavailableException {
    try {
      return live.get(api.readNamespacedPod(pod.name(), pod.namespace())::buildCall)
          .filter(found -> found.uid().equals(pod.uid()))
          .map(Kept::value);
    } catch (TooLargeException e) {
      // As elsewhere, such a pod is not served.
      return Optional.empty();
    } catch (IOException e) {
      throw new ApiUnavailableException("read pod " + pod, e);
    }
  }

  @Override
  public Optional<ImmutableList<MemberFacts>> members(ObjectKey group)
      throws ApiUnavailableException, SlowListException {
    String selector = mapping.selector(group).orElseThrow();
    ImmutableList.Builder<MemberFacts> found = ImmutableList.builder();
    MemberClaimBudget budget = new MemberClaimBudget();
    try {
      new LiveObjects<>(
              http, ResourceKinds.members(mapping, group.namespace(), selector), unread -> {})
          .list(member -> found.add(budget.limited(member.value())), listLimit);
    } catch (TooLargeException e) {
      log.info("members of a group not listed group={} why={}", group, e.getMessage());
      return Optional.empty();
    } catch (TooSlowException e) {
      log.info("members of a group not listed group={} why={}", group, e.getMessage());
      throw new SlowListException("list the pods of " + group, e);
    } catch (IOException e) {
      throw new ApiUnavailableException("list the pods of " + group, e);
    }
    return Optional.of(found.build());
  }

  @Override
  public Kind lift(GatedPod seen) {
    Kind kind = mayWrite.getAsBoolean() ? send(seen.ref()) : Kind.UNCLEAR;
    if (kind == Kind.DONE) {
      lifted.add(seen.ref());
      if (known(seen.ref()).isEmpty()) {
        lifted.remove(seen.ref());
      }
    }
    return kind;
  }

  private Optional<GatedPod> known(PodRef pod) {
    return cache
        .get(ObjectCache.key(pod.namespace(), pod.name()))
        .flatMap(Kept::value)
        .filter(found -> found.ref().equals(pod));
  }

  private Kind send(PodRef pod) {
    String path = "/api/v1/namespaces/%s/pods/%s".formatted(pod.namespace(), pod.name());
    try {
      Answer answer = calls.write("PATCH", path, Map.of(), Form.STRATEGIC_MERGE_PATCH, patch(pod));
      Kind kind = WriteResponseMapping.kind(answer);
      if (kind == Kind.REJECTED) {
        log.warn("gate not removed pod={} answer={}", pod, answer);
      }
      return kind;
    } catch (IOException e) {
      log.info("removal of a gate unclear pod={} why={}", pod, e.toString());
      return Kind.UNCLEAR;
    }
  }

  /** With the UID, and without a version: a gate can only go. */
  private String patch(PodRef pod) {
    ObjectNode patch = JSON.createObjectNode();
    patch.putObject("metadata").put("uid", pod.uid());
    patch
        .putObject("spec")
        .putArray("schedulingGates")
        .addObject()
        .put("name", gate)
        .put("$patch", "delete");
    return patch.toString();
  }

  @Override
  public void changed(Kept<Optional<GatedPod>> now) {
    now.value().filter(pod -> !pod.gated()).ifPresent(pod -> lifted.remove(pod.ref()));
    wake(now);
  }

  @Override
  public void listed(String resourceVersion) {
    memory.retain(key -> cache.get(key).isPresent());
  }

  @Override
  public void gone(Kept<Optional<GatedPod>> last) {
    last.value().map(GatedPod::ref).ifPresent(this::forget);
    wake(last);
  }

  private void forget(PodRef pod) {
    lifted.remove(pod);
    memory.gone(pod);
  }

  private void wake(Kept<Optional<GatedPod>> pod) {
    pod.value().ifPresent(found -> requeuer.wake(WorkKey.gate(found.unit())));
  }
}
