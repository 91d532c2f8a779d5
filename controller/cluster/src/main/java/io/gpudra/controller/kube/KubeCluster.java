package io.gpudra.controller.kube;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.controller.client.EventSink;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.Informer;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.PodStore;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.eviction.Evictor.Cluster.Answer;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.CachedParameters;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.status.StatusObjects;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeState;
import io.kubernetes.client.openapi.apis.ResourceV1alpha2Api;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller's view of the cluster: nine watches, one more if pods at a gate are served, the
 * five ports on top of them, and their listeners. HTTP, caches and retries are hidden here.
 */
public final class KubeCluster implements ParametersObjects, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KubeCluster.class);

  private final HttpClients http;
  private final KubeSettings settings;
  private final MetricRegistry metrics;
  private final KubeReportSink reports;
  private final EventSink events;
  private final ScheduledExecutorService ticker =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("nodes-tick").setDaemon(true).build());

  private final ObjectCache<CachedClaim> claimCache = new ObjectCache<>(KubeClaimStore::indexed);
  private final ObjectCache<ContextFacts> contextCache = new ObjectCache<>();
  private final ObjectCache<ClassFacts> classCache = new ObjectCache<>();
  private final ObjectCache<ImmutableMap<String, String>> namespaces = new ObjectCache<>();
  private final ClaimOverlay overlay = new ClaimOverlay(claimCache);
  private final WatchedKind<V1alpha2ResourceClaim, CachedClaim> claimKind;
  private final ClaimStore claims;
  private final ContextStore contexts;
  private final KubeClassStore classes = new KubeClassStore(classCache);
  private final PodStore pods;
  private final KubeEvictions evictions;
  private final KubeParameters parameters;
  private final KubeQuotas quotas;
  private volatile ImmutableList<Informer<?, ?>> watches = ImmutableList.of();

  /**
   * A cluster that is not connected yet.
   *
   * @param mayWriteStatus whether this process leads long enough for one more call
   */
  public KubeCluster(
      HttpClients http,
      KubeSettings settings,
      BooleanSupplier mayWriteStatus,
      MetricRegistry metrics) {
    this.http = http;
    this.settings = settings;
    this.metrics = metrics;
    String source = "resource driver " + settings.driverName();
    this.events =
        new EventSink(
            http, source, settings.clock(), Ticker.systemTicker(), mayWriteStatus, metrics);
    this.reports = new KubeReportSink(events, metrics);
    ClaimMapping mapping = new ClaimMapping(settings.driverName(), settings.finalizer());
    this.claimKind = ResourceKinds.claims(mapping::keep);
    this.claims =
        new KubeClaimStore(
            new ResourceV1alpha2Api(http.api()),
            claimCache,
            overlay,
            new LiveObjects<>(http, claimKind, reports::malformed),
            new ClaimPatches(settings),
            mayWriteStatus);
    this.contexts =
        new KubeContextStore(contextCache, http.calls(), settings.driverName(), mayWriteStatus);
    this.evictions = new KubeEvictions(overlay, http.calls());
    StatusCalls statuses = new StatusCalls(http.calls(), settings.driverName(), mayWriteStatus);
    this.parameters = new KubeParameters(statuses);
    this.quotas = new KubeQuotas(statuses);
    this.pods =
        new KubePodStore(
            http,
            new PodMapping(settings.serverMinor(), settings.driverName()),
            reports::malformed);
  }

  /** The port to the claims. */
  public ClaimStore claims() {
    return claims;
  }

  /** The port to the scheduling contexts. */
  public ContextStore contexts() {
    return contexts;
  }

  /** The port to the pods. */
  public PodStore pods() {
    return pods;
  }

  /** The port to the classes. */
  public ClassStore classes() {
    return classes;
  }

  /** The port to events and reports. */
  public ReportSink reports() {
    return reports;
  }

  /** The port to the status of parameters. */
  public StatusObjects parameters() {
    return parameters;
  }

  /** The quotas of all namespaces. */
  public KubeQuotas quotas() {
    return quotas;
  }

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return parameters
        .ofClaims()
        .get(ObjectCache.key(namespace, name))
        .map(kept -> kept.value().object());
  }

  @Override
  public Optional<String> problemOfClaim(String namespace, String name) {
    return parameters.ofClaims().problem(ObjectCache.key(namespace, name));
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    return parameters.ofClasses().get(name).map(kept -> kept.value().object());
  }

  @Override
  public Optional<String> problemOfClass(String name) {
    return parameters.ofClasses().problem(name);
  }

  /** Also empty if they exceed the limit. */
  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String name) {
    return namespaces.problem(name).isPresent()
        ? Optional.empty()
        : namespaces.get(name).map(Kept::value);
  }

  /** Claims without an allocation, as the watch has them. */
  public ImmutableList<ClaimFacts> unallocatedClaims() {
    return claimCache.all().stream()
        .map(kept -> kept.value().facts())
        .filter(claim -> claim.allocation().isEmpty())
        .collect(ImmutableList.toImmutableList());
  }

  /** Pods that this claim is reserved for, from the cache. */
  public ImmutableList<PodRef> podsOf(ClaimRef ref, ClaimUid claim) {
    return evictions.podsOf(ref, claim);
  }

  /** Evicts this pod by the eviction API. */
  public Answer evict(PodRef pod) {
    return evictions.evict(pod);
  }

  /** Starts all watches; once. The listeners are called from watch threads at once. */
  public void start(Requeuer requeuer, NodeListener nodes) {
    start(requeuer, nodes, unjudged -> {}, Optional.empty());
  }

  /**
   * Starts all watches; once. The listeners are called from watch threads at once.
   *
   * @param unjudged receives the keys of parameters whose status is not up to date
   * @param gatedPods empty if pods at a gate are not served
   */
  public void start(
      Requeuer requeuer,
      NodeListener nodes,
      Consumer<ObjectKey> unjudged,
      Optional<KubeGatedPods> gatedPods) {
    overlay.setListener(new ClaimEvents(requeuer::claimSeen, requeuer::claimGone));
    NodeFeed feed = new NodeFeed(settings, System::nanoTime, nodes, reports::malformed);
    watches =
        ImmutableList.<Informer<?, ?>>builder()
            .add(
                watch(ResourceKinds.nodes(), new ObjectCache<>(), nodeListening(feed)),
                watch(ResourceKinds.inventories(), new ObjectCache<>(), inventoryListening(feed)),
                watch(ResourceKinds.namespaces(), namespaces, namespaceListening(requeuer)),
                watch(
                    ResourceKinds.classParameters(CachedParameters::of),
                    parameters.ofClasses(),
                    classParametersListening(requeuer, unjudged)),
                watch(
                    ResourceKinds.claimParameters(CachedParameters::of),
                    parameters.ofClaims(),
                    claimParametersListening(requeuer, unjudged)),
                watch(
                    ResourceKinds.classes(),
                    classCache,
                    CallbackListener.any(c -> requeuer.classChanged(c.key()))),
                watch(claimKind, claimCache, overlay),
                watch(ResourceKinds.quotas(), quotas.cache(), quotas.listening()),
                watch(ResourceKinds.contexts(), contextCache, contextListening(requeuer)))
            .addAll(gatedPods.map(this::watch).stream().iterator())
            .build();
    metrics.register("entries.claimsAhead", (Gauge<Integer>) overlay::ahead);
    metrics.register("entries.claimCache", (Gauge<Integer>) claimCache::size);
    metrics.register("entries.namespaceCache", (Gauge<Integer>) namespaces::size);
    metrics.register("entries.quotaCache", (Gauge<Integer>) quotas.cache()::size);
    metrics.register("entries.contextCache", (Gauge<Integer>) contextCache::size);
    events.start();
    watches.forEach(Informer::start);
    long round = ControllerDelays.HEARTBEAT_ROUND.toMillis();
    Future<?> untilClosed =
        ticker.scheduleWithFixedDelay(() -> tick(feed), round, round, TimeUnit.MILLISECONDS);
    log.debug("watching resources={} ticking={}", watches.size(), !untilClosed.isDone());
  }

  /** Whether every first list is in the caches and its listener was notified. */
  public boolean synced() {
    return !watches.isEmpty() && watches.stream().allMatch(KubeCluster::synced);
  }

  private static boolean synced(Informer<?, ?> watch) {
    return watch.synced() || hasNoDefinition(watch);
  }

  /** Before the definitions of a release are applied, there are no quotas. */
  private static boolean hasNoDefinition(Informer<?, ?> watch) {
    return watch.plural().equals(GpuQuota.PLURAL) && watch.missing();
  }

  /** Time since the last message of each watch. */
  public ImmutableMap<String, Duration> silences() {
    return watches.stream()
        .filter(watch -> !hasNoDefinition(watch))
        .collect(ImmutableMap.toImmutableMap(Informer::plural, Informer::silence));
  }

  /** Errors that the API server returns to watches. */
  public ImmutableList<String> refusals() {
    return watches.stream()
        .filter(watch -> !hasNoDefinition(watch))
        .flatMap(watch -> watch.refusal().stream())
        .collect(ImmutableList.toImmutableList());
  }

  /** Stops watches and events; no listener is called afterwards. Connections stay open. */
  @Override
  public void close() {
    ticker.shutdownNow();
    watches.forEach(Informer::close);
    events.close();
  }

  private static void tick(NodeFeed feed) {
    try {
      feed.tick();
    } catch (RuntimeException e) {
      // The executor would not call again, and nodes would never become stale.
      log.error("evaluating the age of inventories failed", e);
    }
  }

  private Informer<?, ?> watch(KubeGatedPods pods) {
    metrics.register("entries.gatedPods", (Gauge<Integer>) pods.cache()::size);
    metrics.register("entries.liftedGates", (Gauge<Integer>) pods::liftedCount);
    return watch(pods.kind(), pods.cache(), pods);
  }

  private <T, V> Informer<T, V> watch(
      WatchedKind<T, V> kind, ObjectCache<V> cache, CacheListener<V> listener) {
    return new Informer<>(http, kind, cache, listener, reports::malformed, metrics);
  }

  private static CacheListener<NodeState> nodeListening(NodeFeed feed) {
    return new CallbackListener<>(
        now -> feed.node(now.value()), last -> feed.nodeGone(last.key()), feed::nodesListed);
  }

  private static CacheListener<NodeInventory> inventoryListening(NodeFeed feed) {
    return new CallbackListener<>(
        now -> feed.inventory(now.key(), now.value()),
        last -> feed.inventoryGone(last.key()),
        feed::inventoriesListed);
  }

  private static CacheListener<ContextFacts> contextListening(Requeuer requeuer) {
    return CallbackListener.any(
        context ->
            requeuer.contextChanged(
                new ObjectKey(context.value().pod().namespace(), context.value().pod().name())));
  }

  private static CacheListener<CachedParameters<GpuClaimParameters>> claimParametersListening(
      Requeuer requeuer, Consumer<ObjectKey> unjudged) {
    return CallbackListener.any(
        kept -> {
          ObjectKey key = KubeParameters.key(kept);
          requeuer.parametersChanged(
              new ParametersRef(
                  GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(key.namespace()), key.name()));
          enqueueIfStale(unjudged, kept);
        });
  }

  private CacheListener<CachedParameters<GpuClassParameters>> classParametersListening(
      Requeuer requeuer, Consumer<ObjectKey> unjudged) {
    return CallbackListener.any(
        kept -> {
          classesWith(kept.key()).forEach(requeuer::classChanged);
          enqueueIfStale(unjudged, kept);
        });
  }

  /** Also called for our own writes. */
  private static void enqueueIfStale(
      Consumer<ObjectKey> unjudged, Kept<? extends CachedParameters<?>> parameters) {
    if (!parameters.value().hasCurrentStatus()) {
      unjudged.accept(KubeParameters.key(parameters));
    }
  }

  private CacheListener<ImmutableMap<String, String>> namespaceListening(Requeuer requeuer) {
    return CallbackListener.any(
        namespace ->
            parameters.ofClasses().all().stream()
                .filter(one -> one.value().object().specOrDefault().namespaceSelector() != null)
                .flatMap(one -> classesWith(one.key()).stream())
                .forEach(name -> requeuer.namespaceChanged(name, namespace.key())));
  }

  private ImmutableList<String> classesWith(String parameters) {
    return classes.ofParameters(
        new ParametersRef(GpuApi.GROUP, GpuClassParameters.KIND, Optional.empty(), parameters));
  }
}
