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
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Mount;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import io.gpudra.kubeletplugin.testing.Stubs;
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
    String multiarch = "/usr/lib/" + ElfHeader.multiarch();
    String machine = ElfHeader.multiarch().substring(0, ElfHeader.multiarch().indexOf('-'));
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
    DriverRoot found =
        DriverRoot.find(Optional.of(Path.of(driver)), Optional.empty(), system.root());
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
      new CharLinks(dev, dev).require(node);
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
    return new DeviceNodes(dev, node, memory, new CharLinks(dev, node), pci).control();
  }

  private ContainerToolkit installed(String program) throws IOException {
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root"), "only root may change a process's root");
    Path made = built.resolve(program);
    Path place = Files.createDirectories(directory.resolve("node/usr/bin"));
    Files.copy(made, place.resolve(made.getFileName()));
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

  @Test
  void beforeTheHooksHadAProgramOfTheirOwnThereWereFewer() throws IOException {
    assertThat(installed("1.15/nvidia-ctk").hooks())
        .containsExactlyInAnyOrder("create-symlinks", "update-ldcache");
  }

  /** In the order of a container that is made; its image has a newer CUDA. */
  @ParameterizedTest
  @ValueSource(strings = {"nvidia-cdi-hook", "nvidia-ctk", "1.15/nvidia-ctk"})
  void itsHooksDoWhatTheyAreTold(String program) throws IOException {
    Stubs.assumeMounts(Files.createDirectories(directory.resolve("mounted")));
    ContainerToolkit toolkit = installed(program);
    Path node = directory.resolve("system");
    new DriverSystem(node, "/", "/usr/lib64", "/usr/lib64").install("vulkan/icd.d/nvidia_icd.json");
    DriverRoot found = DriverRoot.find(Optional.of(Path.of("/")), Optional.empty(), node);
    ContainerEdits edits =
        new DriverFiles(found, DriverSystem.VERSION, Optional.of(toolkit)).edits();
    Path container = container(found, edits);

    for (Hook hook : edits.hooks()) {
      run(hook, container);
    }
    Path libraries = container.resolve("usr/lib64");
    assertThat(Files.readSymbolicLink(libraries.resolve("libcuda.so")))
        .isEqualTo(Path.of("libcuda.so.1"));
    assertThat(libraries.resolve("gbm/nvidia-drm_gbm.so")).exists();
    boolean newer = toolkit.knows("enable-cuda-compat");
    assertThat(LinkerCache.read(container.resolve("etc/ld.so.cache")).files())
        .containsEntry(
            "libcuda.so.1",
            Path.of(newer ? "/usr/local/cuda/compat" : "/usr/lib64").resolve("libcuda.so.1"))
        .containsEntry("libnvidia-ml.so.1", Path.of("/usr/lib64/libnvidia-ml.so.1"));
  }

  private Path container(DriverRoot found, ContainerEdits edits) throws IOException {
    Path container = directory.resolve("bundle/rootfs");
    for (Mount mount : edits.mounts()) {
      DriverSystem.mount(mount, found.node(), container);
    }
    for (String needed :
        ImmutableList.of("dev", "proc", "sys", "tmp", "etc/ld.so.conf.d", "usr/local/cuda")) {
      Files.createDirectories(container.resolve(needed));
    }
    Files.writeString(container.resolve("etc/ld.so.conf"), "include /etc/ld.so.conf.d/*.conf\n");
    // Without one there is no linker, as 1.15 sees it.
    Files.createFile(container.resolve("etc/ld.so.cache"));
    DriverSystem.library(container.resolve("usr/local/cuda/compat"), "libcuda", "560.35.03", "1");
    return container;
  }

  /** With mounts of their own, of which the root of the container is one. */
  private void run(Hook hook, Path container) throws IOException {
    Path bundle = container.resolveSibling("");
    Files.writeString(
        bundle.resolve("config.json"), "{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"rootfs\"}}");
    ImmutableList<String> command =
        ImmutableList.<String>builder()
            .add("unshare", "--mount", "sh", "-c")
            .add("mount --bind \"$0\" \"$0\" && cd \"$0\" && exec \"$@\"")
            .add(container.toString(), directory.resolve("node" + hook.path()).toString())
            .addAll(hook.arguments())
            .build();
    String state =
        "{\"ociVersion\":\"1.0.2\",\"id\":\"one\",\"status\":\"creating\",\"bundle\":\"%s\"}"
            .formatted(bundle);
    DriverProgram.Result result =
        new DriverProgram(command, ImmutableMap.of()).run(state, Duration.ofMinutes(1));
    assertThat(result.status()).as("%s: %s", hook, result.words()).isZero();
    assertThat(result.words()).doesNotContain("Unsupported");
  }
}
