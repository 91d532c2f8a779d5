package io.gpudra.kubeletplugin.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.cdi.CdiDirectory;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.cdi.CdiSpec;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.CheckpointFile;
import io.gpudra.kubeletplugin.checkpoint.CheckpointStore;
import io.gpudra.kubeletplugin.device.ComputeMode;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeFaults;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.ForwardingDevices;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.mps.MpsServer;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.pods.NodePods;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.StartupRecovery;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** A node that outlives the plugin processes on it: its files and its GPUs stay. */
public final class FakeNode {

  public static final String NAME = "worker-1";
  public static final String DRIVER = "gpu.resource.example.com";

  /** Long enough to wait for another thread, and never spent when nobody is in the way. */
  public static final WaitTimeout PATIENT = new WaitTimeout(Duration.ZERO, Duration.ofSeconds(30));

  /** Gives up at once. */
  public static final WaitTimeout HASTY = new WaitTimeout(Duration.ZERO, Duration.ZERO);

  public final FakeMpsServers mps = new FakeMpsServers();
  public GpuDevices devices;
  public final Path cdi;
  public final Path checkpoint;
  public final FakeGrants grants = new FakeGrants();
  public String bootId = "boot-1";
  public Optional<String> deafRuntime = Optional.empty();
  public Optional<NodePods.PodSet> pods = Optional.empty();
  public int looksAtPods;

  private final Optional<NodeDriver> driver;
  private final Servers servers;

  public FakeNode(Path directory) {
    this(directory, new FakeDevices(FakeNodeProfile.parse("latest"), NAME).gpus());
  }

  /** With these GPUs. */
  public FakeNode(Path directory, ImmutableList<Gpu> gpus) {
    this.devices = new FakeDevices(gpus, "535.104.05", "12.2", mps, FakeFaults.none());
    this.cdi = directory.resolve("cdi");
    this.checkpoint = directory.resolve("checkpoint.json");
    this.driver = Optional.empty();
    this.servers = new OnPaper(mps);
  }

  /** With the GPUs of a driver, to which each process has a session of its own. */
  public FakeNode(Path directory, StubDriver driver) throws IOException {
    this(directory, driver, new OnPaper(new FakeMpsServers()));
  }

  /** And with these servers. */
  public FakeNode(Path directory, StubDriver driver, Servers servers) throws IOException {
    this(directory, new NodeDriver.OfStub(driver), servers);
  }

  /** With the GPUs of whatever driver. */
  public FakeNode(Path directory, NodeDriver driver) throws IOException {
    this(directory, driver, new OnPaper(new FakeMpsServers()));
  }

  private FakeNode(Path directory, NodeDriver driver, Servers servers) throws IOException {
    this.servers = servers;
    this.devices = driver.open(servers.of(new Faults()));
    this.cdi = directory.resolve("cdi");
    this.checkpoint = directory.resolve("checkpoint.json");
    this.driver = Optional.of(driver);
  }

  /** All that there is of MPS servers. */
  public ImmutableList<String> servers() throws IOException {
    return servers.traces();
  }

  /** As a container runtime does when the container of a process ends. */
  public void killServers() {
    servers.kill();
  }

  /** UUIDs of the GPUs that are set up, which shows only on paper. */
  public ImmutableSet<String> ready() {
    return devices instanceof FakeDevices fake ? fake.ready() : ImmutableSet.of();
  }

  /** What of the GPUs is not as it is after a boot. */
  public ImmutableSet<String> settings() throws IOException {
    return devices instanceof FakeDevices fake
        ? ImmutableSet.copyOf(fake.settings())
        : devices.gpus().stream()
            .flatMap(gpu -> driver.orElseThrow().settings(gpu).stream())
            .collect(ImmutableSet.toImmutableSet());
  }

  /** Starts a process. */
  public ClaimPreparer start(Faults faults, WaitTimeout waitTimeout) throws IOException {
    return StartupRecovery.start(node(faults), grants, waitTimeout).preparer();
  }

  public ClaimPreparer start() {
    try {
      return start(new Faults(), PATIENT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public LocalNode node(Faults faults) throws IOException {
    if (driver.isPresent()) {
      devices.close();
      devices = driver.get().open(servers.of(faults));
    }
    return new LocalNode(
        NAME,
        bootId,
        new FaultyDevices(devices, faults),
        new FaultySpecs(CdiDirectory.open(cdi, new CdiNames(DRIVER)), faults),
        new FaultyStore(new CheckpointFile(checkpoint), faults),
        this::look,
        () -> deafRuntime);
  }

  private Optional<NodePods.PodSet> look() {
    looksAtPods++;
    return pods;
  }

  public ImmutableSet<ClaimUid> specs() throws IOException {
    return CdiDirectory.open(cdi, new CdiNames(DRIVER)).present();
  }

  public Grant grant(String uid, int... gpus) {
    return GrantFixture.grant(
        new ClaimUid(uid),
        NAME,
        Arrays.stream(gpus)
            .mapToObj(index -> devices.gpus().get(index))
            .map(gpu -> new GrantedDevice(gpu.name(), gpu.uuid()))
            .collect(ImmutableList.toImmutableList()));
  }

  public PrepareRequest request(String uid, int... gpus) {
    return new PrepareRequest(new ClaimUid(uid), ref(uid), grant(uid, gpus));
  }

  public PrepareRequest request(String uid, GrantedDevice... devices) {
    Grant none = grant(uid);
    return new PrepareRequest(
        none.claim(),
        ref(uid),
        new Grant(
            none.claim(),
            none.node(),
            none.epoch(),
            none.generation(),
            none.at(),
            ImmutableList.copyOf(devices)));
  }

  public static ClaimRef ref(String uid) {
    return new ClaimRef("team-a", "claim-of-" + uid);
  }

  /** MPS servers, which outlive the processes that start them. */
  public interface Servers {
    /** As a process sees them. */
    MpsServers of(Faults faults);

    /** Ends their processes, and nothing else of them. */
    void kill();

    /** What there is of them, sorted. */
    ImmutableList<String> traces() throws IOException;
  }

  private record OnPaper(FakeMpsServers mps) implements Servers {
    @Override
    public MpsServers of(Faults faults) {
      return mps;
    }

    @Override
    public void kill() {
      mps.stopAll();
    }

    @Override
    public ImmutableList<String> traces() {
      return mps.running().stream()
          .map(MpsServer::name)
          .sorted()
          .collect(ImmutableList.toImmutableList());
    }
  }

  private static final class FaultyDevices extends ForwardingDevices {
    private final GpuDevices devices;
    private final Faults faults;

    FaultyDevices(GpuDevices devices, Faults faults) {
      this.devices = devices;
      this.faults = faults;
    }

    @Override
    protected GpuDevices delegate() {
      return devices;
    }

    @Override
    public ImmutableList<Gpu> gpus() {
      faults.before("gpus");
      return devices.gpus();
    }

    @Override
    public void setUp(String uuid) throws IOException {
      faults.around("setUp", () -> devices.setUp(uuid));
    }

    @Override
    public void tearDown(String uuid) throws IOException {
      faults.around("tearDown", () -> devices.tearDown(uuid));
    }

    @Override
    public void setMigMode(String uuid, MigMode mode) throws IOException {
      faults.around("setMigMode", () -> devices.setMigMode(uuid, mode));
    }

    @Override
    public void makeGpuInstance(String uuid, Slice instance) throws IOException {
      faults.around("makeGpuInstance", () -> devices.makeGpuInstance(uuid, instance));
    }

    @Override
    public void destroyGpuInstance(String uuid, Slice instance) throws IOException {
      faults.around("destroyGpuInstance", () -> devices.destroyGpuInstance(uuid, instance));
    }

    @Override
    public void makeComputeInstance(String uuid, Slice slice) throws IOException {
      faults.around("makeComputeInstance", () -> devices.makeComputeInstance(uuid, slice));
    }

    @Override
    public void destroyComputeInstance(String uuid, Slice slice) throws IOException {
      faults.around("destroyComputeInstance", () -> devices.destroyComputeInstance(uuid, slice));
    }

    @Override
    public void setTimeSlice(String uuid, Interval interval) throws IOException {
      faults.around("setTimeSlice", () -> devices.setTimeSlice(uuid, interval));
    }

    @Override
    public void setComputeMode(String uuid, ComputeMode mode) throws IOException {
      faults.around("setComputeMode", () -> devices.setComputeMode(uuid, mode));
    }

    @Override
    public void startMps(MpsServer server) throws IOException {
      faults.around("startMps", () -> devices.startMps(server));
    }

    @Override
    public void stopMps(String name) throws IOException {
      faults.around("stopMps", () -> devices.stopMps(name));
    }

    @Override
    public void reset() throws IOException {
      faults.around("reset", devices::reset);
    }
  }

  private record FaultySpecs(CdiSpecs specs, Faults faults) implements CdiSpecs {
    @Override
    public CdiNames names() {
      return specs.names();
    }

    @Override
    public void write(ClaimUid claim, CdiSpec spec) throws IOException {
      faults.around("write", () -> specs.write(claim, spec));
    }

    @Override
    public void remove(ClaimUid claim) throws IOException {
      faults.around("remove", () -> specs.remove(claim));
    }

    @Override
    public ImmutableSet<ClaimUid> present() throws IOException {
      return specs.present();
    }
  }

  private record FaultyStore(CheckpointStore store, Faults faults) implements CheckpointStore {
    @Override
    public Optional<Checkpoint> load() throws IOException {
      return store.load();
    }

    @Override
    public void save(Checkpoint checkpoint) throws IOException {
      faults.around("save", () -> store.save(checkpoint));
    }

    @Override
    public boolean lost() {
      return store.lost();
    }
  }
}
