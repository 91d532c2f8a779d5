package io.gpudra.kubeletplugin.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.sun.jna.NativeLibrary;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.Link;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.kubeletplugin.device.nvidia.DriverRoot;
import io.gpudra.kubeletplugin.device.nvidia.Health;
import io.gpudra.kubeletplugin.device.nvidia.HealthFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The root of a driver whose management library is the stub of {@code src/test/nvml}, with the
 * files of a kernel beside it. The stub is compiled where there is a C compiler; tests are skipped
 * where not.
 */
public final class StubDriver {

  /** The last driver that the stub knows. */
  public static final int NEWEST = 550;

  /** Of the driver. */
  public static final String VERSION = "550.54.15";

  private static final Path SOURCES = Path.of("src/test/nvml").toAbsolutePath();
  private static final long MIB = 1L << 20;
  private static final int INSTANCES = 15;
  private static final Map<Integer, Path> COMPILED = new ConcurrentHashMap<>();
  private static final Supplier<Boolean> COMPILER = Suppliers.memoize(StubDriver::hasCompiler);

  private static final ImmutableMap<String, Integer> BRANDS =
      ImmutableMap.of("Quadro", 1, "Tesla", 2, "GeForce", 5, "Nvidia", 14);

  private static final ImmutableMap<String, Integer> ARCHITECTURES =
      ImmutableMap.of(
          "Volta", 5, "Turing", 6, "Ampere", 7, "Ada Lovelace", 8, "Hopper", 9, "Blackwell", 10);

  /** Kinds of GPU instances: the number that asks for it, and its id (nvidia.md 1.4, 2.1). */
  private static final ImmutableMap<String, String> KINDS =
      new ImmutableMap.Builder<String, String>()
          .put("1g", "0 19")
          .put("2g", "1 14")
          .put("3g", "2 9")
          .put("4g", "3 5")
          .put("7g", "4 0")
          .put("1g+me", "7 20")
          .put("1g doubled", "9 15")
          .buildOrThrow();

  private final Path root;
  private final ImmutableList<Gpu> gpus;

  private StubDriver(Path root, ImmutableList<Gpu> gpus) {
    this.root = root;
    this.gpus = gpus;
  }

  /** One that knows these GPUs. */
  public static StubDriver of(Path root, int era, Collection<Gpu> gpus, Collection<Link> links) {
    Assumptions.assumeTrue(COMPILER.get(), "no C compiler: the stub of NVML cannot be made");
    try {
      StubDriver stub = new StubDriver(root, ImmutableList.copyOf(gpus));
      Path directory = Files.createDirectories(root.resolve("usr/lib64"));
      Files.copy(compiled(era), directory.resolve("libnvidia-ml.so." + VERSION));
      stub.link(directory, "libnvidia-ml");
      Files.createFile(directory.resolve("libcuda.so." + VERSION));
      stub.link(directory, "libcuda");
      stub.makeNodes(gpus);
      Files.writeString(directory.resolve("machine.conf"), configuration(gpus, links));
      for (Gpu gpu : gpus) {
        stub.place(gpu);
      }
      return stub;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void link(Path directory, String name) throws IOException {
    Files.createSymbolicLink(directory.resolve(name + ".so.1"), Path.of(name + ".so." + VERSION));
  }

  private void makeNodes(Collection<Gpu> gpus) throws IOException {
    Path dev = Files.createDirectories(root.resolve("dev"));
    List<String> commands = new ArrayList<>();
    commands.add(node(dev.resolve("nvidiactl"), 3, "/dev/null"));
    commands.add(node(dev.resolve("nvidia-uvm"), 7, "/dev/full"));
    for (Gpu gpu : gpus) {
      commands.add(node(dev.resolve("nvidia" + gpu.minor()), 5, "/dev/zero"));
    }
    run("sh", "-c", String.join("; ", commands));
    Path proc = root.resolve("proc");
    Path minors = Files.createDirectories(proc.resolve("driver/nvidia-caps"));
    Files.write(
        minors.resolve("mig-minors"),
        gpus.stream().map(Gpu::minor).flatMap(StubDriver::capabilities).toList());
    Files.writeString(
        proc.resolve("devices"),
        "Character devices:\n  1 mem\n195 nvidia\n236 nvidia-caps\n\nBlock devices:\n  8 sd\n");
  }

  /** Who may not make device nodes links to one that is everywhere. */
  private static String node(Path file, int minor, String like) {
    return "mknod %s c 1 %d 2>/dev/null || ln -s %s %1$s".formatted(file, minor, like);
  }

  /** As the driver numbers them today. */
  private static Stream<String> capabilities(int gpu) {
    return IntStream.range(0, INSTANCES)
        .boxed()
        .flatMap(
            instance -> {
              int minor = 3 + 135 * gpu + 9 * instance;
              return Stream.concat(
                  Stream.of("gpu%d/gi%d/access %d".formatted(gpu, instance, minor)),
                  IntStream.range(0, 8)
                      .mapToObj(
                          compute ->
                              "gpu%d/gi%d/ci%d/access %d"
                                  .formatted(gpu, instance, compute, minor + 1 + compute)));
            });
  }

  private static boolean hasCompiler() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "cc")));
  }

  private static Path compiled(int era) {
    return COMPILED.computeIfAbsent(era, StubDriver::compile);
  }

  private static Path compile(int era) {
    try {
      Path file = Files.createTempFile("libnvidia-ml", ".so");
      file.toFile().deleteOnExit();
      run(SOURCES.resolve("build").toString(), file.toString(), String.valueOf(era));
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(words);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static String configuration(Collection<Gpu> gpus, Collection<Link> links) {
    ImmutableList<Gpu> all = ImmutableList.copyOf(gpus);
    Stream<String> machine = Stream.of("driver " + VERSION, "cuda 12040");
    Stream<String> boards = all.stream().flatMap(StubDriver::gpu);
    Stream<String> connections = links.stream().flatMap(link -> lines(link, all));
    return Stream.of(machine, boards, connections)
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static Stream<String> gpu(Gpu gpu) {
    String compute = gpu.model().cudaComputeCapability();
    String line =
        "gpu %s %d %s %d %d %d %s %d %d %d %s"
            .formatted(
                gpu.uuid(),
                gpu.minor(),
                busId(gpu),
                gpu.memoryBytes() / MIB,
                BRANDS.getOrDefault(gpu.model().brand(), 0),
                ARCHITECTURES.getOrDefault(gpu.model().architecture(), 0),
                compute,
                gpu.model().capabilities().contains("ecc") ? 1 : -1,
                mig(gpu.mig().mode()),
                gpu.mig().switchable() ? 0 : 1,
                gpu.model().productName());
    return Stream.concat(
        Stream.of(line), gpu.model().migProfiles().stream().map(StubDriver::profile));
  }

  /** Every GPU of a driver has one. */
  private static String busId(Gpu gpu) {
    return gpu.pcieBusId().isEmpty()
        ? "0000:%02x:00.0".formatted(gpu.index() + 1)
        : gpu.pcieBusId();
  }

  private static int mig(MigMode mode) {
    return switch (mode) {
      case UNSUPPORTED -> -1;
      case DISABLED -> 0;
      case ENABLED -> 1;
    };
  }

  private static String profile(MigProfile profile) {
    return "profile %s %d %d %d %d %s %s"
        .formatted(
            kind(profile),
            profile.compute(),
            profile.size(),
            profile.most(),
            profile.memoryBytes() / MIB,
            profile.starts().stream().map(String::valueOf).collect(Collectors.joining(",")),
            profile.name());
  }

  private static String kind(MigProfile profile) {
    boolean doubled = profile.compute() == 1 && profile.size() == 2;
    boolean media = profile.name().endsWith("+me");
    String key = profile.compute() + "g" + (doubled ? " doubled" : media ? "+me" : "");
    return Optional.ofNullable(KINDS.get(key)).orElseThrow();
  }

  private static Stream<String> lines(Link link, ImmutableList<Gpu> gpus) {
    ImmutableList<Integer> ends =
        link.gpuUuids().stream()
            .map(uuid -> index(uuid, gpus))
            .collect(ImmutableList.toImmutableList());
    if (link.type() == Link.Type.NVSWITCH) {
      return ends.stream().map(end -> "link %d -1 %d".formatted(end, link.lanes()));
    }
    return ends.stream()
        .flatMap(
            one ->
                ends.stream()
                    .filter(other -> !other.equals(one))
                    .map(other -> "link %d %d %d".formatted(one, other, link.lanes())));
  }

  private static int index(String uuid, ImmutableList<Gpu> gpus) {
    return gpus.stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst().orElseThrow().index();
  }

  private void place(Gpu gpu) throws IOException {
    Path device =
        root.resolve("sys").resolve("devices").resolve(gpu.pcieRoot()).resolve(busId(gpu));
    Files.createDirectories(device);
    Files.writeString(device.resolve("numa_node"), gpu.numaNode() + "\n");
    Path known = Files.createDirectories(root.resolve("sys").resolve("bus/pci/devices"));
    Files.createSymbolicLink(known.resolve(busId(gpu)), device);
  }

  /** Where the kernel's files are. */
  public Path kernel() {
    return root;
  }

  public DriverRoot root() throws IOException {
    return DriverRoot.find(Optional.of(root), Optional.of(Path.of("/driver")));
  }

  /** As the driver {@code gpu.example.com} of one boot keeps it. */
  public Health health() {
    return new Health(
        "gpu.example.com",
        ImmutableSet.of(),
        new HealthFile(root.resolve("health.json"), "boot-1"),
        Clock.systemUTC());
  }

  /** Something that a GPU tells: 8 for an XID, 2 for a double-bit error. */
  public void tell(String uuid, int type, int data) {
    call("stubTell", uuid, type, data);
  }

  public Path library() {
    return root.resolve("usr/lib64/libnvidia-ml.so.1");
  }

  /** The driver is of another version; to be said before anybody uses it. */
  public void version(String other) throws IOException {
    Path file = root.resolve("usr/lib64/machine.conf");
    Files.writeString(file, Files.readString(file).replace("driver " + VERSION, "driver " + other));
  }

  /** What goes wrong from now on: lines of {@code FUNCTION UUID ANSWER TIMES}; see machine.h. */
  public void faults(String... lines) throws IOException {
    Files.write(root.resolve("usr/lib64/faults.conf"), ImmutableList.copyOf(lines));
    call("stubForget");
  }

  /** Sets {@code lost} or {@code in_use} of a GPU. */
  public void set(String uuid, String what, int value) {
    if (call("stubSet", uuid, what, value) != 0) {
      throw new IllegalArgumentException(what);
    }
  }

  /** {@code compute_mode} of a GPU, or {@code compute_profile} of the instance made last. */
  public int get(String uuid, String what) {
    return call("stubGet", uuid, what);
  }

  /** What of the GPUs is not as it is after a boot. */
  public ImmutableSet<String> settings() throws IOException {
    Map<String, String> settings = new TreeMap<>();
    Path calls = root.resolve("nvidia-smi.calls");
    for (String call :
        Files.exists(calls) ? Files.readAllLines(calls) : ImmutableList.<String>of()) {
      List<String> words = Splitter.on(' ').splitToList(call);
      settings.put(words.get(2) + " turns", words.get(4));
    }
    for (Gpu gpu : gpus) {
      settings.put(gpu.uuid() + " mode", String.valueOf(get(gpu.uuid(), "compute_mode")));
    }
    return settings.entrySet().stream()
        .filter(setting -> !setting.getValue().equals("0"))
        .map(Object::toString)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Everything is as it is after a boot. */
  public void boot() {
    call("stubBoot");
  }

  private int call(String function, Object... arguments) {
    return NativeLibrary.getInstance(library().toString())
        .getFunction(function)
        .invokeInt(arguments);
  }

  /** A program of the driver that writes down how it was called, and ends as it is told. */
  public Path program(String name, int status) throws IOException {
    Path calls = root.resolve(name + ".calls");
    Path program = Files.createDirectories(root.resolve("usr/bin")).resolve(name);
    Files.writeString(
        program,
        "#!/bin/sh\necho \"$@\" >> %s\necho it was called\nexit %d\n".formatted(calls, status));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return calls;
  }
}
