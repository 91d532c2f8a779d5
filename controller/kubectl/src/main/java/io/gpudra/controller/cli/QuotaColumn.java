package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.quota.QuotaUse;
import io.gpudra.controller.view.QuotaUsage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The quotas of a namespace, with what is used of them. */
final class QuotaColumn {
  private QuotaColumn() {}

  /** Such as {@code team gpus 2/8 memory 160Gi/640Gi}; {@code -} without quotas. */
  static String text(String namespace, ImmutableList<QuotaUse> quotas) {
    return quotas.isEmpty()
        ? "-"
        : quotas.stream().map(use -> text(namespace, use)).collect(Collectors.joining("; "));
  }

  private static String text(String namespace, QuotaUse use) {
    Stream<String> resources =
        QuotaUsage.of(namespace, use).stream()
            .map(usage -> "%s %s/%s".formatted(usage.resource(), usage.used(), usage.hard()));
    return Stream.concat(Stream.of(use.limit().name()), resources).collect(Collectors.joining(" "));
  }

  static void json(ArrayNode json, String namespace, ImmutableList<QuotaUse> quotas) {
    for (QuotaUse use : quotas) {
      ObjectNode quota = json.addObject().put("name", use.limit().name());
      for (QuotaUsage usage : QuotaUsage.of(namespace, use)) {
        quota.putObject(usage.resource()).put("used", usage.used()).put("hard", usage.hard());
      }
    }
  }
}
