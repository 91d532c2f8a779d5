package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.device.mps.NoMps;
import java.io.IOException;
import java.util.Optional;

/** Stands for GPUs that the plugin cannot reach: the kubelet is served without them. */
public sealed interface AbsentDevices extends GpuDevices {

  /** The reason, and the remedy. */
  String why();

  private IOException refusal() {
    return new IOException(why());
  }

  /**
   * The node has GPUs, but no usable driver. The parts that claims hold still exist, so nothing
   * counts as undone.
   *
   * @param gpus the GPUs that an earlier process found
   */
  record NoDriver(String why, ImmutableList<Gpu> gpus) implements AbsentDevices {
    @Override
    public Optional<String> unreachable() {
      return Optional.of(why);
    }
  }

  /** The node has no GPU, and so there is nothing to undo on one. */
  record NoGpus() implements AbsentDevices {
    @Override
    public String why() {
      return "the node has no NVIDIA GPU";
    }

    @Override
    public ImmutableList<Gpu> gpus() {
      return ImmutableList.of();
    }

    @Override
    public void tearDown(String uuid) {}

    @Override
    public void destroyGpuInstance(String uuid, Slice instance) {}

    @Override
    public void destroyComputeInstance(String uuid, Slice slice) {}

    @Override
    public void stopMps(String name) {}
  }

  @Override
  default ImmutableList<GpuLink> links() {
    return ImmutableList.of();
  }

  @Override
  default boolean idle(String uuid) {
    return false;
  }

  @Override
  default String driverVersion() {
    return "";
  }

  @Override
  default String cudaDriverVersion() {
    return "";
  }

  @Override
  default void setUp(String uuid) throws IOException {
    throw refusal();
  }

  @Override
  default void tearDown(String uuid) throws IOException {
    throw refusal();
  }

  @Override
  default void setMigMode(String uuid, MigMode mode) throws IOException {
    throw refusal();
  }

  @Override
  default void makeGpuInstance(String uuid, Slice instance) throws IOException {
    throw refusal();
  }

  @Override
  default void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    throw refusal();
  }

  @Override
  default void makeComputeInstance(String uuid, Slice slice) throws IOException {
    throw refusal();
  }

  @Override
  default void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    throw refusal();
  }

  @Override
  default void setTimeSlice(String uuid, Interval interval) throws IOException {
    throw refusal();
  }

  @Override
  default void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    throw refusal();
  }

  @Override
  default void startMps(MpsServer server) throws IOException {
    throw refusal();
  }

  @Override
  default void stopMps(String name) throws IOException {
    throw refusal();
  }

  @Override
  default void reviveMps() {}

  @Override
  default MpsPaths mpsPaths(String name) {
    return new NoMps().paths(name);
  }

  @Override
  default ContainerEdits driverEdits() throws IOException {
    throw refusal();
  }

  @Override
  default ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException {
    throw refusal();
  }

  /** The GPUs that come are reset, see {@link DeferredDevices#become}. */
  @Override
  default void reset() {}
}
