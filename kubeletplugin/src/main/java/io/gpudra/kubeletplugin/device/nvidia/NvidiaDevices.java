package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.Sharing.Interval;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Link;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.Devices;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The GPUs that the driver of this node knows. */
public final class NvidiaDevices implements Devices {

  private static final Logger log = LoggerFactory.getLogger(NvidiaDevices.class);

  /** Numbers of nvidia.md 1.4. */
  private static final int ANY_PROCESS = 0;

  private static final int ONE_PROCESS = 3;

  /** The first that cuts GPUs. */
  private static final int OLDEST_DRIVER = 450;

  private final DriverRoot root;
  private final PciTree pci;
  private final ComputePolicy policy;
  private final DeviceNodes nodes;
  private final ContainerEdits files;
  private final MpsServers mps;
  private final Health health;
  private final GpuEvents events;
  private volatile Runnable changed = () -> {};

  // Written under this; what is found is read by everybody.
  private Nvml driver;
  private volatile Found found;
  private int changes;

  private NvidiaDevices(Nvml driver, DriverRoot root, Path kernel, MpsServers mps, Health health)
      throws IOException {
    this.driver = driver;
    this.root = root;
    this.pci = new PciTree(kernel.resolve("sys"));
    this.policy = new ComputePolicy(root);
    this.nodes = new DeviceNodes(root.dev(kernel), kernel.resolve("proc"));
    this.mps = mps;
    this.health = health;
    this.found = find();
    log.info("driver found version={} gpus={}", found.driverVersion(), found.gpus().keySet());
    this.files = new DriverFiles(root, found.driverVersion()).edits();
    this.events = new GpuEvents(root.library(), health, () -> changed.run());
  }

  /**
   * Starts a session with the driver and looks for GPUs.
   *
   * @param kernel where {@code sys}, {@code proc} and {@code dev} are
   * @throws IOException when the driver cannot be reached, or lacks something
   */
  public static NvidiaDevices open(DriverRoot root, Path kernel, MpsServers mps, Health health)
      throws IOException {
    try {
      Nvml driver = Nvml.open(root.library());
      try {
        requireKnown(driver.driverVersion());
        return new NvidiaDevices(driver, root, kernel, mps, health);
      } catch (IOException e) {
        driver.close();
        throw e;
      }
    } catch (NvmlException e) {
      throw new IOException(e.getMessage() + remedy(e.answer()), e);
    }
  }

  private static void requireKnown(String version) throws IOException {
    Integer major = Ints.tryParse(version.substring(0, (version + ".").indexOf('.')));
    if (major == null || major < OLDEST_DRIVER) {
      throw new IOException(
          "driver %s is too old; install %d or later".formatted(version, OLDEST_DRIVER));
    }
  }

  private static String remedy(NvmlReturn answer) {
    return switch (answer) {
      case DRIVER_NOT_LOADED -> "; load the kernel module of the driver (modprobe nvidia)";
      case LIB_RM_VERSION_MISMATCH ->
          "; the driver was replaced: restart the node, or load its kernel module anew";
      case NO_PERMISSION, OPERATING_SYSTEM ->
          "; the plugin must be privileged to reach the node's device files";
      default -> "";
    };
  }

  @Override
  public ImmutableList<Gpu> gpus() {
    return found.gpus().values().stream().map(this::withTaints).collect(toImmutableList());
  }

  private Gpu withTaints(FoundGpu found) {
    ImmutableList<DeviceTaint> taints = health.taints(found.gpu().uuid());
    return taints.isEmpty() ? found.gpu() : found.gpu().with(taints);
  }

  @Override
  public ImmutableList<Link> links() {
    return found.links();
  }

  @Override
  public String driverVersion() {
    return found.driverVersion();
  }

  @Override
  public String cudaDriverVersion() {
    return found.cudaDriverVersion();
  }

  /** A whole GPU is ready as soon as it is there. */
  @Override
  public void setUp(String uuid) throws IOException {
    var unused = gpu(uuid);
  }

  @Override
  public void tearDown(String uuid) {}

  /** The handles of all GPUs are found anew: the one that is switched has another. */
  @Override
  public void setMigMode(String uuid, MigMode mode) throws IOException {
    FoundGpu gpu = gpu(uuid);
    if (gpu.gpu().mig().mode() == mode) {
      return;
    }
    try {
      events.silently(
          () -> told(gpu, "MIG mode", () -> gpu.handle().mig().switchTo(mode == MigMode.ENABLED)));
    } finally {
      afterwards(this::rediscover);
    }
  }

  @Override
  public void makeGpuInstance(String uuid, Slice instance) throws IOException {
    change(gpu(uuid), instance, GpuInstances::make);
  }

  @Override
  public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    takeBack(uuid, instance, GpuInstances::destroy);
  }

  @Override
  public void makeComputeInstance(String uuid, Slice slice) throws IOException {
    change(gpu(uuid), slice, GpuInstances::makeCompute);
  }

  @Override
  public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    takeBack(uuid, slice, GpuInstances::destroyCompute);
  }

  /** Something done to how a GPU is cut. */
  private interface Cut {
    void run(GpuInstances instances, Slice slice) throws IOException;
  }

  private void takeBack(String uuid, Slice slice, Cut cut) throws IOException {
    Optional<FoundGpu> known = Optional.ofNullable(found.gpus().get(uuid));
    if (known.filter(gpu -> gpu.gpu().mig().mode() == MigMode.ENABLED).isPresent()) {
      change(known.get(), slice, cut);
    }
  }

  /** Whatever came of it, the GPU is as the driver says afterwards. */
  private void change(FoundGpu gpu, Slice slice, Cut cut) throws IOException {
    GpuInstances instances = new GpuInstances(gpu);
    try {
      told(
          gpu,
          "MIG %s at %d".formatted(slice.profile(), slice.start()),
          () -> cut.run(instances, slice));
    } finally {
      afterwards(() -> update(gpu.with(instances.state())));
    }
  }

  /**
   * Not known is no other failure than the one that may have come before: the next look mends it.
   */
  private static void afterwards(Change look) {
    try {
      look.run();
    } catch (IOException e) {
      log.warn("GPUs are not known after a change reason=\"{}\"", e.getMessage());
    }
  }

  private synchronized void update(FoundGpu changed) {
    found = found.with(changed);
    changes++;
  }

  private synchronized void rediscover() throws IOException {
    found = find().after(found);
    changes++;
  }

  private Found find() throws IOException {
    return new Discovery(driver, pci, root.hasServers()).find();
  }

  /** Listens to the GPUs from now on. */
  @Override
  public void onChange(Runnable action) {
    changed = action;
    events.start();
  }

  /** What is done to a GPU meanwhile counts, not what was seen before it. */
  @Override
  public void look() {
    tellingChanges(this::compare);
  }

  private void compare() {
    try {
      int seen = changes();
      Found now = findAgain();
      replace(seen, now);
      judge(now);
    } catch (IOException e) {
      found.gpus().keySet().forEach(uuid -> health.lost(uuid, String.valueOf(e.getMessage())));
    }
  }

  @Override
  public void usedByOthers(Optional<String> how) {
    tellingChanges(() -> found.gpus().keySet().forEach(uuid -> health.usedByOthers(uuid, how)));
  }

  private void tellingChanges(Runnable work) {
    ImmutableList<Gpu> before = gpus();
    work.run();
    if (!before.equals(gpus())) {
      changed.run();
    }
  }

  private synchronized int changes() {
    return changes;
  }

  private synchronized void replace(int seen, Found now) {
    if (changes == seen) {
      found = now.after(found);
    }
  }

  private void judge(Found now) {
    for (String uuid : found.gpus().keySet()) {
      boolean unused =
          now.gpus().containsKey(uuid)
              ? health.answers(uuid)
              : health.lost(uuid, "GPU does not answer");
    }
  }

  /** A driver that was loaded anew knows nothing of our session. */
  private synchronized Found findAgain() throws IOException {
    try {
      return find();
    } catch (NvmlException e) {
      driver.close();
      driver = Nvml.open(root.library());
      return find();
    }
  }

  @Override
  public ContainerEdits driverEdits() throws IOException {
    return files.plus(ContainerEdits.deviceNodes(nodes.control()));
  }

  @Override
  public ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException {
    FoundGpu gpu = gpu(uuid);
    int minor = gpu.gpu().minor();
    ImmutableList.Builder<DeviceNode> needed = ImmutableList.builder();
    needed.add(nodes.gpu(minor));
    if (slice.isPresent()) {
      GpuInstances.Numbers numbers = new GpuInstances(gpu).numbers(slice.get());
      needed.addAll(nodes.capabilities(minor, numbers.gpuInstance(), numbers.computeInstance()));
    }
    return ContainerEdits.deviceNodes(needed.build());
  }

  @Override
  public void setTimeSlice(String uuid, Interval interval) throws IOException {
    FoundGpu gpu = gpu(uuid);
    told(gpu, "length of turns", () -> policy.set(gpu, interval));
  }

  @Override
  public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    FoundGpu gpu = gpu(uuid);
    int number = mode == ComputeMode.DEFAULT ? ANY_PROCESS : ONE_PROCESS;
    told(gpu, "compute mode", () -> gpu.handle().setComputeMode(number));
  }

  private interface Change {
    void run() throws IOException;
  }

  /** Says of which GPU the driver's words are. */
  private static void told(FoundGpu gpu, String what, Change change) throws IOException {
    try {
      change.run();
    } catch (IOException e) {
      throw new IOException(
          "%s of %s (%s): %s".formatted(what, gpu.gpu().name(), gpu.gpu().uuid(), e.getMessage()),
          e);
    }
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
  public MpsPaths mpsPaths(String name) {
    return mps.paths(name);
  }

  /** Nothing of a GPU outlives a boot but the MIG mode of some, which nobody need take back. */
  @Override
  public void reset() throws IOException {
    mps.stopAll();
  }

  private FoundGpu gpu(String uuid) throws IOException {
    FoundGpu known = found.gpus().get(uuid);
    if (known == null) {
      throw new IOException("no GPU " + uuid + " on this node");
    }
    return known;
  }

  /** Ends the sessions. */
  @Override
  public synchronized void close() {
    events.close();
    driver.close();
  }
}
