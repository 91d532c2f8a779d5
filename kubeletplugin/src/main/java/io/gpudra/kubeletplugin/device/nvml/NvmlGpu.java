package io.gpudra.kubeletplugin.device.nvml;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.sun.jna.Pointer;
import java.util.Optional;
import java.util.stream.IntStream;

/** One physical GPU. Its handle is dead after a reset, an unplug and a switch of the MIG mode. */
public final class NvmlGpu {

  private static final int ON = 1;
  private static final int KERNEL_DOMAIN_DIGITS = 4;

  /** NVML_NVLINK_MAX_LINKS in nvml.h of the newest driver. */
  private static final int MAX_LINKS = 36;

  /** The sizes of buffers for the usual number of processes, and for the maximum number. */
  private static final int USUAL_PROCESSES = 64;

  private static final int MAX_PROCESSES = 1 << 14;

  /** nvmlClocksThrottleReasonHwThermalSlowdown in nvml.h. */
  private static final long HARDWARE_THERMAL_SLOWDOWN = 0x40;

  /** NVML_GPU_FABRIC_STATE_NOT_SUPPORTED in nvml.h. */
  private static final int NO_FABRIC = 0;

  /** NVML_GPU_FABRIC_STATE_COMPLETED in nvml.h. */
  private static final int FABRIC_COMPLETED = 3;

  private final Nvml session;
  private final Pointer handle;
  private final int index;
  private final NvmlMig mig;

  NvmlGpu(Nvml session, Pointer handle, int index) {
    this.session = session;
    this.handle = handle;
    this.index = index;
    this.mig = new NvmlMig(session, handle);
  }

  Pointer handle() {
    return handle;
  }

  /** The index in the order of the driver, which a boot may change. */
  public int index() {
    return index;
  }

  public String name() throws NvmlException {
    return session.text(
        "nvmlDeviceGetName",
        (library, text, length) -> library.nvmlDeviceGetName(handle, text, length));
  }

  public String uuid() throws NvmlException {
    return session.text(
        "nvmlDeviceGetUUID",
        (library, text, length) -> library.nvmlDeviceGetUUID(handle, text, length));
  }

  /** The minor number of its device node. */
  public int minor() throws NvmlException {
    return session.number(
        "nvmlDeviceGetMinorNumber",
        (library, number) -> library.nvmlDeviceGetMinorNumber(handle, number));
  }

  /** The memory in bytes; empty where the GPU shares the memory of the machine. */
  public Optional<Long> memoryBytes() throws NvmlException {
    NvmlStruct memory = new NvmlStruct(NvmlStructLayout.MEMORY);
    boolean known =
        session.supports(
            "nvmlDeviceGetMemoryInfo",
            library -> library.nvmlDeviceGetMemoryInfo(handle, memory.bytes()));
    return known ? Optional.of(memory.big("total")) : Optional.empty();
  }

  /** The address in the kernel's spelling, such as {@code 0000:07:00.0}. */
  public String pcieBusId() throws NvmlException {
    NvmlStruct pci = new NvmlStruct(NvmlStructLayout.PCI_INFO);
    session.check(
        "nvmlDeviceGetPciInfo", library -> library.nvmlDeviceGetPciInfo_v3(handle, pci.bytes()));
    return busId(pci);
  }

  /** NVML has eight digits for the domain, the kernel as many as it takes, but at least four. */
  private static String busId(NvmlStruct pci) {
    String text = Ascii.toLowerCase(pci.text("busId"));
    int zeros = 0;
    while (text.indexOf(':') - zeros > KERNEL_DOMAIN_DIGITS && text.charAt(zeros) == '0') {
      zeros++;
    }
    return text.substring(zeros);
  }

  /** The brand, a number of nvidia.md 1.4. */
  public int brand() throws NvmlException {
    return session.number(
        "nvmlDeviceGetBrand", (library, number) -> library.nvmlDeviceGetBrand(handle, number));
  }

  /** The architecture, a number of nvidia.md 1.4; absent when the driver does not report it. */
  public Optional<Integer> architecture() throws NvmlException {
    int[] number = new int[1];
    boolean known =
        session.supports(
            "nvmlDeviceGetArchitecture",
            library -> library.nvmlDeviceGetArchitecture(handle, number));
    return known ? Optional.of(number[0]) : Optional.empty();
  }

  /** The compute capability, such as {@code 8.0}. */
  public String cudaComputeCapability() throws NvmlException {
    int[] major = new int[1];
    int[] minor = new int[1];
    session.check(
        "nvmlDeviceGetCudaComputeCapability",
        library -> library.nvmlDeviceGetCudaComputeCapability(handle, major, minor));
    return "%d.%d".formatted(major[0], minor[0]);
  }

  /** Whether errors of its memory are corrected; false where it cannot do that. */
  public boolean ecc() throws NvmlException {
    int[] current = new int[1];
    boolean capable =
        session.supports(
            "nvmlDeviceGetEccMode",
            library -> library.nvmlDeviceGetEccMode(handle, current, new int[1]));
    return capable && current[0] == ON;
  }

  /** The compute mode, a number of nvidia.md 1.4; absent in MIG mode. */
  public Optional<Integer> computeMode() throws NvmlException {
    int[] number = new int[1];
    boolean known =
        session.supports(
            "nvmlDeviceGetComputeMode",
            library -> library.nvmlDeviceGetComputeMode(handle, number));
    return known ? Optional.of(number[0]) : Optional.empty();
  }

  /** Sets the compute mode, a number of nvidia.md 1.4. */
  public void setComputeMode(int mode) throws NvmlException {
    session.check(
        "nvmlDeviceSetComputeMode", library -> library.nvmlDeviceSetComputeMode(handle, mode));
  }

  /** A function that lists processes. */
  private interface ListCall {
    int on(NvmlLibrary library, Pointer device, int[] count, byte[] infos);
  }

  /** One form of the function, and the entries that it lists. */
  private record Listing(NvmlStructLayout entry, ListCall call) {}

  /**
   * Forms of a function, the preferred one first. The newest form is not called where there is one
   * before it: between 535.43 and 535.98 its entries had another size.
   */
  private record Lister(String function, ImmutableList<Listing> forms) {}

  /** Functions for processes that compute, for graphics and for MPS clients. */
  private static final ImmutableList<Lister> LISTERS =
      ImmutableList.of(
          new Lister(
              "nvmlDeviceGetComputeRunningProcesses",
              ImmutableList.of(
                  new Listing(
                      NvmlStructLayout.PROCESS,
                      NvmlLibrary::nvmlDeviceGetComputeRunningProcesses_v2),
                  new Listing(
                      NvmlStructLayout.PROCESS,
                      NvmlLibrary::nvmlDeviceGetComputeRunningProcesses_v3),
                  new Listing(
                      NvmlStructLayout.PROCESS_V1,
                      NvmlLibrary::nvmlDeviceGetComputeRunningProcesses))),
          new Lister(
              "nvmlDeviceGetGraphicsRunningProcesses",
              ImmutableList.of(
                  new Listing(
                      NvmlStructLayout.PROCESS,
                      NvmlLibrary::nvmlDeviceGetGraphicsRunningProcesses_v2),
                  new Listing(
                      NvmlStructLayout.PROCESS,
                      NvmlLibrary::nvmlDeviceGetGraphicsRunningProcesses_v3),
                  new Listing(
                      NvmlStructLayout.PROCESS_V1,
                      NvmlLibrary::nvmlDeviceGetGraphicsRunningProcesses))),
          new Lister(
              "nvmlDeviceGetMPSComputeRunningProcesses",
              ImmutableList.of(
                  new Listing(
                      NvmlStructLayout.PROCESS,
                      NvmlLibrary::nvmlDeviceGetMPSComputeRunningProcesses_v2),
                  new Listing(
                      NvmlStructLayout.PROCESS,
                      NvmlLibrary::nvmlDeviceGetMPSComputeRunningProcesses_v3))));

  /** IDs of processes that compute, draw or are MPS clients, as far as reported. */
  public ImmutableList<Integer> processes() throws NvmlException {
    ImmutableSet.Builder<Integer> pids = ImmutableSet.builder();
    for (Lister lister : LISTERS) {
      processes(lister).ifPresent(pids::addAll);
    }
    return pids.build().asList();
  }

  /** Whether the driver reports all kinds of processes, and that there are none. */
  public boolean idle() throws NvmlException {
    for (Lister lister : LISTERS) {
      if (processes(lister).filter(ImmutableList::isEmpty).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The processes; absent where no form of the function is known. */
  private Optional<ImmutableList<Integer>> processes(Lister lister) throws NvmlException {
    for (Listing form : lister.forms()) {
      Optional<ImmutableList<Integer>> pids = processes(lister.function(), form);
      if (pids.isPresent()) {
        return pids;
      }
    }
    return Optional.empty();
  }

  /** Absent where this form is not known. A buffer that is too small is not filled at all. */
  private Optional<ImmutableList<Integer>> processes(String function, Listing form)
      throws NvmlException {
    for (int room = USUAL_PROCESSES; ; room *= 4) {
      int[] count = {room};
      byte[] infos = new byte[room * form.entry().size()];
      NvmlReturn answer = session.answer(library -> form.call().on(library, handle, count, infos));
      if (answer != NvmlReturn.INSUFFICIENT_SIZE || room >= MAX_PROCESSES) {
        return session.supports(function, answer)
            ? Optional.of(pids(form.entry(), infos, Math.min(count[0], room)))
            : Optional.empty();
      }
    }
  }

  private static ImmutableList<Integer> pids(NvmlStructLayout entry, byte[] infos, int count) {
    return IntStream.range(0, count)
        .mapToObj(index -> NvmlStruct.of(entry, infos, index).number("pid"))
        .collect(toImmutableList());
  }

  /** Whether its temperature slows it down; false when it cannot report that. */
  public boolean overheated() throws NvmlException {
    long[] reasons = new long[1];
    NvmlReturn newest =
        session.answer(library -> library.nvmlDeviceGetCurrentClocksEventReasons(handle, reasons));
    NvmlReturn answer =
        newest != NvmlReturn.FUNCTION_NOT_FOUND
            ? newest
            : session.answer(
                library -> library.nvmlDeviceGetCurrentClocksThrottleReasons(handle, reasons));
    boolean known = session.supports("nvmlDeviceGetCurrentClocksEventReasons", answer);
    return known && (reasons[0] & HARDWARE_THERMAL_SLOWDOWN) != 0;
  }

  /** Whether CUDA runs on it as far as its NVLink fabric matters; true where it has none. */
  public boolean joinsItsFabric() throws NvmlException {
    NvmlStruct info = new NvmlStruct(NvmlStructLayout.FABRIC);
    NvmlStruct older = new NvmlStruct(NvmlStructLayout.FABRIC_V1);
    if (session.supports(
        "nvmlDeviceGetGpuFabricInfoV",
        library -> library.nvmlDeviceGetGpuFabricInfoV(handle, info.bytes()))) {
      return isReady(info);
    }
    return !session.supports(
            "nvmlDeviceGetGpuFabricInfo",
            library -> library.nvmlDeviceGetGpuFabricInfo(handle, older.bytes()))
        || isReady(older);
  }

  private static boolean isReady(NvmlStruct fabric) {
    int state = fabric.small("state");
    return state == NO_FABRIC || (state == FABRIC_COMPLETED && fabric.number("status") == 0);
  }

  /** Its NVLinks that are up; a failing link does not hide the others. */
  public ImmutableList<NvLink> links() {
    return IntStream.range(0, MAX_LINKS)
        .filter(this::isUp)
        .mapToObj(this::link)
        .collect(toImmutableList());
  }

  private boolean isUp(int link) {
    int[] active = new int[1];
    NvmlReturn answer =
        session.answer(library -> library.nvmlDeviceGetNvLinkState(handle, link, active));
    return answer == NvmlReturn.SUCCESS && active[0] == ON;
  }

  private NvLink link(int link) {
    NvmlStruct pci = new NvmlStruct(NvmlStructLayout.PCI_INFO);
    int[] type = new int[1];
    boolean placed =
        session.answer(
                library -> library.nvmlDeviceGetNvLinkRemotePciInfo_v2(handle, link, pci.bytes()))
            == NvmlReturn.SUCCESS;
    boolean typed =
        session.answer(library -> library.nvmlDeviceGetNvLinkRemoteDeviceType(handle, link, type))
            == NvmlReturn.SUCCESS;
    return new NvLink(end(typed ? type[0] : -1), placed ? busId(pci) : "");
  }

  private static NvLink.End end(int type) {
    return switch (type) {
      case 0 -> NvLink.End.GPU;
      case 1 -> NvLink.End.NPU;
      case 2 -> NvLink.End.SWITCH;
      default -> NvLink.End.UNKNOWN;
    };
  }

  /** Its MIG mode and instances. */
  public NvmlMig mig() {
    return mig;
  }
}
