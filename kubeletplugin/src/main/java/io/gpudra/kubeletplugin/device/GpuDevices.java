package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * The GPUs of this node. All methods may be called from several threads, but operations on one GPU
 * do not overlap. Changes are repeatable: they do nothing when the GPU is as it should be, also
 * when there is nothing to take back. They fail with an {@link IOException} in the driver's words,
 * also on a lost GPU, which has a taint that says so.
 */
public interface GpuDevices extends AutoCloseable {

  /**
   * All GPUs, ordered by index, with the MIG devices that are there now. A GPU instance without
   * compute instance is listed too, under a name in place of the UUID that it has not got. Answers
   * from memory.
   */
  ImmutableList<Gpu> gpus();

  /**
   * Why no GPU can be changed at the moment, with a remedy; empty when they can. Calls fail
   * meanwhile, and earlier changes stay.
   */
  default Optional<String> unreachable() {
    return Optional.empty();
  }

  /** PCI addresses of GPUs that are on the bus and that the driver does not list. */
  default ImmutableSet<String> unlisted() {
    return ImmutableSet.of();
  }

  /** Which of the GPUs reach each other without the PCIe bus. */
  ImmutableList<GpuLink> links();

  /** Version of the kernel driver such as {@code 535.104.05}; empty when unknown. */
  String driverVersion();

  /** Such as {@code 12.2}; empty when unknown. */
  String cudaDriverVersion();

  /**
   * Makes a GPU ready for one claim. Repeatable: a GPU that is ready stays as it is.
   *
   * @throws IOException when the GPU is unknown or cannot be made ready
   */
  void setUp(String uuid) throws IOException;

  /**
   * Takes back what {@link #setUp} did, fully or in part. Repeatable; an unknown GPU has nothing to
   * take back.
   *
   * @throws IOException when something is left
   */
  void tearDown(String uuid) throws IOException;

  /** Switches the MIG mode; refused unless the GPU is idle and has no GPU instance. */
  void setMigMode(String uuid, MigMode mode) throws IOException;

  /** Makes the GPU instance at its place; the slice names no compute instance. */
  void makeGpuInstance(String uuid, Slice instance) throws IOException;

  /** Destroys a GPU instance; refused while it has compute instances or processes. */
  void destroyGpuInstance(String uuid, Slice instance) throws IOException;

  /**
   * Makes the compute instance of the slice, in its GPU instance; the one that fills it when the
   * slice names none. From then on there is a MIG device, with a UUID of its own.
   */
  void makeComputeInstance(String uuid, Slice slice) throws IOException;

  /** Destroys a compute instance; refused while it has processes. */
  void destroyComputeInstance(String uuid, Slice slice) throws IOException;

  /** Reads again what is at the place of the GPU instance, regardless of its creator. */
  default void lookAt(String uuid, Slice instance) throws IOException {}

  /** Sets how long a turn of a process is. */
  void setTimeSlice(String uuid, Interval interval) throws IOException;

  /** Sets which processes may use the GPU at the same time. */
  void setComputeMode(String uuid, ComputeMode mode) throws IOException;

  /**
   * Starts a server, or starts it anew when it has other settings, and waits until it answers; how
   * long that may take is bounded.
   */
  void startMps(MpsServer server) throws IOException;

  /** Ends the server of that name. */
  void stopMps(String name) throws IOException;

  /** Looks at the servers, and starts those again that should run and do not. */
  void reviveMps();

  /** Why processes wait for the server of that name, if any did when it was last looked at. */
  default Optional<String> mpsQueue(String name) {
    return Optional.empty();
  }

  /** The paths through which clients reach the server of that name. */
  MpsPaths mpsPaths(String name);

  /** The edits for every container that uses any of the GPUs. */
  ContainerEdits driverEdits() throws IOException;

  /**
   * The edits for a container with this GPU, or with a MIG device of it.
   *
   * @throws IOException when it does not exist
   */
  ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException;

  /** Whether it is known that no process uses the GPU at the moment. */
  default boolean idle(String uuid) {
    return true;
  }

  /** Takes back everything that an earlier boot may have left. */
  void reset() throws IOException;

  /**
   * Keeps the GPUs that claims hold known, as lost, although they are no longer found. To be called
   * once, before any other method.
   *
   * @param uuids of GPUs, whole or in part
   */
  default void hold(Set<String> uuids) {}

  /**
   * Looks whether GPUs are well and still there; to be called now and then.
   *
   * @param held UUIDs of the GPUs that claims have, whole or in part
   */
  default void look(Set<String> held) {}

  /** Reports whether another component hands out the same GPUs, and how; called repeatedly. */
  default void usedByOthers(Optional<String> how) {}

  /** The action runs, on any thread, after a GPU has changed by itself; there is one at most. */
  default void onChange(Runnable action) {}

  /** Releases the GPUs without changing them. */
  @Override
  default void close() {}

  /** The GPU with the given UUID. */
  default Optional<Gpu> find(String uuid) {
    return gpus().stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
  }
}
