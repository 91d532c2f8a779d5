package io.gpudra.kubeletplugin.device;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.mps.MpsPaths;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Fake GPUs for nodes without hardware. They refuse the same operations as real ones. */
public final class FakeDevices implements GpuDevices {

  private final String driverVersion;
  private final String cudaDriverVersion;
  private final ImmutableList<Gpu> gpus;
  private final ImmutableList<GpuLink> links;
  private final MpsServers mps;
  private final FakeFaults faults;

  // Guarded by this.
  private final ImmutableMap<String, FakeMig> mig;
  private final TreeSet<String> ready = new TreeSet<>();
  private final TreeMap<String, Interval> timeSlices = new TreeMap<>();
  private final TreeSet<String> exclusive = new TreeSet<>();
  private Optional<FakeMemory> memory = Optional.empty();

  /** The GPUs of a profile; their UUIDs follow from the node's name. */
  public FakeDevices(FakeNodeProfile profile, String node, MpsServers mps, FakeFaults faults) {
    this(
        profile.gpus(node),
        profile.links(node),
        profile.driverVersion(),
        profile.cudaDriverVersion(),
        mps,
        faults);
  }

  /** The same GPUs, with fake servers. */
  public FakeDevices(FakeNodeProfile profile, String node) {
    this(profile, node, new FakeMpsServers(), FakeFaults.none());
  }

  /** These GPUs in the state after a boot, without links. */
  public FakeDevices(
      ImmutableList<Gpu> gpus,
      String driverVersion,
      String cudaDriverVersion,
      MpsServers mps,
      FakeFaults faults) {
    this(gpus, ImmutableList.of(), driverVersion, cudaDriverVersion, mps, faults);
  }

  private FakeDevices(
      ImmutableList<Gpu> gpus,
      ImmutableList<GpuLink> links,
      String driverVersion,
      String cudaDriverVersion,
      MpsServers mps,
      FakeFaults faults) {
    this.gpus = gpus;
    this.links = links;
    this.driverVersion = driverVersion;
    this.cudaDriverVersion = cudaDriverVersion;
    this.mps = mps;
    this.faults = faults;
    this.mig = gpus.stream().collect(toImmutableMap(Gpu::uuid, FakeMig::new));
  }

  /**
   * Restores and from now on saves the state, so that MIG devices survive a restart of the plugin.
   */
  public synchronized FakeDevices keptIn(Path file) throws IOException {
    FakeMemory kept = new FakeMemory(file);
    Map<String, FakeMemory.Cut> before = kept.load();
    mig.forEach((uuid, one) -> Optional.ofNullable(before.get(uuid)).ifPresent(one::recall));
    memory = Optional.of(kept);
    return this;
  }

  /** Called after each change of the MIG devices of a GPU. */
  private void remember() throws IOException {
    if (memory.isPresent()) {
      memory.get().save(Maps.transformValues(mig, FakeMig::remember));
    }
  }

  @Override
  public synchronized ImmutableList<Gpu> gpus() {
    return gpus.stream()
        .map(gpu -> gpu.with(Objects.requireNonNull(mig.get(gpu.uuid())).state()))
        .map(this::withTaints)
        .collect(toImmutableList());
  }

  @Override
  public ImmutableList<GpuLink> links() {
    return links;
  }

  @Override
  public String driverVersion() {
    return driverVersion;
  }

  @Override
  public String cudaDriverVersion() {
    return cudaDriverVersion;
  }

  @Override
  public void setUp(String uuid) throws IOException {
    before("setUp", uuid);
    synchronized (this) {
      var unused = mig(uuid);
      ready.add(uuid);
    }
  }

  @Override
  public synchronized void tearDown(String uuid) {
    ready.remove(uuid);
  }

  @Override
  public void setMigMode(String uuid, MigMode mode) throws IOException {
    before("setMigMode", uuid);
    synchronized (this) {
      mig(uuid).switchTo(mode, ready.contains(uuid) || exclusive.contains(uuid));
      remember();
    }
  }

  @Override
  public void makeGpuInstance(String uuid, Slice instance) throws IOException {
    before("makeGpuInstance", uuid);
    synchronized (this) {
      mig(uuid).make(instance);
      remember();
    }
  }

  @Override
  public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
    before("destroyGpuInstance", uuid);
    synchronized (this) {
      if (mig.containsKey(uuid)) {
        mig(uuid).destroy(instance);
        remember();
      }
    }
  }

  @Override
  public void makeComputeInstance(String uuid, Slice slice) throws IOException {
    before("makeComputeInstance", uuid);
    synchronized (this) {
      mig(uuid).makeCompute(slice);
      remember();
    }
  }

  @Override
  public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
    before("destroyComputeInstance", uuid);
    synchronized (this) {
      if (mig.containsKey(uuid)) {
        mig(uuid).destroyCompute(slice);
        remember();
      }
    }
  }

  @Override
  public void setTimeSlice(String uuid, Interval interval) throws IOException {
    before("setTimeSlice", uuid);
    synchronized (this) {
      mustRunItself(uuid);
      timeSlices.put(uuid, interval);
      timeSlices.values().removeIf(Interval.DEFAULT::equals);
    }
  }

  @Override
  public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
    before("setComputeMode", uuid);
    synchronized (this) {
      mustRunItself(uuid);
      exclusive.add(uuid);
      if (mode == ComputeMode.DEFAULT) {
        exclusive.remove(uuid);
      }
    }
  }

  private void mustRunItself(String uuid) throws IOException {
    if (mig(uuid).state().mode() == MigMode.ENABLED) {
      throw new IOException("%s: Not Supported while MIG mode is on".formatted(uuid));
    }
  }

  /** Fails or waits by the faults, without the lock: a slow GPU does not delay the others. */
  private void before(String step, String uuid) throws IOException {
    faults.before(step, gpus.stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst());
  }

  private Gpu withTaints(Gpu gpu) {
    ImmutableList<DeviceTaint> found = faults.taints(gpu).collect(toImmutableList());
    return found.isEmpty() ? gpu : gpu.with(found);
  }

  private FakeMig mig(String uuid) throws IOException {
    FakeMig known = mig.get(uuid);
    if (known == null) {
      throw new IOException("no GPU " + uuid + " on this node");
    }
    return known;
  }

  /** Runs without the lock, since a server takes some time to start. */
  @Override
  public void startMps(MpsServer server) throws IOException {
    faults.before("startMps", Optional.empty());
    mps.start(server);
  }

  @Override
  public void stopMps(String name) throws IOException {
    faults.before("stopMps", Optional.empty());
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

  @Override
  public ContainerEdits driverEdits() {
    return ContainerEdits.NONE;
  }

  @Override
  public ContainerEdits deviceEdits(String uuid, Optional<Slice> slice) {
    return ContainerEdits.NONE;
  }

  @Override
  public void reset() throws IOException {
    mps.stopAll();
    boot();
  }

  private synchronized void boot() throws IOException {
    ready.clear();
    timeSlices.clear();
    exclusive.clear();
    mig.values().forEach(FakeMig::reset);
    remember();
  }

  /** UUIDs of the GPUs that are set up now. */
  public synchronized ImmutableSet<String> ready() {
    return ImmutableSet.copyOf(ready);
  }

  /** The settings that differ from those of an unused GPU. */
  public synchronized ImmutableSet<String> settings() {
    ImmutableSet.Builder<String> settings = ImmutableSet.builder();
    timeSlices.forEach((uuid, interval) -> settings.add(uuid + " " + interval.text()));
    exclusive.forEach(uuid -> settings.add(uuid + " exclusive"));
    return settings.build();
  }
}
