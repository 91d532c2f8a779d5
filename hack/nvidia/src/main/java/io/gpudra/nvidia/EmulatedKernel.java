package io.gpudra.nvidia;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kernel side of NVIDIA's driver, with GPUs that are not there, for NVIDIA's own library in
 * this process. It is this process's only one until it is closed.
 */
public final class EmulatedKernel implements AutoCloseable {

  private static final String PRELOAD = "LD_PRELOAD";
  private static final String OBJECT = "nvemu.so";
  private static final int NO_INSTANCE = -1;

  /** Of controls.h. */
  private static final int RC_ERROR = 0x25;

  /** Of controls.h. */
  private static final int ECC_DBE = 0x70;

  private final NativeLibrary object;
  private final Path root;
  private final Path library;
  private final String version;

  private EmulatedKernel(NativeLibrary object, Path root, Path library, String version) {
    this.object = object;
    this.root = root;
    this.library = library;
    this.version = version;
  }

  /** Whether this process was to have one. */
  public static boolean isWanted() {
    return objects().findAny().isPresent();
  }

  /** What stands between the C library and this process; absent where it could not be made. */
  public static Optional<Path> preloaded() {
    return objects().filter(Files::exists).findFirst();
  }

  private static Stream<Path> objects() {
    return Stream.ofNullable(System.getenv(PRELOAD))
        .flatMap(files -> Stream.of(files.split(":")))
        .map(Path::of)
        .filter(file -> file.endsWith(OBJECT));
  }

  /**
   * Loads the module, as it were.
   *
   * @param root an empty directory
   * @param library such as {@code libnvidia-ml.so.550.163.01}: the kernel is of its version
   * @throws IOException when a file cannot be written
   */
  public static EmulatedKernel of(Path root, Path library, Collection<EmulatedGpu> gpus)
      throws IOException {
    return of(preloaded().orElseThrow().toAbsolutePath(), root, library, gpus);
  }

  /** The same for other processes, which are to preload the object and have this root. */
  public static EmulatedKernel of(Path file, Path root, Path library, Collection<EmulatedGpu> gpus)
      throws IOException {
    NativeLibrary object = NativeLibrary.getInstance(file.toString());
    Path link = new DriverTree(root, library).make(gpus);
    String version = DriverTree.version(library);
    EmulatedKernel kernel = new EmulatedKernel(object, root, link, version);
    kernel.call("nvemuRoot", root.toString());
    kernel.require(kernel.call("nvemuMake"), "the state file");
    kernel.module(version);
    for (EmulatedGpu gpu : gpus) {
      int minor = kernel.call("nvemuAdd", gpu.model(), gpu.uuid(), 0, gpu.bus());
      kernel.require(minor - gpu.minor(), gpu.toString());
    }
    return kernel;
  }

  private void require(int answer, String what) throws IOException {
    if (answer != 0) {
      throw new IOException("%s cannot be made below %s".formatted(what, root));
    }
  }

  /** Where the driver is, and where {@code sys}, {@code proc} and {@code dev} are. */
  public Path root() {
    return root;
  }

  /** Of the module, such as {@code 550.163.01}. */
  public String driverVersion() {
    return version;
  }

  /** NVIDIA's own. */
  public Path library() {
    return library;
  }

  /** Loads a module of another version: no session can begin with the library that is there. */
  public void module(String other) {
    call("nvemuDriver", other);
  }

  /** Sets something of a GPU that no library of the driver sets; see facade.c. */
  public void set(String uuid, String what, int value) {
    if (call("nvemuSet", uuid, what, value) != 0) {
      throw new IllegalArgumentException("%s of %s".formatted(what, uuid));
    }
  }

  /** The GPU tells an XID. */
  public void xid(String uuid, int number) {
    xid(uuid, number, NO_INSTANCE, NO_INSTANCE);
  }

  /** The same of a GPU instance and a compute instance of it, by their numbers. */
  public void xid(String uuid, int number, int gpuInstance, int computeInstance) {
    tell(uuid, RC_ERROR, number, gpuInstance, computeInstance);
  }

  /** The GPU tells that memory has an error that cannot be corrected. */
  public void doubleBitError(String uuid) {
    tell(uuid, ECC_DBE, 0, NO_INSTANCE, NO_INSTANCE);
  }

  private void tell(String uuid, int what, int data, int gpuInstance, int computeInstance) {
    if (call("nvemuTell", uuid, what, data, gpuInstance, computeInstance) != 0) {
      throw new IllegalArgumentException(uuid);
    }
  }

  /** GPU instances and compute instances that the kernel has. */
  public int instances() {
    return call("nvemuInstances");
  }

  private int call(String function, Object... arguments) {
    return object.getFunction(function).invokeInt(arguments);
  }

  /** From now on no library finds a driver. */
  @Override
  public void close() {
    call("nvemuRoot", "");
  }
}
