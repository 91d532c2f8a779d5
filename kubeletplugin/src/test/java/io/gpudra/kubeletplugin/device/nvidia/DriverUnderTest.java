package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.device.nvml.NvmlMig;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.nvidia.EmulatedGpu;
import io.gpudra.nvidia.EmulatedKernel;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Path;

/** What of a driver with GPUs that are not there a test changes, and what it knows of it. */
interface DriverUnderTest extends AutoCloseable {

  /** A session as the plugin has it. */
  NvidiaDevices open() throws IOException;

  Path library();

  String version();

  String cudaVersion();

  /** Sets {@code mig}, {@code lost}, {@code unbound}, {@code computing} or {@code fabric}. */
  void set(String uuid, String what, int value) throws IOException;

  void xid(String uuid, int number);

  /** The same in a MIG device. */
  void xid(String uuid, int number, NvmlMig.Device where);

  void doubleBitError(String uuid);

  /** The kernel module is of a version that the library does not fit. */
  void replaceModule() throws IOException;

  /** GPU instances and compute instances that there are, or MIG devices. */
  int instances() throws IOException;

  @Override
  void close();

  /** NVIDIA's own library on an emulated kernel. */
  record OfNvidia(EmulatedKernel kernel, String branch) implements DriverUnderTest {

    static OfNvidia of(Path root, String branch, KnownModel model) throws IOException {
      return new OfNvidia(
          EmulatedKernel.of(root, Emulated.library(branch), EmulatedGpu.several(model.key(), 2)),
          branch);
    }

    @Override
    public NvidiaDevices open() throws IOException {
      return Emulated.open(kernel);
    }

    @Override
    public Path library() {
      return kernel.library();
    }

    @Override
    public String version() {
      return kernel.driverVersion();
    }

    @Override
    public String cudaVersion() {
      return switch (branch) {
        case "470" -> "11.4";
        case "535" -> "12.2";
        case "550" -> "12.4";
        default -> "12.5";
      };
    }

    @Override
    public void set(String uuid, String what, int value) {
      kernel.set(uuid, what, value);
    }

    @Override
    public void xid(String uuid, int number) {
      kernel.xid(uuid, number);
    }

    @Override
    public void xid(String uuid, int number, NvmlMig.Device where) {
      kernel.xid(uuid, number, where.gpuInstance(), where.computeInstance());
    }

    @Override
    public void doubleBitError(String uuid) {
      kernel.doubleBitError(uuid);
    }

    @Override
    public void replaceModule() {
      kernel.module("1.2.3");
    }

    @Override
    public int instances() {
      return kernel.instances();
    }

    @Override
    public void close() {
      kernel.close();
    }
  }

  /** The stub of that library. */
  record OfStub(StubDriver stub) implements DriverUnderTest {
    private static final int XID = 8;
    private static final int DOUBLE_BIT_ERROR = 2;

    static OfStub of(Path root, String branch, KnownModel model) {
      Gpu like =
          new FakeDevices(FakeNodeProfile.parse(model.profile() + ":1"), "worker-1").gpus().get(0);
      return new OfStub(
          Stubs.driver(
              root,
              Integer.parseInt(branch),
              EmulatedGpu.several(model.key(), 2).stream()
                  .map(gpu -> of(gpu.placed(), like))
                  .collect(toImmutableList()),
              ImmutableList.of()));
    }

    private static Gpu of(Gpu placed, Gpu like) {
      boolean switchable = like.model().architecture().equals("Hopper");
      return new Gpu.Builder(placed.uuid(), placed.index(), like.model(), like.memoryBytes())
          .name(placed.name())
          .minor(placed.minor())
          .pcieBusId(placed.pcieBusId())
          .pcieRoot(placed.pcieRoot())
          .numaNode(placed.numaNode())
          .mig(new MigState(MigMode.DISABLED, switchable, ImmutableList.of()))
          .build();
    }

    @Override
    public NvidiaDevices open() throws IOException {
      return Stubs.open(stub.root(), new FakeMpsServers());
    }

    @Override
    public Path library() {
      return stub.library();
    }

    @Override
    public String version() {
      return StubDriver.VERSION;
    }

    @Override
    public String cudaVersion() {
      return "12.4";
    }

    @Override
    public void set(String uuid, String what, int value) {
      switch (what) {
        case "unbound" -> stub.set(uuid, "absent", value);
        case "computing" -> {
          stub.set(uuid, "process", value);
          stub.set(uuid, "in_use", value);
        }
        default -> stub.set(uuid, what, value);
      }
    }

    @Override
    public void xid(String uuid, int number) {
      stub.tell(uuid, XID, number);
    }

    @Override
    public void xid(String uuid, int number, NvmlMig.Device where) {
      stub.tell(uuid, XID, number, where.gpuInstance(), where.computeInstance());
    }

    @Override
    public void doubleBitError(String uuid) {
      stub.tell(uuid, DOUBLE_BIT_ERROR, 0);
    }

    @Override
    public void replaceModule() throws IOException {
      stub.faults("nvmlInitWithFlags * 18 1000000");
    }

    @Override
    public int instances() throws IOException {
      stub.faults();
      try (NvidiaDevices now = open()) {
        return now.gpus().stream().mapToInt(gpu -> gpu.mig().devices().size()).sum();
      }
    }

    @Override
    public void close() {}
  }
}
