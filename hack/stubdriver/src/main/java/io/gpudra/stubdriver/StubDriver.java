package io.gpudra.stubdriver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/**
 * The root of a system with a driver: its libraries and its programs, what these need of the
 * system, and the files of a kernel that has loaded it.
 */
public final class StubDriver {

  /** The last driver that there is. */
  public static final int NEWEST = 550;

  /** Of the driver. */
  public static final String VERSION = "550.54.15";

  /** Sets the length of turns. */
  public static final String SMI = "nvidia-smi";

  /** Serves the processes of a GPU. */
  public static final String MPS_CONTROL = "nvidia-cuda-mps-control";

  /** Loads modules of the driver. */
  public static final String MODPROBE = "nvidia-modprobe";

  /** In place of the number of an instance. */
  public static final int NO_INSTANCE = -1;

  private static final String LIBRARIES = "usr/lib64";
  private static final String MACHINE = LIBRARIES + "/machine.conf";

  /** RTLD_LAZY without RTLD_GLOBAL, so that each library finds its own functions. */
  private static final ImmutableMap<String, Object> LOCAL =
      ImmutableMap.of(Library.OPTION_OPEN_FLAGS, 1);

  private final Path root;

  private StubDriver(Path root) {
    this.root = root;
  }

  /** Whether this machine has the C compiler that it takes. */
  public static boolean canBeMade() {
    return CCompiler.isThere();
  }

  /**
   * Makes one.
   *
   * @param root an empty directory, or none yet
   * @param era of the library: 450, 470, 510, 525, 535 or {@link #NEWEST}
   * @throws IOException when a file cannot be written
   * @throws java.io.UncheckedIOException when the compiler cannot make it
   */
  public static StubDriver of(Path root, int era, Collection<Gpu> gpus, Collection<GpuLink> links)
      throws IOException {
    ImmutableList<Gpu> all = ImmutableList.copyOf(gpus);
    Path libraries = Files.createDirectories(root.resolve(LIBRARIES));
    addLibraries(libraries, VERSION, era);
    Path programs = Files.createDirectories(root.resolve("usr/bin"));
    for (String program : ImmutableList.of(SMI, MPS_CONTROL)) {
      Files.copy(CCompiler.program(program), programs.resolve(program));
    }
    new SystemFiles(root).make();
    new KernelFiles(root).make(all);
    Files.writeString(
        root.resolve(MACHINE), new MachineFile(VERSION, all, ImmutableList.copyOf(links)).text());
    return new StubDriver(root);
  }

  /** Where the driver is, and where {@code sys}, {@code proc} and {@code dev} are. */
  public Path root() {
    return root;
  }

  public Path library() {
    return root.resolve(LIBRARIES).resolve("libnvidia-ml.so.1");
  }

  public Path program(String name) {
    return root.resolve("usr/bin").resolve(name);
  }

  /** Sets another driver version; to be called before the first use, or before a boot. */
  public void version(String other) throws IOException {
    Path file = root.resolve(MACHINE);
    Files.writeString(file, Files.readString(file).replace("driver " + VERSION, "driver " + other));
  }

  /** Files of another version take the place of this one's, which the kernel has loaded still. */
  public void install(String other, int era) throws IOException {
    Path libraries = root.resolve(LIBRARIES);
    for (String name : ImmutableList.of("libnvidia-ml", "libcuda")) {
      Files.delete(libraries.resolve(name + ".so." + VERSION));
      Files.delete(libraries.resolve(name + ".so.1"));
    }
    addLibraries(libraries, other, era);
  }

  private static void addLibraries(Path directory, String version, int era) throws IOException {
    Files.copy(CCompiler.library(era), directory.resolve("libnvidia-ml.so." + version));
    Files.createFile(directory.resolve("libcuda.so." + version));
    for (String name : ImmutableList.of("libnvidia-ml", "libcuda")) {
      Files.createSymbolicLink(directory.resolve(name + ".so.1"), Path.of(name + ".so." + version));
    }
  }

  /** The program that loads modules, which runs in the driver's root alone. */
  public void addModprobe() throws IOException {
    Files.copy(CCompiler.loneProgram(MODPROBE), program(MODPROBE));
  }

  /** What goes wrong from now on: lines of {@code FUNCTION UUID ANSWER TIMES}; see machine.h. */
  public void faults(String... lines) throws IOException {
    Files.write(root.resolve(LIBRARIES).resolve("faults.conf"), ImmutableList.copyOf(lines));
    call("stubForget");
  }

  /** Something that a GPU tells: 8 for an XID, 2 for a double-bit error. */
  public void tell(String uuid, int type, int data) {
    tell(uuid, type, data, NO_INSTANCE, NO_INSTANCE);
  }

  /** The same of one GPU instance and a compute instance of it, or none, by their numbers. */
  public void tell(String uuid, int type, int data, int gpuInstance, int computeInstance) {
    call("stubTell", uuid, type, data, gpuInstance, computeInstance);
  }

  /** Sets something of a GPU that no function of the library sets; see gpu.c. */
  public void set(String uuid, String what, int value) {
    if (call("stubSet", uuid, what, value) != 0) {
      throw new IllegalArgumentException(what);
    }
  }

  /** Something of a GPU that no function of the library tells; see gpu.c. */
  public int get(String uuid, String what) {
    return call("stubGet", uuid, what);
  }

  /** Everything is as it is after a boot. */
  public void boot() {
    call("stubBoot");
  }

  private int call(String function, Object... arguments) {
    return NativeLibrary.getInstance(library().toString(), LOCAL)
        .getFunction(function)
        .invokeInt(arguments);
  }
}
