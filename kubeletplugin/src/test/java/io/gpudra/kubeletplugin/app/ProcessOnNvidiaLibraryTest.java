package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.rpc.Kubelet;
import io.gpudra.kubeletplugin.rpc.SocketPaths;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.nvidia.EmulatedGpu;
import io.gpudra.nvidia.EmulatedKernel;
import io.gpudra.stubdriver.SystemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin's process with NVIDIA's own library and MPS daemon, killed after each call. */
@Tag("nvidia")
class ProcessOnNvidiaLibraryTest {

  private static final long GIB = 1L << 30;
  private static final int FIRST = 0;
  private static final int SECOND = 1;

  @TempDir Path directory = Path.of("");

  @SuppressWarnings("NullAway.Init") // set before each test
  private EmulatedKernel kernel;

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeApi api;

  @SuppressWarnings("NullAway.Init") // set by each start
  private Process plugin;

  @BeforeEach
  void boot() throws IOException {
    Stubs.assumeMounts(directory);
    Path root = directory.resolve("root");
    kernel =
        EmulatedKernel.of(root, Emulated.library("550"), EmulatedGpu.several(EmulatedGpu.H100, 2));
    new SystemFiles(root).make();
    Path programs = Emulated.packageOf("mps-550").directory();
    Path place = Files.createDirectories(root.resolve("usr/bin"));
    for (String name :
        ImmutableList.of("bin/nvidia-cuda-mps-control", "sbin/nvidia-cuda-mps-server")) {
      Path program = programs.resolve("usr").resolve(name);
      Files.copy(program, place.resolve(program.getFileName()));
    }
    Files.createDirectories(directory.resolve("cdi"));
    Files.writeString(directory.resolve("boot_id"), "boot-1\n");
    api = new FakeApi();
  }

  @AfterEach
  void shutDown() throws IOException {
    if (plugin != null) {
      plugin.destroyForcibly().onExit().join();
    }
    if (api != null) {
      api.close();
    }
    if (kernel != null) {
      kernel.close();
    }
  }

  private SocketPaths sockets() throws IOException {
    return SocketPaths.below(directory.resolve("k"), FakeNode.DRIVER);
  }

  /** Serves as soon as this returns. */
  private void start() throws IOException {
    Path socket = sockets().dra();
    Files.deleteIfExists(socket);
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            PluginMain.class.getName(),
            "--node-name=" + FakeNode.NAME,
            "--kubelet-dir=" + directory.resolve("k"),
            "--cdi-root=" + directory.resolve("cdi"),
            "--kubeconfig=" + api.kubeconfig(directory),
            "--boot-id-file=" + directory.resolve("boot_id"),
            "--node-root=" + kernel.root(),
            "--driver-root=/",
            "--devices=nvidia",
            "--probe-port=0",
            "--metrics-port=0");
    command.environment().put("NVEMU_ROOT", kernel.root().toString());
    plugin =
        command
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    Awaitility.await("it serves")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Files.exists(socket) || !plugin.isAlive());
    assertThat(plugin.isAlive()).as(Files.readString(log())).isTrue();
  }

  private Path log() {
    return directory.resolve("plugin.log");
  }

  private void killAndStart() throws IOException {
    plugin.destroyForcibly().onExit().join();
    start();
  }

  private static Grant claim(String uid, int gpu, SharingStrategy sharing, Part... parts) {
    EmulatedGpu of = EmulatedGpu.several(EmulatedGpu.H100, 2).get(gpu);
    String name = "gpu-" + gpu;
    return GrantFixture.grant(
        new ClaimUid(uid),
        FakeNode.NAME,
        Stream.of(parts)
            .map(
                part ->
                    new GrantedDevice(
                        part instanceof Slice slice ? slice.nameOn(name) : name,
                        new GrantedPart(
                            of.uuid(), part, sharing, 100, false, inside(part), Optional.empty()),
                        false))
            .collect(ImmutableList.toImmutableList()));
  }

  private static Optional<ClaimUid> inside(Part part) {
    return part instanceof Slice slice && slice.instance().isPresent()
        ? Optional.of(new ClaimUid("parent"))
        : Optional.empty();
  }

  private static Grant mig(String uid, String profile, int start, int size, int compute) {
    return claim(
        uid,
        FIRST,
        SharingStrategy.NONE,
        new Slice(profile, start, size, compute, Optional.empty()));
  }

  private void prepare(Grant... claims) throws IOException {
    for (Grant claim : claims) {
      try (Kubelet kubelet = new Kubelet()) {
        String uid = claim.claim().value();
        var answer =
            kubelet.v1alpha3(sockets()).nodePrepareResources(Kubelet.prepare(Kubelet.claim(claim)));
        assertThat(answer.getClaimsOrThrow(uid).getError()).as(uid).isEmpty();
        assertThat(answer.getClaimsOrThrow(uid).getCdiDevicesList()).as(uid).isNotEmpty();
      }
      killAndStart();
    }
  }

  private void unprepare(Grant... claims) throws IOException {
    for (Grant claim : claims) {
      try (Kubelet kubelet = new Kubelet()) {
        String uid = claim.claim().value();
        var answer =
            kubelet
                .v1alpha3(sockets())
                .nodeUnprepareResources(Kubelet.unprepare(Kubelet.claim(claim)));
        assertThat(answer.getClaimsOrThrow(uid).getError()).as(uid).isEmpty();
      }
      killAndStart();
    }
  }

  /** The plugin's probe of the directory is there for a moment. */
  private void assertNothingIsLeft() throws IOException {
    assertThat(kernel.instances()).as("instances that the kernel still has").isZero();
    await().untilAsserted(() -> assertThat(directory.resolve("cdi")).isEmptyDirectory());
  }

  private static final Slice THREE = new Slice("3g.40gb", 4, 4, 3, Optional.empty());

  @Test
  void servesWholeGpusAndMigDevicesOfEachSize() throws IOException {
    start();
    Grant whole = claim("whole", SECOND, SharingStrategy.NONE, new Part.Whole());
    Grant three = mig("three", "3g.40gb", 0, 4, 3);
    Grant doubled = mig("doubled", "1g.20gb", 4, 2, 1);
    prepare(whole, three, doubled);
    assertThat(kernel.instances()).as("GPU instances and compute instances").isEqualTo(4);
    unprepare(three, doubled);

    Grant seven = mig("seven", "7g.80gb", 0, 8, 7);
    prepare(seven);
    unprepare(seven);

    Grant parts =
        claim(
            "parts",
            FIRST,
            SharingStrategy.NONE,
            IntStream.range(0, 3)
                .mapToObj(at -> THREE.with(Optional.of(new Instance(at, 1))))
                .toArray(Part[]::new));
    prepare(parts);
    assertThat(kernel.instances()).isEqualTo(4);
    unprepare(parts, whole);
    assertNothingIsLeft();
  }

  @Test
  void sharesAGpuThroughNvidiasDaemonWithTheLimitsOfTheClaim() throws IOException {
    start();
    Grant shared =
        claim(
            "shared",
            SECOND,
            new SharingStrategy.Mps(OptionalInt.of(30), OptionalLong.of(4 * GIB)),
            new Part.Whole());

    prepare(shared);

    assertThat(Files.readString(serverLog()))
        .contains("set_default_device_pinned_mem_limit 0 4096M")
        .contains("set_default_active_thread_percentage 30");
    unprepare(shared);
    assertThat(serverLog()).doesNotExist();
    assertNothingIsLeft();
  }

  private Path serverLog() throws IOException {
    return sockets().dra().resolveSibling("mps/gpu-1/control.log");
  }
}
