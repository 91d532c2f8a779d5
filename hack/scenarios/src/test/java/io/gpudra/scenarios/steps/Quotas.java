package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.quota.QuotaCharge;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The quotas of namespaces on the server. */
final class Quotas {
  static final long GPU = 1_000;
  private static final long ANY = Long.MAX_VALUE;

  private final World world;
  private final Map<String, Map<String, Hard>> hard = new TreeMap<>();

  /** By namespace, the most that all its quotas allowed together at some moment. */
  private final Map<String, Long> ceilings = new TreeMap<>();

  /**
   * A limit.
   *
   * @param thousandths of a GPU
   * @param inBytes whether it says so in memory of the smallest GPU
   */
  record Hard(long thousandths, boolean inBytes) {
    static Hard ofGpus(long thousandths) {
      return new Hard(thousandths, /* inBytes= */ false);
    }
  }

  Quotas(World world) {
    this.world = world;
  }

  /** Makes, edits or deletes a quota. */
  void set(String namespace, String name, Optional<Hard> quota) {
    Map<String, Hard> own = hard.computeIfAbsent(namespace, unused -> new TreeMap<>());
    quota.ifPresentOrElse(now -> own.put(name, now), () -> own.remove(name));
    ceilings.merge(namespace, allowed(namespace), Math::max);
  }

  /** The namespace may hold as much as it likes. */
  void open(String namespace) {
    ceilings.put(namespace, ANY);
  }

  private long allowed(String namespace) {
    return hards(namespace).mapToLong(Hard::thousandths).min().orElse(ANY);
  }

  private Stream<Hard> hards(String namespace) {
    return hard.getOrDefault(namespace, Map.of()).values().stream();
  }

  private LongStream memory() {
    return world.machines().stream()
        .flatMap(machine -> machine.gpus().stream())
        .mapToLong(Gpu::memoryBytes);
  }

  /** The memory of the smallest GPU. */
  private long leastBytes() {
    return memory().min().orElseThrow();
  }

  /** So many GPUs a limit allows at most, in thousandths. */
  long thousandths(QuotaLimit limit) {
    return limit.thousandths().orElseGet(() -> GPU * limit.bytes().orElseThrow() / leastBytes());
  }

  ImmutableList<QuotaLimit> of(String namespace) {
    return hard.getOrDefault(namespace, Map.of()).entrySet().stream()
        .map(quota -> limit(quota.getKey(), quota.getValue()))
        .collect(ImmutableList.toImmutableList());
  }

  private QuotaLimit limit(String name, Hard hard) {
    OptionalLong gpus = OptionalLong.of(hard.thousandths());
    OptionalLong bytes = OptionalLong.of(hard.thousandths() * leastBytes() / GPU);
    return hard.inBytes()
        ? new QuotaLimit(name, name, ImmutableSet.of(), OptionalLong.empty(), bytes)
        : new QuotaLimit(name, name, ImmutableSet.of(), gpus, OptionalLong.empty());
  }

  /** What a claim with these devices counts at least; exact where no GPU is cut or shared. */
  static long charge(Stream<GrantedDevice> devices) {
    return GPU
        * devices
            .filter(device -> device.part().part() instanceof Part.Whole)
            .filter(device -> device.part().inside().isEmpty())
            .map(GrantedDevice::uuid)
            .distinct()
            .count();
  }

  /** Whether the claims of the namespace hold no more than was ever allowed. */
  boolean holds(String namespace, Grants grants) {
    long held = 0;
    for (Grants.Entry entry : grants.all()) {
      if (entry.claim().ref().namespace().equals(namespace)) {
        held += charge(entry.grant().devices().stream());
      }
    }
    return held <= ceilings.getOrDefault(namespace, ANY);
  }

  /** Whether the namespace may surely hold so many more whole GPUs. */
  boolean allows(String namespace, long more, Grants grants) {
    long held = 0;
    for (Grants.Entry entry : grants.all()) {
      if (entry.claim().ref().namespace().equals(namespace)) {
        held += entry.grant().devices().size();
      }
    }
    long devices = held + more;
    return hards(namespace).allMatch(one -> surely(one, devices));
  }

  private boolean surely(Hard one, long gpus) {
    long bytes = gpus * memory().max().orElseThrow();
    return one.inBytes()
        ? bytes <= one.thousandths() * leastBytes() / GPU
        : gpus * GPU <= one.thousandths();
  }

  /** Whether this is used of a quota if claims hold so many thousandths of whole GPUs. */
  boolean isRight(QuotaCharge used, long held) {
    long bytes = held * leastBytes() / GPU;
    return world.canBeCut()
        ? used.thousandths() >= held && used.bytes() >= bytes
        : used.thousandths() == held && used.bytes() == bytes;
  }
}
