package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import java.util.List;
import java.util.regex.Pattern;

/** Translates numbers and names of the driver (nvidia.md 1.4, api.md 5.2). */
final class NvmlCatalogue {

  static final int PASCAL = 4;
  static final int HOPPER = 9;

  /** The compute mode of any number of processes. */
  static final int ANY_PROCESS = 0;

  /** The compute mode of one process. */
  static final int ONE_PROCESS = 3;

  private static final ImmutableMap<Integer, String> COMPUTE_MODES =
      ImmutableMap.of(
          ANY_PROCESS,
          "DEFAULT",
          1,
          "EXCLUSIVE_THREAD",
          2,
          "PROHIBITED",
          ONE_PROCESS,
          "EXCLUSIVE_PROCESS");

  private static final ImmutableMap<Integer, String> ARCHITECTURES =
      new ImmutableMap.Builder<Integer, String>()
          .put(2, "Kepler")
          .put(3, "Maxwell")
          .put(PASCAL, "Pascal")
          .put(5, "Volta")
          .put(6, "Turing")
          .put(7, "Ampere")
          .put(8, "Ada Lovelace")
          .put(HOPPER, "Hopper")
          .put(10, "Blackwell")
          .put(13, "Rubin")
          .buildOrThrow();

  private static final ImmutableMap<Integer, String> BRANDS =
      new ImmutableMap.Builder<Integer, String>()
          .put(1, "Quadro")
          .put(2, "Tesla")
          .put(3, "NVS")
          .put(4, "Grid")
          .put(5, "GeForce")
          .put(6, "Titan")
          .put(7, "NvidiaVApps")
          .put(8, "NvidiaVPC")
          .put(9, "NvidiaVCS")
          .put(10, "NvidiaVWS")
          .put(11, "NvidiaCloudGaming")
          .put(12, "QuadroRTX")
          .put(13, "NvidiaRTX")
          .put(14, "Nvidia")
          .buildOrThrow();

  private static final int UNKNOWN_BRAND = 0;

  /** Turing GPUs without tensor cores. */
  private static final Pattern GTX_16 = Pattern.compile("\\bGTX 16\\d\\d");

  /** GPUs with ray tracing: no function reports it, and it does not follow from the age. */
  private static final Pattern TRACES_RAYS =
      Pattern.compile("\\b(RTX|T4G?|A2|A10G?|A16|A40|L2|L4|L20|L40S?)\\b");

  private NvmlCatalogue() {}

  /** The architecture; empty when it is a later one. */
  static String architecture(int number) {
    return ARCHITECTURES.getOrDefault(number, "");
  }

  /** The number itself when it is another brand; empty when the driver does not know it. */
  static String brand(int number) {
    return number == UNKNOWN_BRAND ? "" : BRANDS.getOrDefault(number, String.valueOf(number));
  }

  /** The name in nvidia-smi. */
  static String computeMode(int number) {
    return COMPUTE_MODES.getOrDefault(number, String.valueOf(number));
  }

  /** Derived from the compute capability, such as {@code 8.0}, and the name of the product. */
  static ImmutableSortedSet<String> capabilities(String compute, String productName) {
    List<String> parts = Splitter.on('.').splitToList(compute);
    int version = 10 * Integer.parseInt(parts.get(0)) + Integer.parseInt(parts.get(1));
    ImmutableSortedSet.Builder<String> capabilities = ImmutableSortedSet.naturalOrder();
    add(capabilities, version >= 70 && !GTX_16.matcher(productName).find(), "tensorCores");
    add(capabilities, version >= 80, "bf16");
    add(capabilities, version >= 89, "fp8");
    add(capabilities, version >= 100, "fp4");
    add(capabilities, TRACES_RAYS.matcher(productName).find(), "rtCores");
    return capabilities.build();
  }

  private static void add(ImmutableSortedSet.Builder<String> all, boolean has, String one) {
    if (has) {
      all.add(one);
    }
  }

  /** Whether the clients of a server have address spaces of their own. */
  static boolean canBeServed(String compute) {
    return Integer.parseInt(compute.substring(0, compute.indexOf('.'))) >= 7;
  }
}
