package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlEvents.Event;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session with the driver, and the GPUs that the driver reported. A new one begins when the
 * driver was restarted, perhaps with another version.
 */
final class NvmlSession implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(NvmlSession.class);

  /** The first version that divides GPUs. */
  private static final int OLDEST_DRIVER = 450;

  /** Answers of a handle after a reset, a switch of the MIG mode or an unplug. */
  private static final ImmutableSet<NvmlReturn> DEAD =
      ImmutableSet.of(NvmlReturn.INVALID_ARGUMENT, NvmlReturn.NOT_FOUND, NvmlReturn.GPU_IS_LOST);

  /**
   * The number of polls before a new session begins for a GPU that the last session did not find
   * either: for a moment no other GPU can be prepared.
   */
  private static final int POLLS_BEFORE_RESTART = 30;

  private final PciTree pci;

  // Written under this; the volatile fields are read by any thread.
  private volatile DriverRoot root;
  private Nvml driver;
  private volatile DiscoveredGpus discoveredGpus;
  private volatile ContainerEdits files;
  private volatile ImmutableSet<String> unlisted = ImmutableSet.of();

  // Guarded by this: GPUs that the last session did not find, PCI addresses of all that the kernel
  // had then, and the polls since.
  private ImmutableSet<String> absent = ImmutableSet.of();
  private ImmutableSet<String> plugged;
  private int passed;

  // Guarded by this: GPUs whose handle died, and those that a later session found again.
  private final Map<String, SwitchFailure> dead = new HashMap<>();
  private final Set<String> reset = new HashSet<>();

  /**
   * Begins the session and discovers the GPUs.
   *
   * @throws IOException when the driver cannot be reached, or lacks something
   */
  NvmlSession(DriverRoot root, PciTree pci) throws IOException {
    this.pci = pci;
    this.root = root;
    this.driver = begin(root);
    this.plugged = pci.gpus();
    try {
      this.discoveredGpus = find();
      log.info(
          "driver found version={} gpus={}",
          discoveredGpus.driverVersion(),
          discoveredGpus.gpus().keySet());
      this.files = findFiles();
      this.unlisted = findUnlisted();
    } catch (IOException e) {
      driver.close();
      throw e;
    }
  }

  private static Nvml begin(DriverRoot root) throws IOException {
    try {
      Nvml driver = Nvml.open(root.library());
      requireKnown(driver);
      return driver;
    } catch (NvmlException e) {
      throw new IOException(e.getMessage() + remedy(e.answer()) + root.aside(), e);
    }
  }

  private static void requireKnown(Nvml driver) throws IOException {
    String version = driver.driverVersion();
    Integer major = Ints.tryParse(version.substring(0, (version + ".").indexOf('.')));
    if (major == null || major < OLDEST_DRIVER) {
      driver.close();
      throw new IOException(
          "driver %s is too old; install %d or later".formatted(version, OLDEST_DRIVER));
    }
  }

  /** The remedy for an answer, after a semicolon; empty when none is known. */
  static String remedy(NvmlReturn answer) {
    return switch (answer) {
      case DRIVER_NOT_LOADED ->
          "; load the kernel module of the driver (modprobe nvidia); a plugin that is not privileged"
              + " sees it with NVIDIA's runtime alone (chart: kubeletPlugin.runtimeClassName)";
      case LIB_RM_VERSION_MISMATCH ->
          "; the driver was replaced: restart the node, or load its kernel module anew";
      case NO_PERMISSION, OPERATING_SYSTEM ->
          "; the plugin must be privileged, or, where all claims are for whole GPUs, its pod have"
              + " NVIDIA's runtime (chart: kubeletPlugin.privileged, kubeletPlugin.runtimeClassName)";
      default -> "";
    };
  }

  private DiscoveredGpus find() throws IOException {
    try {
      return new GpuDiscovery(driver, pci, root.hasServers()).find();
    } catch (NvmlException e) {
      throw new IOException(e.getMessage() + remedy(e.answer()), e);
    }
  }

  private ContainerEdits findFiles() throws IOException {
    return DriverFiles.of(root, discoveredGpus.driverVersion()).edits();
  }

  DiscoveredGpus found() {
    return discoveredGpus;
  }

  /** PCI addresses of GPUs that the driver does not list. */
  ImmutableSet<String> unlisted() {
    return unlisted;
  }

  DriverRoot root() {
    return root;
  }

  /** The files of the driver that every container needs. */
  ContainerEdits files() {
    return files;
  }

  /** Reads the MIG devices of a GPU. */
  synchronized void refresh(DiscoveredGpu gpu) throws NvmlException {
    discoveredGpus = discoveredGpus.with(gpu.with(new GpuInstances(gpu).state()));
  }

  /** Reads the MIG devices of a GPU after a change to one slice. */
  synchronized void refresh(String uuid, Slice slice) throws IOException {
    DiscoveredGpu gpu = discoveredGpus.gpus().get(uuid);
    if (gpu != null) {
      discoveredGpus = discoveredGpus.with(gpu.with(new GpuInstances(gpu).stateAround(slice)));
    }
  }

  /** The place of an event on a GPU, by the current numbers of instances. */
  synchronized ErrorOrigin origin(String uuid, Event.Instance where) {
    ErrorOrigin unknown = new ErrorOrigin.GpuInstance(where.gpu());
    DiscoveredGpu gpu = discoveredGpus.gpus().get(uuid);
    if (gpu == null) {
      return unknown;
    }
    try {
      ImmutableMap<String, String> devices =
          new GpuInstances(gpu)
              .in(where).stream()
                  .collect(
                      toImmutableMap(
                          MigState.Device::uuid,
                          device -> device.slice().nameOn(gpu.gpu().name())));
      return devices.isEmpty() ? unknown : new ErrorOrigin.MigDevices(devices);
    } catch (NvmlException e) {
      log.warn("cannot read MIG devices gpu={} reason=\"{}\"", uuid, e.getMessage());
      return unknown;
    }
  }

  /** Discovers all handles anew; returns the GPUs that exist. */
  synchronized ImmutableSet<String> rediscover() throws IOException {
    DiscoveredGpus now = find();
    discoveredGpus = now.after(discoveredGpus);
    return now.gpus().keySet();
  }

  /** Begins a new session, between which other software may unload the driver; returns the GPUs. */
  synchronized ImmutableSet<String> beginAnew() throws IOException {
    driver.close();
    root = root.again();
    driver = begin(root);
    plugged = pci.gpus();
    ImmutableSet<String> there = rediscover();
    files = findFiles();
    there.forEach(this::isBack);
    absent = ImmutableSet.copyOf(Sets.difference(discoveredGpus.gpus().keySet(), there));
    absent.forEach(uuid -> dead.put(uuid, death(uuid, NvmlReturn.GPU_IS_LOST)));
    unlisted = findUnlisted();
    passed = 0;
    return there;
  }

  /** The driver may take a GPU later than its session began: at a boot, or from another driver. */
  private ImmutableSet<String> findUnlisted() {
    ImmutableSet<String> listed =
        discoveredGpus.gpus().values().stream()
            .map(gpu -> gpu.gpu().pcieBusId())
            .collect(toImmutableSet());
    ImmutableSet<String> without = ImmutableSet.copyOf(Sets.difference(plugged, listed));
    if (!without.isEmpty() && !without.equals(unlisted)) {
      log.warn("the driver does not list all GPUs that are on the bus pcieBusIds={}", without);
    }
    return without;
  }

  /** How a handle died, and the MIG mode of its GPU then. */
  private record SwitchFailure(NvmlReturn answer, MigMode mode) {

    /** Whether the GPU was reset. The switch of a mode without a reset kills handles, too. */
    boolean isEndedBy(MigState now) {
      boolean switched = now.switchable() && now.mode() != mode;
      return answer != NvmlReturn.INVALID_ARGUMENT || !switched;
    }
  }

  private SwitchFailure death(String uuid, NvmlReturn answer) {
    return new SwitchFailure(answer, gpu(uuid).mig().mode());
  }

  private void isBack(String uuid) {
    SwitchFailure switchFailure = dead.remove(uuid);
    if (switchFailure != null && switchFailure.isEndedBy(gpu(uuid).mig())) {
      reset.add(uuid);
    }
  }

  /** A discovered GPU. */
  Gpu gpu(String uuid) {
    return requireNonNull(discoveredGpus.gpus().get(uuid)).gpu();
  }

  /**
   * The result of a poll.
   *
   * @param answering GPUs that exist
   * @param lost GPUs that are gone and only come back with a reset
   * @param reset GPUs that were reset since the last poll that was not stale
   * @param stale whether a new session is needed to see the current GPUs
   */
  record Scan(
      ImmutableSet<String> answering,
      ImmutableSet<String> lost,
      ImmutableSet<String> reset,
      boolean stale) {}

  /** Polls each GPU for its MIG devices. */
  synchronized Scan scan() {
    ImmutableSet<String> answering =
        discoveredGpus.gpus().values().stream()
            .filter(this::answers)
            .map(gpu -> gpu.gpu().uuid())
            .collect(toImmutableSet());
    boolean stale = isStale(answering);
    return new Scan(answering, lost(answering), stale ? ImmutableSet.of() : resets(), stale);
  }

  private ImmutableSet<String> resets() {
    ImmutableSet<String> since = ImmutableSet.copyOf(reset);
    reset.clear();
    return since;
  }

  private ImmutableSet<String> lost(ImmutableSet<String> answering) {
    return dead.entrySet().stream()
        .filter(one -> one.getValue().answer() == NvmlReturn.GPU_IS_LOST)
        .map(Map.Entry::getKey)
        .filter(uuid -> !answering.contains(uuid))
        .collect(toImmutableSet());
  }

  /** The last call needs the GPU; the driver may have cached the other answers. */
  private boolean answers(DiscoveredGpu gpu) {
    NvmlReturn answer = answer(gpu);
    if (DEAD.contains(answer)) {
      String uuid = gpu.gpu().uuid();
      dead.putIfAbsent(uuid, death(uuid, answer));
    }
    return answer == NvmlReturn.SUCCESS;
  }

  /** A session continues when its library is replaced on the disk; containers then lack theirs. */
  private boolean hasFiles() {
    return root.has(files) || findsFilesAgain();
  }

  private boolean findsFilesAgain() {
    boolean there = true;
    try {
      files = findFiles();
    } catch (IOException e) {
      log.info("driver files are missing reason=\"{}\"", e.getMessage());
      there = false;
    }
    return there;
  }

  private NvmlReturn answer(DiscoveredGpu gpu) {
    try {
      boolean same = gpu.handle().uuid().equals(gpu.gpu().uuid());
      refresh(gpu);
      var unused = gpu.handle().memoryBytes();
      return same ? NvmlReturn.SUCCESS : NvmlReturn.NOT_FOUND;
    } catch (NvmlException e) {
      return e.answer();
    }
  }

  /** A session has the GPUs of its beginning, and none that fell off the bus or came since. */
  private boolean isStale(ImmutableSet<String> answering) {
    Set<String> missing = Sets.difference(discoveredGpus.gpus().keySet(), answering);
    try {
      boolean all = missing.isEmpty() && unlisted.isEmpty() && driver.count() <= answering.size();
      passed = all ? 0 : passed + 1;
      return !missing.equals(absent)
          || !pci.gpus().equals(plugged)
          || !hasFiles()
          || passed >= POLLS_BEFORE_RESTART;
    } catch (NvmlException e) {
      return true;
    }
  }

  @Override
  public synchronized void close() {
    driver.close();
  }
}
