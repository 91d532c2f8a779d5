package io.gpudra.kubeletplugin.app;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.kubeletplugin.cdi.CdiDirectory;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.checkpoint.CheckpointFile;
import io.gpudra.kubeletplugin.device.DeferredDevices;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.nvidia.RegisteredDevices;
import io.gpudra.kubeletplugin.device.os.MountTable;
import io.gpudra.kubeletplugin.kube.ClaimReader;
import io.gpudra.kubeletplugin.kube.InventoryPublisher;
import io.gpudra.kubeletplugin.kube.InventoryWriter;
import io.gpudra.kubeletplugin.kube.KubeApi;
import io.gpudra.kubeletplugin.kube.LiveClaims;
import io.gpudra.kubeletplugin.kube.NodeReader;
import io.gpudra.kubeletplugin.kube.PublishInterval;
import io.gpudra.kubeletplugin.kube.ReadyCondition;
import io.gpudra.kubeletplugin.prepare.BootRestore;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.LiveGrants;
import io.gpudra.kubeletplugin.prepare.StartupRecovery;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import io.gpudra.kubeletplugin.rpc.ClaimCalls;
import io.gpudra.kubeletplugin.rpc.KubeletRegistration;
import io.gpudra.kubeletplugin.rpc.PluginSockets;
import io.gpudra.kubeletplugin.rpc.SocketPaths;
import io.gpudra.process.HttpPort;
import io.gpudra.process.MetricNames;
import io.gpudra.process.MetricNames.Rule;
import io.gpudra.process.MetricsPage;
import io.gpudra.process.PageContent;
import io.gpudra.process.SharedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the parts, starts them in order and stops them in reverse. */
final class PluginProcess implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PluginProcess.class);
  private static final Duration QUIET = Duration.ofMillis(200);
  private static final Duration MAX_RETRY = Duration.ofSeconds(30);
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(10);
  private static final Duration PROBE = Duration.ofSeconds(2);

  private static final MetricNames NAMES =
      new MetricNames(
          ImmutableList.of(
              Rule.of("gpudra.plugin.prepare.outcome.*", "gpudra_plugin_prepare", "outcome"),
              Rule.of("gpudra.plugin.unprepare.outcome.*", "gpudra_plugin_unprepare", "outcome"),
              Rule.of("gpudra.plugin.prepare.duration", "gpudra_plugin_prepare_seconds", ""),
              Rule.of("gpudra.plugin.unprepare.duration", "gpudra_plugin_unprepare_seconds", ""),
              Rule.of("gpudra.plugin.publish.outcome.*", "gpudra_plugin_publish", "outcome")));

  /** The limit of {@link #close}; parts that are not included stop without waiting. */
  static final Duration MAX_STOP = PluginSockets.MAX_STOP.plus(InventoryPublisher.MAX_STOP);

  private final PluginOptions options;
  private final String version;
  private final MetricRegistry metrics = new MetricRegistry();
  private final Clock clock = Clock.systemUTC();
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final HttpPort probes;
  private final HttpPort scrapes;

  private PluginProcess(PluginOptions options, String version) throws IOException {
    this.options = options;
    this.version = version;
    this.probes = keep(options.ports.openProbes());
    this.scrapes = keep(options.ports.openMetrics());
  }

  /**
   * Starts all parts before it returns.
   *
   * @param onOtherDriver called when the process must end because another driver serves the node
   * @throws IOException naming the obstacle; then nothing is left running
   */
  static PluginProcess start(PluginOptions options, String version, Consumer<String> onOtherDriver)
      throws IOException {
    PluginProcess process = new PluginProcess(options, version);
    try {
      process.start(onOtherDriver);
      return process;
    } catch (IOException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  private void start(Consumer<String> onOtherDriver) throws IOException {
    DeviceFinder.warmUp(options);
    SocketPaths paths = SocketPaths.below(options.kubeletDir, options.driverName);
    KubeApi api = KubeApi.open(Optional.ofNullable(options.kubeconfig));
    InventoryWriter writer = new InventoryWriter(api, options.nodeName, options.driverName, clock);
    refuseBesideOtherDriver(writer);

    lockSockets(paths);
    StateDirectory state = keep(StateDirectory.open(options.stateDirOrDefault()));
    DeviceFinder deviceFinder = new DeviceFinder(options, state.files());
    DeferredDevices devices = keep(deviceFinder.open());
    ClaimReader claims = new ClaimReader(api, options.driverName);
    NodeReader node = new NodeReader(api, options.nodeName);
    ContainerRuntimeProbe runtime = containerRuntimeProbe(node);
    ClaimPreparer preparer = recover(state, devices, claims, runtime);

    DevicePluginProbe devicePlugin = devicePluginProbe(node, devices);
    InventoryPublisher publisher = publisher(writer, devices, preparer, devicePlugin);
    publisher.start(onOtherDriver);
    PluginSockets sockets = sockets(paths, preparer, publisher);
    KubeletReconnect kubeletReconnect =
        new KubeletReconnect(preparer, node, new BootRestore(preparer, claims), sockets);
    kubeletReconnect.openIfNothingIsRemembered();
    CdiMount mount = CdiMount.at(MountTable.OWN, options.cdiRoot);
    WritableDirectories directories =
        new WritableDirectories(state, mount, options.driverName, preparer, publisher::found);
    LiveClaims live = new LiveClaims(claims, preparer, clock);
    PeriodicTasks chores = startChores(sockets, preparer, kubeletReconnect, live, directories);
    chores.repeat(
        "find GPUs",
        PROBE_INTERVAL,
        () -> findGpus(deviceFinder, devices, publisher, preparer, kubeletReconnect));
    watch(devices, preparer, devicePlugin, chores);
    chores.repeat(
        "probe the container runtime",
        ContainerRuntimeProbe.PAUSE,
        () -> probe(runtime, publisher));
    serveHttp(sockets, mount, publisher);
    announce(devices, preparer);
  }

  private PluginSockets sockets(
      SocketPaths paths, ClaimPreparer preparer, InventoryPublisher publisher) {
    return keep(
        PluginSockets.unopened(
            paths,
            new ClaimCalls(preparer, metrics),
            registration -> publisher.become(readiness(registration))));
  }

  /** Work that needs the GPUs is done as soon as they have come. */
  private static void findGpus(
      DeviceFinder deviceFinder,
      DeferredDevices devices,
      InventoryPublisher publisher,
      ClaimPreparer preparer,
      KubeletReconnect kubeletReconnect)
      throws IOException {
    if (deviceFinder.comes(devices)) {
      preparer.sweep();
      kubeletReconnect.again();
    }
    publisher.reaches(devices.unreachable(), devices.unlisted());
  }

  private static void probe(ContainerRuntimeProbe runtime, InventoryPublisher publisher) {
    runtime.probe();
    publisher.read(runtime.problem());
  }

  private void watch(
      GpuDevices devices,
      ClaimPreparer preparer,
      DevicePluginProbe devicePlugin,
      PeriodicTasks chores) {
    chores.repeat("poll GPUs", PROBE_INTERVAL, () -> devices.poll(preparer.heldGpus()));
    chores.repeat("revive MPS servers", Duration.ofSeconds(1), devices::reviveMps);
    chores.repeat("probe the device plugin", DevicePluginProbe.PAUSE, devicePlugin::probe);
  }

  private DevicePluginProbe devicePluginProbe(NodeReader node, GpuDevices devices) {
    // No device plugin hands out fake GPUs.
    boolean fake = options.devices == PluginOptions.Kind.FAKE;
    RegisteredDevices registered = RegisteredDevices.below(options.nodeRoot, options.kubeletDir);
    return new DevicePluginProbe(
        () -> fake ? Optional.of(ImmutableSet.of()) : registered.resourcesOf(devices.gpus()),
        resources -> fake ? Optional.of(0) : node.ofDevicePlugin(resources),
        devices::usedByOthers,
        System::nanoTime);
  }

  private ContainerRuntimeProbe containerRuntimeProbe(NodeReader node) {
    ContainerRuntimeProbe runtime =
        new ContainerRuntimeProbe(
            ContainerdConfig.below(options.nodeRoot), node::containerRuntime, System::nanoTime);
    runtime.probe();
    return runtime;
  }

  private void announce(GpuDevices devices, ClaimPreparer preparer) {
    log.info(
        "plugin serves node={} driver={} gpus={} held={} probePort={} metricsPort={} version={}",
        options.nodeName,
        options.driverName,
        devices.gpus().size(),
        preparer.held().size(),
        probes.port(),
        scrapes.port(),
        version);
  }

  private InventoryPublisher publisher(
      InventoryWriter writer,
      GpuDevices devices,
      ClaimPreparer preparer,
      DevicePluginProbe devicePlugin)
      throws IOException {
    InventoryPublisher publisher =
        new InventoryPublisher(
            writer,
            publishedBy(),
            // The controller allocates a GPU in the same second in which it reads of it.
            () ->
                devicePlugin.isAnswered()
                    ? Optional.of(
                        DevicePrinter.inventory(
                            options, devices, preparer.gpus(), preparer.listed()))
                    : Optional.empty(),
            pace(),
            clock,
            metrics);
    preparer.onChange(publisher::changed);
    devices.onChange(publisher::changed);
    publisher.reaches(devices.unreachable(), devices.unlisted());
    return keep(publisher);
  }

  /** Independent of --state-dir: two processes would replace each other's sockets forever. */
  private void lockSockets(SocketPaths paths) throws IOException {
    Path directory = paths.dra().resolveSibling("");
    StateDirectory.requireWritable(directory);
    keep(
        DirectoryLock.acquire(
            paths.dra().resolveSibling("sockets.lock"),
            "another plugin process serves driver \"%s\" on this node, with sockets in %s"
                .formatted(paths.driverName(), directory)));
  }

  private static void refuseBesideOtherDriver(InventoryWriter writer) throws IOException {
    InventoryWriter.Result check = writer.check();
    switch (check.next()) {
      case OTHER_DRIVER -> throw new IOException(check.problem());
      // Prepared claims must be served without an API server, too; the publisher checks again.
      case RETRY -> log.warn("API server not reached yet reason=\"{}\"", check.problem());
      case DONE -> log.debug("no other driver publishes this node");
    }
  }

  private ClaimPreparer recover(
      StateDirectory state, GpuDevices devices, LiveGrants grants, ContainerRuntimeProbe runtime)
      throws IOException {
    StateDirectory.requireWritable(options.cdiRoot);
    StartupRecovery recovery =
        StartupRecovery.start(
            new LocalNode(
                options.nodeName,
                options.bootId(),
                devices,
                CdiDirectory.open(options.cdiRoot, new CdiNames(options.driverName)),
                new CheckpointFile(state.files().checkpoint()),
                options.pods(),
                runtime::problem),
            grants,
            WaitTimeout.KUBELET);
    recovery
        .unrepaired()
        .forEach(
            (uid, problem) ->
                log.error("cannot repair claim uid={} reason=\"{}\"", uid, problem.text()));
    ClaimPreparer preparer = recovery.preparer();
    gauge("claims.held", () -> preparer.held().size());
    gauge(
        "claims.orphaned",
        () -> preparer.held().stream().filter(c -> c.orphanedSince().isPresent()).count());
    gauge("gpus", () -> devices.gpus().size());
    return preparer;
  }

  private void gauge(String name, Supplier<Number> value) {
    metrics.registerGauge("gpudra.plugin." + name, (Gauge<Number>) value::get);
  }

  private InventoryCodec.Publisher publishedBy() throws IOException {
    return new InventoryCodec.Publisher(
        options.driverName, version, options.bootId(), (int) options.heartbeat.toSeconds());
  }

  private PublishInterval pace() {
    return new PublishInterval(
        QUIET, options.heartbeat, MAX_RETRY, () -> ThreadLocalRandom.current().nextDouble());
  }

  private static ReadyCondition readiness(KubeletRegistration registration) {
    return switch (registration.state()) {
      case AWAITED -> ReadyCondition.STARTING;
      case REGISTERED -> ReadyCondition.SERVING;
      case REFUSED -> ReadyCondition.refused(registration.error());
    };
  }

  private PeriodicTasks startChores(
      PluginSockets sockets,
      ClaimPreparer preparer,
      KubeletReconnect kubeletReconnect,
      LiveClaims live,
      WritableDirectories directories) {
    PeriodicTasks chores = keep(new PeriodicTasks());
    chores.repeat("rejoin", Duration.ofSeconds(1), kubeletReconnect::openWhenDone);
    chores.repeat("restore sockets", Duration.ofSeconds(1), sockets::restoreLost);
    chores.repeat("undo leftovers", Duration.ofSeconds(10), preparer::sweep);
    chores.repeat("probe directories", Duration.ofSeconds(10), directories::probe);
    chores.repeat("put back", Duration.ofMinutes(1), kubeletReconnect::again);
    chores.repeat("find orphans", Duration.ofMinutes(10), live::checkOnce);
    chores.repeat("reclaim", Duration.ofMinutes(1), preparer.lostClaimReclaimer(clock)::attempt);
    return chores;
  }

  private void serveHttp(PluginSockets sockets, CdiMount mount, InventoryPublisher publisher) {
    LivenessCheck liveness = new LivenessCheck(mount::problem, () -> sockets.answer(PROBE));
    probes
        .add("/healthz", query -> liveness.content())
        .add("/readyz", query -> ready(publisher.readiness()));
    MetricsPage page = new MetricsPage(metrics, NAMES);
    scrapes.add("/metrics", new SharedPage(() -> page.answer(ImmutableMap.of()), System::nanoTime));
  }

  private static PageContent ready(ReadyCondition readyCondition) {
    return PageContent.health(
        readyCondition.ready() ? ImmutableList.of() : ImmutableList.of(readyCondition.message()));
  }

  /** The port for probes. */
  int probePort() {
    return probes.port();
  }

  /** The port for metrics. */
  int metricsPort() {
    return scrapes.port();
  }

  private <T extends AutoCloseable> T keep(T part) {
    started.push(part);
    return part;
  }

  /** Stops in the reverse order of the start; a second call does nothing. */
  @Override
  public synchronized void close() {
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.warn("failed to stop part={}", part.getClass().getSimpleName(), e);
      }
    }
  }
}
