package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.nvidia.GpuHealth.Condition;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The GPUs of this node's driver. */
public final class NvidiaDevices implements GpuDevices {

  private static final Logger log = LoggerFactory.getLogger(NvidiaDevices.class);

  /** The note that sessions of this process have the GPUs open. */
  private static final String ALONE = ", while this plugin's pod is not on the node";

  /** The part of the name of each profile of MIG devices with graphics. */
  private static final String GRAPHICS = "gfx";

  private final NvmlSession session;
  private final ComputePolicy policy;
  private final DeviceNodes nodes;
  private final MpsServers mps;
  private final GpuHealth health;
  private final GpuEvents events;
  private final HealthMonitor healthMonitor;
  private volatile Optional<KnownGpus> known = Optional.empty();
  private volatile Runnable changed = () -> {};

  private NvidiaDevices(NvmlSession session, Path kernel, MpsServers mps, GpuHealth health) {
    Path proc = kernel.resolve("proc");
    this.session = session;
    this.policy = new ComputePolicy(session::root);
    Path dev = session.root().dev(kernel);
    this.nodes =
        new DeviceNodes(
            dev,
            proc,
            new UnifiedMemory(session::root, dev),
            new CharLinks(kernel.resolve("dev"), session.root().node().path()),
            new PciTree(kernel.resolve("sys")));
    this.mps = mps;
    this.health = health;
    this.events =
        new GpuEvents(() -> session.root().library(), session::origin, health, () -> changed.run());
    this.healthMonitor =
        new HealthMonitor(session, events, health, proc, ProcessHandle.current().pid());
  }

  /**
   * Starts a session with the driver and discovers the GPUs.
   *
   * @param kernel the directory with {@code sys}, {@code proc} and {@code dev}
   * @throws IOException when the driver cannot be reached, or lacks something
   */
  public static NvidiaDevices open(DriverRoot root, Path kernel, MpsServers mps, GpuHealth health)
      throws IOException {
    NvmlSession session = new NvmlSession(root, new PciTree(kernel.resolve("sys")));
    return new NvidiaDevices(session, kernel, mps, health);
  }

  /** Reads the GPUs of an earlier process and saves its own for the next one. */
  public NvidiaDevices keptIn(Path file) {
    known = Optional.of(new KnownGpus(file));
    return this;
  }

  @Override
  public void hold(Set<String> uuids) {
    DiscoveredGpus discoveredGpus = session.found();
    known.ifPresent(gpus -> gpus.hold(uuids));
    all(discoveredGpus).stream()
        .map(Gpu::uuid)
        .filter(uuid -> !discoveredGpus.gpus().containsKey(uuid))
        .forEach(uuid -> health.record(uuid, Condition.LOST, HealthMonitor.NO_ANSWER));
    known.ifPresent(gpus -> gpus.save(discoveredGpus));
  }

  private ImmutableList<Gpu> all(DiscoveredGpus discoveredGpus) {
    return known.map(gpus -> gpus.all(discoveredGpus)).orElseGet(discoveredGpus::listed);
  }

  @Override
  public ImmutableList<Gpu> gpus() {
    return all(session.found()).stream().map(health::tainted).collect(toImmutableList());
  }

  @Override
  public ImmutableSet<String> unlisted() {
    return session.unlisted();
  }

  @Override
  public ImmutableList<GpuLink> links() {
    return session.found().links();
  }

  @Override
  public String driverVersion() {
    return session.found().driverVersion();
  }

  @Override
  public String cudaDriverVersion() {
    return session.found().cudaDriverVersion();
  }

  /** A whole GPU is ready as soon as it exists and answers. */
  @Override
  public void setUp(String uuid) throws IOException {
    DiscoveredGpu gpu = gpu(uuid);
    withGpuContext(gpu, "state", () -> gpu.handle().memoryBytes());
  }

  @Override
  public void tearDown(String uuid) {}

  /**
   * The handles of all GPUs are discovered anew, since that of the switched GPU changes. An open
   * session may itself be what uses the GPU (nvidia.md 1.1). If a switch needs a reset, the driver
   * remembers it, and performs it at the next reset.
   */
  @Override
  public void setMigMode(String uuid, MigMode mode) throws IOException {
    DiscoveredGpu gpu = gpu(uuid);
    MigState mig = gpu.gpu().mig();
    if (mig.mode() == mode) {
      return;
    }
    if (mig.mode() != MigMode.UNSUPPORTED && !mig.switchable()) {
      withGpuContext(gpu, "MIG mode", () -> refuseReset(gpu));
    }
    events.silently(() -> withGpuContext(gpu(uuid), "MIG mode", () -> switchMode(uuid, mode)));
  }

  private static void refuseReset(DiscoveredGpu gpu) throws IOException {
    boolean pending =
        gpu.handle().mig().mode().filter(mode -> mode.pending() != mode.enabled()).isPresent();
    throw new IOException(
        pending
            ? "another one waits for a reset: nvidia-smi --gpu-reset -i %s%s"
                .formatted(gpu.gpu().uuid(), ALONE)
            : "it takes a reset, which is an administrator's: nvidia-smi -mig, then --gpu-reset"
                + ALONE);
  }

  private void switchMode(String uuid, MigMode mode) throws IOException {
    boolean enabled = mode == MigMode.ENABLED;
    try {
      gpu(uuid).handle().mig().switchTo(enabled);
    } catch (NvmlException e) {
      if (e.answer() != NvmlReturn.IN_USE) {
        throw e;
      }
      var unused = session.beginAnew();
      gpu(uuid).handle().mig().switchTo(enabled);
    } finally {
      afterwards(session::rediscover);
    }
  }

  @Override
  public void makeGpuInstance(String uuid, Slice instance) throws IOException {
    change(gpu(uuid), instance, GpuInstances::make);
  }

  @Override
  public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    destroySlice(uuid, instance, GpuInstances::destroy);
  }

  @Override
  public void makeComputeInstance(String uuid, Slice slice) throws IOException {
    change(gpu(uuid), slice, GpuInstances::makeCompute);
  }

  @Override
  public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    destroySlice(uuid, slice, GpuInstances::destroyCompute);
  }

  @Override
  public void inspect(String uuid, Slice instance) throws IOException {
    Optional<DiscoveredGpu> cut = cut(uuid);
    if (cut.isPresent()) {
      withGpuContext(cut.get(), "MIG devices", () -> session.refresh(uuid, instance));
    }
  }

  private Optional<DiscoveredGpu> cut(String uuid) {
    return Optional.ofNullable(session.found().gpus().get(uuid))
        .filter(gpu -> gpu.gpu().mig().mode() == MigMode.ENABLED);
  }

  /** A change to the instances of a GPU. */
  private interface Cut {
    void run(GpuInstances instances, Slice slice) throws IOException;
  }

  private void destroySlice(String uuid, Slice slice, Cut cut) throws IOException {
    Optional<DiscoveredGpu> gpu = cut(uuid);
    if (gpu.isPresent()) {
      change(gpu.get(), slice, cut);
    }
  }

  /** Reads the state of the GPU from the driver after a success or a failure. */
  private void change(DiscoveredGpu gpu, Slice slice, Cut cut) throws IOException {
    GpuInstances instances = new GpuInstances(gpu);
    try {
      withGpuContext(
          gpu,
          "MIG %s at %d".formatted(slice.profile(), slice.start()),
          () -> cut.run(instances, slice));
    } finally {
      afterwards(() -> session.refresh(gpu.gpu().uuid(), slice));
    }
  }

  /** A failed read does not replace an earlier failure: the next poll repairs it. */
  private static void afterwards(Change look) {
    try {
      look.run();
    } catch (IOException e) {
      log.warn("cannot read GPUs after a change reason=\"{}\"", e.getMessage());
    }
  }

  /** Listens to the events of the GPUs from now on. */
  @Override
  public void onChange(Runnable action) {
    changed = action;
    events.start();
  }

  @Override
  public void poll(Set<String> held) {
    known.ifPresent(gpus -> gpus.release(held));
    notifying(() -> healthMonitor.poll(held));
    known.ifPresent(gpus -> gpus.save(session.found()));
  }

  @Override
  public void usedByOthers(Optional<String> how) {
    notifying(() -> healthMonitor.usedByOthers(how));
  }

  @Override
  public boolean idle(String uuid) {
    return healthMonitor.idle(uuid);
  }

  private void notifying(Runnable look) {
    ImmutableList<Gpu> before = gpus();
    look.run();
    if (!before.equals(gpus())) {
      changed.run();
    }
  }

  @Override
  public ContainerEdits driverEdits() throws IOException {
    return session.files().plus(ContainerEdits.deviceNodes(nodes.control()));
  }

  @Override
  public ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException {
    DiscoveredGpu gpu = gpu(uuid);
    int minor = gpu.gpu().minor();
    ImmutableList.Builder<DeviceNode> needed = ImmutableList.builder();
    needed.add(nodes.gpu(minor));
    if (slice.map(part -> part.profile().contains(GRAPHICS)).orElse(true)) {
      needed.addAll(nodes.graphics(gpu.gpu().pcieBusId()));
    }
    if (slice.isPresent()) {
      needed.addAll(capabilities(gpu, slice.get()));
    }
    return ContainerEdits.deviceNodes(needed.build());
  }

  private ImmutableList<DeviceNode> capabilities(DiscoveredGpu gpu, Slice slice)
      throws IOException {
    ImmutableList.Builder<DeviceNode> needed = ImmutableList.builder();
    withGpuContext(
        gpu,
        "MIG device",
        () -> {
          GpuInstances.Numbers numbers = new GpuInstances(gpu).numbers(slice);
          needed.addAll(
              nodes.capabilities(
                  gpu.gpu().minor(), numbers.gpuInstance(), numbers.computeInstance()));
        });
    return needed.build();
  }

  @Override
  public void setTimeSlice(String uuid, Interval interval) throws IOException {
    DiscoveredGpu gpu = gpu(uuid);
    withGpuContext(gpu, "length of turns", () -> policy.set(gpu, interval));
  }

  @Override
  public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    DiscoveredGpu gpu = gpu(uuid);
    withGpuContext(gpu, "compute mode", () -> policy.set(gpu, mode));
  }

  private interface Change {
    void run() throws IOException;
  }

  /** Adds the GPU to the driver's error, and records its loss if the error reports one. */
  private void withGpuContext(DiscoveredGpu gpu, String what, Change change) throws IOException {
    try {
      change.run();
    } catch (NvmlException e) {
      if (e.answer() == NvmlReturn.GPU_IS_LOST) {
        notifying(() -> health.record(gpu.gpu().uuid(), Condition.LOST, HealthMonitor.NO_ANSWER));
      }
      throw inGpuContext(gpu, what, e.getMessage() + NvmlSession.remedy(e.answer()), e);
    } catch (IOException e) {
      throw inGpuContext(gpu, what, String.valueOf(e.getMessage()), e);
    }
  }

  private static IOException inGpuContext(
      DiscoveredGpu gpu, String what, String words, IOException e) {
    return new IOException(
        "%s of %s (%s): %s".formatted(what, gpu.gpu().name(), gpu.gpu().uuid(), words), e);
  }

  @Override
  public void startMps(MpsServer server) throws IOException {
    mps.start(server);
  }

  @Override
  public void stopMps(String name) throws IOException {
    mps.stop(name);
  }

  @Override
  public void reviveMps() {
    mps.revive();
  }

  @Override
  public Optional<String> mpsQueue(String name) {
    return mps.queue(name);
  }

  @Override
  public MpsPaths mpsPaths(String name) {
    return mps.paths(name);
  }

  /** Only the MIG mode of some GPUs outlives a boot, and it need not be reset. */
  @Override
  public void reset() throws IOException {
    mps.stopAll();
  }

  private DiscoveredGpu gpu(String uuid) throws IOException {
    DiscoveredGpu found = session.found().gpus().get(uuid);
    if (found == null) {
      String why = find(uuid).map(lost -> lost.name() + " is lost: ").orElse("");
      throw new IOException("%sno GPU %s on this node".formatted(why, uuid));
    }
    return found;
  }

  /** Ends the sessions. */
  @Override
  public void close() {
    events.close();
    session.close();
  }
}
