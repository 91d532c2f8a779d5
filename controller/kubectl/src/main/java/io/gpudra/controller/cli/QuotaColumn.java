package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.crds.api.quota.GpuAmount;
import io.gpudra.crds.model.MemorySize;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The quotas of a namespace, with what is used of them. */
final class QuotaColumn {
  private QuotaColumn() {}

  /** Such as {@code team gpus 2/8 memory 160Gi/640Gi}; {@code -} without quotas. */
  static String text(ImmutableList<QuotaUse> quotas) {
    return quotas.isEmpty()
        ? "-"
        : quotas.stream().map(QuotaColumn::text).collect(Collectors.joining("; "));
  }

  private static String text(QuotaUse use) {
    QuotaLimit limit = use.limit();
    Stream<String> gpus =
        limit.thousandths().stream()
            .mapToObj(hard -> "gpus %s/%s".formatted(gpus(use.used().thousandths()), gpus(hard)));
    Stream<String> memory =
        limit.bytes().stream()
            .mapToObj(
                hard ->
                    "memory %s/%s"
                        .formatted(MemorySize.text(use.used().bytes()), MemorySize.text(hard)));
    return Stream.of(Stream.of(limit.name()), gpus, memory)
        .flatMap(some -> some)
        .collect(Collectors.joining(" "));
  }

  private static String gpus(long thousandths) {
    return new GpuAmount(thousandths).text();
  }

  static void json(ArrayNode json, ImmutableList<QuotaUse> quotas) {
    for (QuotaUse use : quotas) {
      ObjectNode quota = json.addObject().put("name", use.limit().name());
      use.limit()
          .thousandths()
          .ifPresent(
              hard ->
                  quota
                      .putObject("gpus")
                      .put("used", gpus(use.used().thousandths()))
                      .put("hard", gpus(hard)));
      use.limit()
          .bytes()
          .ifPresent(
              hard ->
                  quota
                      .putObject("memory")
                      .put("used", MemorySize.text(use.used().bytes()))
                      .put("hard", MemorySize.text(hard)));
    }
  }
}
