package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlReturn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session with the driver, and the GPUs as it told of them. It is begun anew when the driver
 * was: another version may be there then.
 */
final class Session implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Session.class);

  /** The first that cuts GPUs. */
  private static final int OLDEST_DRIVER = 450;

  /** What a handle answers after a reset, an unplug, or when the driver was unloaded. */
  private static final ImmutableSet<NvmlReturn> DEAD =
      ImmutableSet.of(
          NvmlReturn.UNINITIALIZED,
          NvmlReturn.INVALID_ARGUMENT,
          NvmlReturn.NOT_FOUND,
          NvmlReturn.GPU_IS_LOST);

  private final PciTree pci;

  // Written under this; what is found is read by everybody.
  private volatile DriverRoot root;
  private Nvml driver;
  private volatile Found found;
  private volatile ContainerEdits files;

  /**
   * Starts it and looks for GPUs.
   *
   * @throws IOException when the driver cannot be reached, or lacks something
   */
  Session(DriverRoot root, PciTree pci) throws IOException {
    this.pci = pci;
    this.root = root;
    this.driver = begin(root);
    try {
      this.found = find();
      log.info("driver found version={} gpus={}", found.driverVersion(), found.gpus().keySet());
      this.files = findFiles();
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
      throw new IOException(e.getMessage() + remedy(e.answer()), e);
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

  private Found find() throws IOException {
    try {
      return new Discovery(driver, pci, root.hasServers()).find();
    } catch (NvmlException e) {
      throw new IOException(e.getMessage() + remedy(e.answer()), e);
    }
  }

  private ContainerEdits findFiles() throws IOException {
    return new DriverFiles(root, found.driverVersion()).edits();
  }

  Found found() {
    return found;
  }

  DriverRoot root() {
    return root;
  }

  /** What of the driver every container needs. */
  ContainerEdits files() {
    return files;
  }

  /** How a GPU is cut now. */
  synchronized void refresh(FoundGpu gpu) throws NvmlException {
    found = found.with(gpu.with(new GpuInstances(gpu).state()));
  }

  /** How a GPU is cut after something was done to a slice of it. */
  synchronized void refresh(String uuid, Slice slice) throws IOException {
    FoundGpu gpu = found.gpus().get(uuid);
    if (gpu != null) {
      found = found.with(gpu.with(new GpuInstances(gpu).stateAround(slice)));
    }
  }

  /** All handles are found anew; answers which GPUs there are. */
  synchronized ImmutableSet<String> rediscover() throws IOException {
    Found now = find();
    found = now.after(found);
    return now.gpus().keySet();
  }

  /** Whoever else would have to let go of the driver has a moment for it; answers as above. */
  synchronized ImmutableSet<String> beginAnew() throws IOException {
    driver.close();
    root = root.again();
    driver = begin(root);
    ImmutableSet<String> there = rediscover();
    files = findFiles();
    return there;
  }

  /**
   * What a look saw.
   *
   * @param answering GPUs that are there
   * @param reset those of them whose handle was dead: they were reset
   */
  record Look(ImmutableSet<String> answering, ImmutableSet<String> reset) {}

  /** Asks each GPU how it is cut, and looks for all of them when that is not all there is. */
  synchronized Look look() throws IOException {
    lookForFiles();
    ImmutableMap<String, FoundGpu> known = found.gpus();
    Map<String, NvmlReturn> answers = new HashMap<>();
    known.forEach((uuid, gpu) -> answers.put(uuid, answer(gpu)));
    if (answers.values().stream().allMatch(NvmlReturn.SUCCESS::equals) && noneIsNew(known.size())) {
      return new Look(known.keySet(), ImmutableSet.of());
    }
    ImmutableSet<String> there = findAgain();
    return new Look(
        there,
        there.stream()
            .filter(uuid -> DEAD.contains(answers.getOrDefault(uuid, NvmlReturn.SUCCESS)))
            .collect(toImmutableSet()));
  }

  /** A session goes on when its library is replaced on the disk; containers then lack theirs. */
  private void lookForFiles() throws IOException {
    if (files.mounts().stream().allMatch(mount -> root.has(Path.of(mount.hostPath())))) {
      return;
    }
    try {
      files = findFiles();
    } catch (IOException e) {
      log.info("files of the driver are gone reason=\"{}\"", e.getMessage());
      var unused = beginAnew();
    }
  }

  private NvmlReturn answer(FoundGpu gpu) {
    try {
      boolean same = gpu.handle().uuid().equals(gpu.gpu().uuid());
      refresh(gpu);
      return same ? NvmlReturn.SUCCESS : NvmlReturn.NOT_FOUND;
    } catch (NvmlException e) {
      return e.answer();
    }
  }

  private boolean noneIsNew(int known) {
    try {
      return driver.count() == known;
    } catch (NvmlException e) {
      return false;
    }
  }

  private ImmutableSet<String> findAgain() throws IOException {
    try {
      return rediscover();
    } catch (IOException e) {
      log.info("the session with the driver is begun anew reason=\"{}\"", e.getMessage());
      return beginAnew();
    }
  }

  @Override
  public synchronized void close() {
    driver.close();
  }
}
