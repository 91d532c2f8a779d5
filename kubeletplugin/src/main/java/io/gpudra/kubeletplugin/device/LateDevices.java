package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.Sharing.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Link;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GPUs that may come after the plugin. Whatever was said of them before they came, they are told
 * when they come; until then {@link AbsentDevices} have their place.
 */
public final class LateDevices implements Devices {

  private static final Logger log = LoggerFactory.getLogger(LateDevices.class);

  private volatile Devices now;

  // Guarded by this: what was said.
  private ImmutableSet<String> held = ImmutableSet.of();
  private Optional<String> othersHow = Optional.empty();
  private Runnable changed = () -> {};

  public LateDevices(Devices first) {
    this.now = first;
    tell(first);
  }

  private static void tell(Devices now) {
    now.unreachable().ifPresent(why -> log.error("no GPU can be served yet reason=\"{}\"", why));
  }

  /** Whether they have come. */
  public boolean came() {
    return !(now instanceof AbsentDevices);
  }

  /**
   * Puts others in the place of those that were absent. Where no claim holds anything, what is left
   * on them is of an earlier boot.
   *
   * @throws IOException when that cannot be taken back; then all is as before
   */
  public synchronized void become(Devices next) throws IOException {
    if (next.equals(now)) {
      return;
    }
    next.hold(held);
    if (held.isEmpty()) {
      next.reset();
    }
    othersHow.ifPresent(how -> next.usedByOthers(Optional.of(how)));
    now = next;
    tell(next);
    next.onChange(changed);
    changed.run();
  }

  @Override
  public Optional<String> unreachable() {
    return now.unreachable();
  }

  @Override
  public ImmutableList<Gpu> gpus() {
    return now.gpus();
  }

  @Override
  public ImmutableList<Link> links() {
    return now.links();
  }

  @Override
  public String driverVersion() {
    return now.driverVersion();
  }

  @Override
  public String cudaDriverVersion() {
    return now.cudaDriverVersion();
  }

  @Override
  public void setUp(String uuid) throws IOException {
    now.setUp(uuid);
  }

  @Override
  public void tearDown(String uuid) throws IOException {
    now.tearDown(uuid);
  }

  @Override
  public void setMigMode(String uuid, MigMode mode) throws IOException {
    now.setMigMode(uuid, mode);
  }

  @Override
  public void makeGpuInstance(String uuid, Slice instance) throws IOException {
    now.makeGpuInstance(uuid, instance);
  }

  @Override
  public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    now.destroyGpuInstance(uuid, instance);
  }

  @Override
  public void makeComputeInstance(String uuid, Slice slice) throws IOException {
    now.makeComputeInstance(uuid, slice);
  }

  @Override
  public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    now.destroyComputeInstance(uuid, slice);
  }

  @Override
  public void lookAt(String uuid, Slice instance) throws IOException {
    now.lookAt(uuid, instance);
  }

  @Override
  public void setTimeSlice(String uuid, Interval interval) throws IOException {
    now.setTimeSlice(uuid, interval);
  }

  @Override
  public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    now.setComputeMode(uuid, mode);
  }

  @Override
  public void startMps(MpsServer server) throws IOException {
    now.startMps(server);
  }

  @Override
  public void stopMps(String name) throws IOException {
    now.stopMps(name);
  }

  @Override
  public void reviveMps() {
    now.reviveMps();
  }

  @Override
  public MpsPaths mpsPaths(String name) {
    return now.mpsPaths(name);
  }

  @Override
  public ContainerEdits driverEdits() throws IOException {
    return now.driverEdits();
  }

  @Override
  public ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) throws IOException {
    return now.deviceEdits(uuid, slice);
  }

  @Override
  public void reset() throws IOException {
    now.reset();
  }

  @Override
  public synchronized void hold(Set<String> uuids) {
    held = ImmutableSet.copyOf(uuids);
    now.hold(uuids);
  }

  @Override
  public void look(Set<String> ofClaims) {
    now.look(ofClaims);
  }

  @Override
  public synchronized void usedByOthers(Optional<String> how) {
    othersHow = how;
    now.usedByOthers(how);
  }

  @Override
  public synchronized void onChange(Runnable action) {
    changed = action;
    now.onChange(action);
  }

  @Override
  public synchronized void close() {
    now.close();
  }
}
