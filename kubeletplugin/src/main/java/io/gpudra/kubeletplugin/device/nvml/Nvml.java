package io.gpudra.kubeletplugin.device.nvml;

import com.google.common.collect.ContiguousSet;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A session with the driver. Thread-safe; functions run one at a time, because concurrent calls
 * make the library very slow (nvidia.md 1.1).
 */
public final class Nvml implements AutoCloseable {

  /** A node that has lost all its GPUs is no error of the library. */
  private static final int NO_GPUS = 1;

  /** The maximum length of any text of the library. */
  private static final int TEXT_LENGTH = 96;

  /** The numbers that are tried; no driver knows as many profiles. */
  static final ImmutableSet<Integer> ALL_NUMBERS =
      ImmutableSet.copyOf(ContiguousSet.closedOpen(0, 64));

  /** Each function is looked up at its first call. */
  private static final int RTLD_LAZY = 1;

  /**
   * Without RTLD_GLOBAL, which is JNA's default: the library of a driver that is installed later
   * would find its own functions in the one that was loaded first.
   */
  static final ImmutableMap<String, Object> LOCAL =
      ImmutableMap.of(Library.OPTION_OPEN_FLAGS, RTLD_LAZY);

  /** Failures that are not due to a single GPU. */
  private static final ImmutableSet<NvmlReturn> OF_ALL_GPUS =
      ImmutableSet.of(
          NvmlReturn.UNINITIALIZED,
          NvmlReturn.NO_PERMISSION,
          NvmlReturn.DRIVER_NOT_LOADED,
          NvmlReturn.OPERATING_SYSTEM,
          NvmlReturn.LIB_RM_VERSION_MISMATCH);

  private final NvmlLibrary library;
  private final Object lock = new Object();
  private final AtomicBoolean open = new AtomicBoolean(true);

  private Nvml(NvmlLibrary library) {
    this.library = library;
  }

  /**
   * Loads the library and starts a session.
   *
   * @throws IOException when it cannot be loaded, or does not reach its driver
   */
  public static Nvml open(Path file) throws IOException {
    Nvml session = new Nvml(load(file));
    session.check("nvmlInitWithFlags", library -> library.nvmlInitWithFlags(NO_GPUS));
    return session;
  }

  /**
   * Loads the classes that are needed to call a library, which takes a moment; may run in parallel
   * to other work.
   */
  public static void warmUp() {
    Native.setProtected(Native.isProtected());
  }

  private static NvmlLibrary load(Path file) throws IOException {
    try {
      return Native.load(file.toString(), NvmlLibrary.class, LOCAL);
    } catch (UnsatisfiedLinkError e) {
      throw new IOException("%s cannot be loaded: %s".formatted(file, e.getMessage()), e);
    }
  }

  /** A function to call. */
  interface Call {
    int on(NvmlLibrary library);
  }

  /** The library's answer. */
  NvmlReturn answer(Call call) {
    synchronized (lock) {
      try {
        return NvmlReturn.of(call.on(library));
      } catch (UnsatisfiedLinkError e) {
        return NvmlReturn.FUNCTION_NOT_FOUND;
      }
    }
  }

  /** Calls a function that must succeed. */
  void check(String function, Call call) throws NvmlException {
    NvmlReturn answer = answer(call);
    if (answer != NvmlReturn.SUCCESS) {
      throw refused(function, answer);
    }
  }

  /** Calls a function that not every GPU or driver supports; returns whether it is supported. */
  boolean supports(String function, Call call) throws NvmlException {
    return supports(function, answer(call));
  }

  /** The same for an answer. */
  boolean supports(String function, NvmlReturn answer) throws NvmlException {
    if (answer == NvmlReturn.NOT_SUPPORTED || answer == NvmlReturn.FUNCTION_NOT_FOUND) {
      return false;
    }
    if (answer != NvmlReturn.SUCCESS) {
      throw refused(function, answer);
    }
    return true;
  }

  NvmlException refused(String function, NvmlReturn answer) {
    return new NvmlException(function, answer, words(answer));
  }

  private String words(NvmlReturn answer) {
    synchronized (lock) {
      try {
        return Optional.ofNullable(library.nvmlErrorString(answer.code())).orElse(answer.name());
      } catch (UnsatisfiedLinkError e) {
        return answer.name();
      }
    }
  }

  /** A number that every GPU has. */
  int number(String function, NumberCall call) throws NvmlException {
    int[] number = new int[1];
    check(function, library -> call.on(library, number));
    return number[0];
  }

  /** A function that returns a number. */
  interface NumberCall {
    int on(NvmlLibrary library, int[] number);
  }

  /**
   * The results of a function for ascending numbers, without those that do not apply to this GPU.
   *
   * @throws NvmlException when one result fails: a failure is not the end of the numbers
   */
  ImmutableMap<Integer, NvmlStruct> numbered(
      String function, NvmlStructLayout layout, ImmutableSet<Integer> numbers, NumberedCall call)
      throws NvmlException {
    ImmutableMap.Builder<Integer, NvmlStruct> known = ImmutableMap.builder();
    for (int number : numbers) {
      NvmlStruct info = new NvmlStruct(layout);
      NvmlReturn answer = answer(library -> call.on(library, number, info.bytes()));
      if (answer == NvmlReturn.INVALID_ARGUMENT) {
        // Beyond the last number that this driver knows.
        break;
      }
      if (supports(function, answer)) {
        known.put(number, info);
      }
    }
    return known.buildOrThrow();
  }

  /** A function with a number as its argument. */
  interface NumberedCall {
    int on(NvmlLibrary library, int number, byte[] info);
  }

  /** A text that every GPU has. */
  String text(String function, TextCall call) throws NvmlException {
    byte[] text = new byte[TEXT_LENGTH];
    check(function, library -> call.on(library, text, text.length));
    return NvmlStruct.text(text, 0);
  }

  /** A function that returns a text. */
  interface TextCall {
    int on(NvmlLibrary library, byte[] text, int length);
  }

  /** A handle that must exist. */
  Pointer handle(String function, HandleCall call) throws NvmlException {
    PointerByReference handle = new PointerByReference();
    check(function, library -> call.on(library, handle));
    return handle.getValue();
  }

  /** A function that returns a handle. */
  interface HandleCall {
    int on(NvmlLibrary library, PointerByReference handle);
  }

  /** The version of the kernel driver, such as {@code 550.54.15}. */
  public String driverVersion() throws NvmlException {
    return text("nvmlSystemGetDriverVersion", NvmlLibrary::nvmlSystemGetDriverVersion);
  }

  /**
   * The version, such as {@code 12.4}. The newer form of this function answers for a libcuda in the
   * caller's own process, which has none.
   */
  public String cudaDriverVersion() throws NvmlException {
    int version =
        number(
            "nvmlSystemGetCudaDriverVersion",
            (library, number) -> library.nvmlSystemGetCudaDriverVersion(number));
    return "%d.%d".formatted(version / 1000, version % 1000 / 10);
  }

  /** The number of GPUs when the first session of this process began, lost or not. */
  public int count() throws NvmlException {
    return number("nvmlDeviceGetCount", (library, number) -> library.nvmlDeviceGetCount_v2(number));
  }

  /** Receives the index of each GPU without a handle. */
  public interface LeftOut {
    void because(int index, NvmlException reason);
  }

  /** The GPUs in the order of the driver, without those that are lost. */
  public ImmutableList<NvmlGpu> gpus() throws NvmlException {
    return gpus((index, reason) -> {});
  }

  /** The same; reports omitted GPUs, since one that fell off the bus gives any answer. */
  public ImmutableList<NvmlGpu> gpus(LeftOut leftOut) throws NvmlException {
    int count = count();
    ImmutableList.Builder<NvmlGpu> gpus = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      try {
        gpus.add(gpu(i));
      } catch (NvmlException e) {
        if (OF_ALL_GPUS.contains(e.answer())) {
          throw e;
        }
        leftOut.because(i, e);
      }
    }
    return gpus.build();
  }

  private NvmlGpu gpu(int index) throws NvmlException {
    Pointer handle =
        handle(
            "nvmlDeviceGetHandleByIndex",
            (library, found) -> library.nvmlDeviceGetHandleByIndex_v2(index, found));
    return new NvmlGpu(this, handle, index);
  }

  /** All handles of the session are dead afterwards. The library counts sessions, so only once. */
  @Override
  public void close() {
    if (open.getAndSet(false)) {
      var unused = answer(NvmlLibrary::nvmlShutdown);
    }
  }
}
