package io.gpudra.controller.quota;

import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.quota.GpuAmount;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * More than a quota allows.
 *
 * @param more what the claims of one pod would add
 */
public record QuotaExcess(QuotaUse use, QuotaCharge more) implements UnsuitableReason {

  @Override
  public Kind kind() {
    return Kind.QUOTA_EXCEEDED;
  }

  @Override
  public String text(NamespaceAudience reader) {
    return "quota \"%s\": ".formatted(use.limit().name())
        + Stream.concat(gpus(), memory()).collect(Collectors.joining("; "));
  }

  private Stream<String> gpus() {
    return use.limit().exceedsGpus(use.used(), more)
        ? Stream.of(
            "gpus %s of %s in use, %s more wanted"
                .formatted(
                    gpus(use.used().thousandths()),
                    gpus(use.limit().thousandths().orElseThrow()),
                    gpus(more.thousandths())))
        : Stream.of();
  }

  private static String gpus(long thousandths) {
    return new GpuAmount(thousandths).text();
  }

  private Stream<String> memory() {
    return use.limit().exceedsMemory(use.used(), more)
        ? Stream.of(
            "memory %s of %s in use, %s more wanted"
                .formatted(
                    MemorySize.text(use.used().bytes()),
                    MemorySize.text(use.limit().bytes().orElseThrow()),
                    MemorySize.text(more.bytes())))
        : Stream.of();
  }
}
