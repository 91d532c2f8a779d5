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

/** GPUs that forward each call to others, as Guava's forwarding collections do. */
public abstract class ForwardingDevices implements GpuDevices {

  /** The devices to which calls are forwarded. */
  protected abstract GpuDevices delegate();

  @Override
  public Optional<String> unreachable() {
    return delegate().unreachable();
  }

  @Override
  public ImmutableSet<String> unlisted() {
    return delegate().unlisted();
  }

  @Override
  public ImmutableList<Gpu> gpus() {
    return delegate().gpus();
  }

  @Override
  public ImmutableList<GpuLink> links() {
    return delegate().links();
  }

  @Override
  public String driverVersion() {
    return delegate().driverVersion();
  }

  @Override
  public String cudaDriverVersion() {
    return delegate().cudaDriverVersion();
  }

  @Override
  public void setUp(String uuid) throws IOException {
    delegate().setUp(uuid);
  }

  @Override
  public void tearDown(String uuid) throws IOException {
    delegate().tearDown(uuid);
  }

  @Override
  public void setMigMode(String uuid, MigMode mode) throws IOException {
    delegate().setMigMode(uuid, mode);
  }

  @Override
  public void makeGpuInstance(String uuid, Slice instance) throws IOException {
    delegate().makeGpuInstance(uuid, instance);
  }

  @Override
  public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    delegate().destroyGpuInstance(uuid, instance);
  }

  @Override
  public void makeComputeInstance(String uuid, Slice slice) throws IOException {
    delegate().makeComputeInstance(uuid, slice);
  }

  @Override
  public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    delegate().destroyComputeInstance(uuid, slice);
  }

  @Override
  public void inspect(String uuid, Slice instance) throws IOException {
    delegate().inspect(uuid, instance);
  }

  @Override
  public void setTimeSlice(String uuid, Interval interval) throws IOException {
    delegate().setTimeSlice(uuid, interval);
  }

  @Override
  public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    delegate().setComputeMode(uuid, mode);
  }

  @Override
  public void startMps(MpsServer server) throws IOException {
    delegate().startMps(server);
  }

  @Override
  public void stopMps(String name) throws IOException {
    delegate().stopMps(name);
  }

  @Override
  public void reviveMps() {
    delegate().reviveMps();
  }

  @Override
  public Optional<String> mpsQueue(String name) {
    return delegate().mpsQueue(name);
  }

  @Override
  public MpsPaths mpsPaths(String name) {
    return delegate().mpsPaths(name);
  }

  @Override
  public ContainerEdits driverEdits() throws IOException {
    return delegate().driverEdits();
  }

  @Override
  public ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException {
    return delegate().deviceEdits(uuid, slice);
  }

  @Override
  public void reset() throws IOException {
    delegate().reset();
  }

  @Override
  public void poll(Set<String> held) {
    delegate().poll(held);
  }

  @Override
  public boolean idle(String uuid) {
    return delegate().idle(uuid);
  }

  @Override
  public void hold(Set<String> uuids) {
    delegate().hold(uuids);
  }

  @Override
  public void usedByOthers(Optional<String> how) {
    delegate().usedByOthers(how);
  }

  @Override
  public void onChange(Runnable action) {
    delegate().onChange(action);
  }

  @Override
  public void close() {
    delegate().close();
  }
}
