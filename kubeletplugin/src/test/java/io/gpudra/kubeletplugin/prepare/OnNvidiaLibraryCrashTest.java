package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.inside;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.NodeDriver;
import io.gpudra.nvidia.EmulatedGpu;
import io.gpudra.nvidia.EmulatedKernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The process dies at each point, with NVIDIA's own library and two H100. */
@Tag("nvidia")
class OnNvidiaLibraryCrashTest {

  private static final String GPU = EmulatedGpu.several(EmulatedGpu.H100, 1).get(0).uuid();

  /** What a claim has. */
  record Claim(String what, ImmutableList<GrantedDevice> devices) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Claim> claims() {
    Slice three = new Slice("3g.40gb", 0, 4, 3, Optional.empty());
    return Stream.of(
        new Claim("whole GPU", ImmutableList.of(device(new Part.Whole()))),
        new Claim("3g.40gb", ImmutableList.of(device(three))),
        new Claim(
            "7g.80gb", ImmutableList.of(device(new Slice("7g.80gb", 0, 8, 7, Optional.empty())))),
        new Claim(
            "1g.20gb", ImmutableList.of(device(new Slice("1g.20gb", 2, 2, 1, Optional.empty())))),
        new Claim(
            "3 x 1c.3g.40gb",
            IntStream.range(0, 3)
                .mapToObj(start -> three.with(Optional.of(new Instance(start, 1))))
                .map(slice -> inside("parent", device(slice)))
                .collect(ImmutableList.toImmutableList())));
  }

  private static GrantedDevice device(Part part) {
    String name = part instanceof Slice slice ? slice.nameOn("gpu-0") : "gpu-0";
    return new GrantedDevice(name, GrantFixture.part(GPU, part), /* parent= */ false);
  }

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private EmulatedKernel kernel;

  @BeforeEach
  void boot() throws IOException {
    kernel =
        EmulatedKernel.of(
            directory.resolve("driver"),
            Emulated.library("550"),
            EmulatedGpu.several(EmulatedGpu.H100, 2));
  }

  @AfterEach
  void end() {
    if (kernel != null) {
      kernel.close();
    }
  }

  private final class Scene {
    final FakeNode node;
    final Claim claim;

    Scene(String name, Claim claim) throws IOException {
      Path place = Files.createDirectories(directory.resolve(name));
      this.node = new FakeNode(place, new OfKernel(kernel));
      this.claim = claim;
      Files.createDirectories(node.cdi);
    }

    ClaimPreparer start() throws IOException {
      return node.start(new Faults(), HASTY);
    }

    boolean prepare(ClaimPreparer preparer) {
      return preparer.prepare(
              node.request("u1", claim.devices().toArray(GrantedDevice[]::new)),
              PrepareCall.withoutDeadline())
          instanceof Ready;
    }

    boolean unprepare(ClaimPreparer preparer) {
      return preparer
          .unprepare(new ClaimUid("u1"), ref("u1"), PrepareCall.withoutDeadline())
          .isEmpty();
    }

    boolean dies(int point, Consumer<ClaimPreparer> work) throws IOException {
      Faults faults = new Faults();
      ClaimPreparer preparer = node.start(faults, HASTY);
      faults.dieAt(point);
      try {
        work.accept(preparer);
      } catch (Faults.Death e) {
        return true;
      }
      return faults.dead();
    }

    /** Nothing is left on the node and in the kernel. */
    void assertGone(ClaimPreparer preparer) throws IOException {
      assertThat(preparer.held()).isEmpty();
      assertThat(node.specs()).isEmpty();
      assertThat(kernel.instances()).as("instances that the kernel still has").isZero();
      node.devices.close();
    }
  }

  private record OfKernel(EmulatedKernel kernel) implements NodeDriver {
    @Override
    public GpuDevices open(MpsServers mps) throws IOException {
      return Emulated.open(kernel, mps);
    }

    @Override
    public ImmutableSet<String> settings(Gpu gpu) {
      return ImmutableSet.of();
    }
  }

  @ParameterizedTest
  @MethodSource("claims")
  void aPrepareThatDiesIsFinishedAndTakenBack(Claim claim) throws IOException {
    boolean died = true;
    for (int point = 0; died; point++) {
      Scene scene = new Scene("prepare-" + point, claim);
      died = scene.dies(point, scene::prepare);
      ClaimPreparer next = scene.start();
      assertThat(scene.prepare(next)).as("after point %d", point).isTrue();
      assertThat(scene.unprepare(next)).as("after point %d", point).isTrue();
      scene.assertGone(next);
    }
  }

  @ParameterizedTest
  @MethodSource("claims")
  void anUnprepareThatDiesIsFinishedByItsRepetition(Claim claim) throws IOException {
    boolean died = true;
    for (int point = 0; died; point++) {
      Scene scene = new Scene("unprepare-" + point, claim);
      assertThat(scene.prepare(scene.start())).isTrue();
      died = scene.dies(point, scene::unprepare);
      ClaimPreparer next = scene.start();
      assertThat(scene.unprepare(next)).as("after point %d", point).isTrue();
      scene.assertGone(next);
    }
  }
}
