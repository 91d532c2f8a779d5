package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.cdi.CdiDirectory;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.cdi.CdiSpec;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.DeviceNode;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.device.program.DriverProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against NVIDIA's container toolkit and the library of CDI, which hack/nvidia/cdi builds. */
class RealToolkitTest {

  private static final Path SOURCE = Path.of("../hack/nvidia/cdi");

  private static final ContainerToolkit TODAY =
      new ContainerToolkit(
          Path.of("/usr/bin/nvidia-cdi-hook"),
          ImmutableList.of(),
          ImmutableSet.of(
              "enable-cuda-compat",
              "disable-device-node-modification",
              "update-application-profile"));

  private static final CdiNames NAMES = new CdiNames("gpu.resource.example.com");

  @TempDir static Path built = Path.of("");

  @TempDir Path directory = Path.of("");

  @BeforeAll
  static void build() throws IOException {
    try {
      DriverSystem.run(SOURCE.resolve("build").toString(), built.toString());
    } catch (IOException e) {
      String why = "NVIDIA's toolkit cannot be built here: " + e.getMessage();
      if (Boolean.getBoolean("nvidia.required")) {
        throw new IOException(why, e);
      }
      Assumptions.abort(why);
    }
  }

  @Test
  void containersGetWhatTheToolkitGivesThemButWhatIsMeant() throws IOException {
    String multiarch = "/usr/lib/" + Elf.multiarch();
    String machine = Elf.multiarch().substring(0, Elf.multiarch().indexOf('-'));
    String arch = "vulkan/icd.d/nvidia_icd.%s.json".formatted(machine);
    write("ubuntu", "/", multiarch, multiarch, "usr/share/vulkan/icd.d/nvidia_icd.json");
    write("debian", "/", multiarch, multiarch + "/nvidia/current", "usr/share/" + arch);
    write("rhel", "/", "/usr/lib64", "/usr/lib64", "usr/share/" + arch);
    write("arch", "/", "/usr/lib", "/usr/lib", "usr/share/vulkan/icd.d/nvidia_icd.json");
    write("cos", "/home/kubernetes/bin/nvidia", "/lib64", "/lib64", "vulkan/icd.d/nvidia_icd.json");

    DriverProgram.Result compared =
        new DriverProgram(
                ImmutableList.of(
                    built.resolve("cdi").toString(),
                    SOURCE.resolve("differences").toString(),
                    directory.toString()),
                ImmutableMap.of())
            .run("", Duration.ofMinutes(1));
    assertThat(compared.words()).isEmpty();
    assertThat(compared.status()).isZero();
  }

  private void write(String name, String driver, String libraries, String cuda, String vulkan)
      throws IOException {
    Path place = Files.createDirectories(directory.resolve(name));
    DriverSystem system = new DriverSystem(place.resolve("root"), driver, libraries, cuda);
    system.install(vulkan);
    system.runLinker(libraries, cuda);
    addNodes(Files.createDirectories(system.root().resolve("dev")));
    Files.writeString(place.resolve("driver"), driver);
    Files.writeString(place.resolve("version"), DriverSystem.VERSION);
    DriverRoot found = DriverRoot.find(Optional.of(Path.of(driver)), system.root());
    write(found, Optional.of(TODAY), place.resolve("plugin.json"));
    write(found, Optional.empty(), place.resolve("mounts.json"));
  }

  private void write(DriverRoot found, Optional<ContainerToolkit> toolkit, Path file)
      throws IOException {
    ContainerEdits edits =
        new DriverFiles(found, DriverSystem.VERSION, toolkit)
            .edits()
            .plus(ContainerEdits.deviceNodes(control(found)));
    Path specs = directory.resolve("cdi");
    CdiSpec spec = CdiSpec.of(NAMES, "node", new ClaimUid("uid"), ImmutableList.of()).with(edits);
    CdiDirectory.open(specs, NAMES).write(new ClaimUid("uid"), spec);
    Files.move(specs.resolve("k8s.gpu.resource.example.com-claim_uid.json"), file);
  }

  /** Where device nodes can be made; otherwise neither side has any. */
  private static void addNodes(Path dev) throws IOException {
    int minor = 0;
    for (String name :
        ImmutableList.of("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")) {
      DeviceNode node = new DeviceNode("/dev/" + name, 195, minor, 0666);
      new CharLinks(dev).require(node);
      Path made = dev.resolve("char/195:" + minor++);
      if (Files.exists(made)) {
        Files.move(made, dev.resolve(name));
      }
    }
  }

  private static ImmutableList<DeviceNode> control(DriverRoot found) throws IOException {
    Path node = found.node().path();
    Path dev = node.resolve("dev");
    UnifiedMemory memory = new UnifiedMemory(() -> found, dev);
    PciTree pci = new PciTree(node.resolve("sys"));
    return new DeviceNodes(dev, node, memory, new CharLinks(dev), pci).control();
  }

  private ContainerToolkit installed(String program) throws IOException {
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root"), "only root may change a process's root");
    Path place = directory.resolve("node/usr/bin");
    Files.copy(built.resolve(program), Files.createDirectories(place).resolve(program));
    return ContainerToolkit.find(new RootFiles(directory.resolve("node"))).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia-cdi-hook", "nvidia-ctk"})
  void itsProgramsSayWhichHooksTheyHave(String program) throws IOException {
    ContainerToolkit toolkit = installed(program);

    assertThat(toolkit.program()).isEqualTo(Path.of("/usr/bin", program));
    assertThat(toolkit.hooks())
        .contains(
            "create-symlinks",
            "update-ldcache",
            "enable-cuda-compat",
            "disable-device-node-modification",
            "update-application-profile");
  }

  /** A container with a newer CUDA, before its program starts. */
  @ParameterizedTest
  @ValueSource(strings = {"nvidia-cdi-hook", "nvidia-ctk"})
  void itsHooksUnderstandWhatTheyAreTold(String program) throws IOException {
    ContainerToolkit toolkit = installed(program);
    Path node = directory.resolve("system");
    new DriverSystem(node, "/", "/usr/lib64", "/usr/lib64").install("vulkan/icd.d/nvidia_icd.json");
    ContainerEdits edits =
        new DriverFiles(
                DriverRoot.find(Optional.of(Path.of("/")), node),
                DriverSystem.VERSION,
                Optional.of(toolkit))
            .edits();
    Path container = Files.createDirectories(directory.resolve("bundle/rootfs"));
    Path compat = Files.createDirectories(container.resolve("usr/local/cuda/compat"));
    Files.createFile(compat.resolve("libcuda.so.560.35.03"));
    Files.createDirectories(container.resolve("etc/ld.so.conf.d"));

    for (Hook hook : edits.hooks()) {
      assertThat(run(hook)).doesNotContain("flag provided", "Unsupported", "No help topic");
    }
    assertThat(Files.readSymbolicLink(container.resolve("usr/lib64/libcuda.so")))
        .isEqualTo(Path.of("libcuda.so.1"));
    assertThat(Files.readSymbolicLink(container.resolve("usr/lib64/gbm/nvidia-drm_gbm.so")))
        .isEqualTo(Path.of("../libnvidia-allocator.so.1"));
    assertThat(container.resolve("etc/ld.so.conf.d").toFile().list())
        .anyMatch(name -> name.startsWith("00-compat-"));
  }

  private String run(Hook hook) throws IOException {
    Path bundle = directory.resolve("bundle");
    Files.writeString(
        bundle.resolve("config.json"), "{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"rootfs\"}}");
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .add(built.resolve(Path.of(hook.path()).getFileName()).toString())
            .addAll(hook.arguments())
            .build();
    String state =
        "{\"ociVersion\":\"1.0.2\",\"id\":\"one\",\"status\":\"creating\",\"bundle\":\"%s\"}"
            .formatted(bundle);
    return new DriverProgram(command, ImmutableMap.of()).run(state, Duration.ofMinutes(1)).words();
  }
}
