package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The quotas of namespaces on the server, in thousandths of a GPU. */
final class Quotas {
  static final long GPU = 1_000;
  private static final long ANY = Long.MAX_VALUE;

  private final Map<String, Map<String, Long>> hard = new TreeMap<>();

  /** By namespace, the most that all its quotas allowed together at some moment. */
  private final Map<String, Long> ceilings = new TreeMap<>();

  /** Makes, edits or deletes a quota. */
  void set(String namespace, String name, OptionalLong gpus) {
    Map<String, Long> own = hard.computeIfAbsent(namespace, unused -> new TreeMap<>());
    if (gpus.isPresent()) {
      own.put(name, gpus.getAsLong());
    } else {
      own.remove(name);
    }
    ceilings.merge(namespace, allowed(namespace), Math::max);
  }

  /** The namespace may hold as much as it likes. */
  void open(String namespace) {
    ceilings.put(namespace, ANY);
  }

  private long allowed(String namespace) {
    return hard.getOrDefault(namespace, Map.of()).values().stream()
        .mapToLong(most -> most)
        .min()
        .orElse(ANY);
  }

  ImmutableList<QuotaLimit> of(String namespace) {
    return hard.getOrDefault(namespace, Map.of()).entrySet().stream()
        .map(
            quota ->
                new QuotaLimit(
                    quota.getKey(),
                    quota.getKey(),
                    ImmutableSet.of(),
                    OptionalLong.of(quota.getValue()),
                    OptionalLong.empty()))
        .collect(ImmutableList.toImmutableList());
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
    return allowed(namespace) == ANY || (held + more) * GPU <= allowed(namespace);
  }
}
