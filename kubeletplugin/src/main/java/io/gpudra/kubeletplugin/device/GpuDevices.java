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
 * do not overlap. Changes are repeatable: they do nothing when the GPU is already in the right
 * state, also when there is nothing to undo. They fail with an {@link IOException} in the driver's
 * words, also on a lost GPU, which has a taint for this.
 */
public interface GpuDevices extends AutoCloseable {

  /**
   * All GPUs, ordered by index, with their current MIG devices. A GPU instance without compute
   * instance is listed, too, under a name in place of the UUID, which it does not have. Answers
   * from memory.
   */
  ImmutableList<Gpu> gpus();

  /**
   * The reason why no GPU can be changed now, with a remedy; empty when they can. Meanwhile calls
   * fail, and earlier changes stay.
   */
  default Optional<String> unreachable() {
    return Optional.empty();
  }

  /** PCI addresses of GPUs that are on the bus and that the driver does not list. */
  default ImmutableSet<String> unlisted() {
    return ImmutableSet.of();
  }

  /** The GPUs that reach each other without the PCIe bus. */
  ImmutableList<GpuLink> links();

  /** Version of the kernel driver such as {@code 535.104.05}; empty when unknown. */
  String driverVersion();

  /** A version such as {@code 12.2}; empty when unknown. */
  String cudaDriverVersion();

  /**
   * Makes a GPU ready for one claim. Repeatable: a GPU that is ready stays as it is.
   *
   * @throws IOException when the GPU is unknown or cannot be made ready
   */
  void setUp(String uuid) throws IOException;

  /**
   * Undoes {@link #setUp}, which may have run only in part. Repeatable; an unknown GPU has nothing
   * to undo.
   *
   * @throws IOException when something is left
   */
  void tearDown(String uuid) throws IOException;

  /** Switches the MIG mode; refused unless the GPU is idle and has no GPU instance. */
  void setMigMode(String uuid, MigMode mode) throws IOException;

  /** Creates the GPU instance at its place; the slice names no compute instance. */
  void makeGpuInstance(String uuid, Slice instance) throws IOException;

  /** Destroys a GPU instance; refused while it has compute instances or processes. */
  void destroyGpuInstance(String uuid, Slice instance) throws IOException;

  /**
   * Creates the compute instance of the slice in its GPU instance; the one that fills it when the
   * slice names none. From then on there is a MIG device with a UUID of its own.
   */
  void makeComputeInstance(String uuid, Slice slice) throws IOException;

  /** Destroys a compute instance; refused while it has processes. */
  void destroyComputeInstance(String uuid, Slice slice) throws IOException;

  /** Reads the devices at the place of the GPU instance again, regardless of their creator. */
  default void inspect(String uuid, Slice instance) throws IOException {}

  /** Sets the length of a process's turn. */
  void setTimeSlice(String uuid, Interval interval) throws IOException;

  /** Sets the processes that may use the GPU at the same time. */
  void setComputeMode(String uuid, ComputeMode mode) throws IOException;

  /**
   * Starts a server, or restarts it when it has other settings, and waits, for a limited time,
   * until it answers.
   */
  void startMps(MpsServer server) throws IOException;

  /** Stops the server of this name. */
  void stopMps(String name) throws IOException;

  /** Checks the servers, and restarts those that should run and do not. */
  void reviveMps();

  /** The reason why processes wait for the server of this name, if any did at the last check. */
  default Optional<String> mpsQueue(String name) {
    return Optional.empty();
  }

  /** The paths through which clients reach the server of this name. */
  MpsPaths mpsPaths(String name);

  /** The edits for every container that uses any of the GPUs. */
  ContainerEdits driverEdits() throws IOException;

  /**
   * The edits for a container with this GPU, or with a MIG device of it.
   *
   * @throws IOException when it does not exist
   */
  ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException;

  /** Whether it is known that no process uses the GPU now. */
  default boolean idle(String uuid) {
    return true;
  }

  /** Undoes all changes that an earlier boot may have left. */
  void reset() throws IOException;

  /**
   * Keeps the GPUs that claims hold, as lost, if they are no longer found. Call once, before any
   * other method.
   *
   * @param uuids of GPUs, whole or in part
   */
  default void hold(Set<String> uuids) {}

  /**
   * Polls the health and presence of the GPUs; called periodically.
   *
   * @param held UUIDs of the GPUs that claims hold, whole or in part
   */
  default void poll(Set<String> held) {}

  /** Reports whether and how another component hands out the same GPUs; called repeatedly. */
  default void usedByOthers(Optional<String> how) {}

  /** Sets the action that runs, on any thread, after a GPU has changed by itself; at most one. */
  default void onChange(Runnable action) {}

  /** Releases the GPUs without changing them. */
  @Override
  default void close() {}

  /** The GPU of this UUID. */
  default Optional<Gpu> find(String uuid) {
    return gpus().stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
  }
}
