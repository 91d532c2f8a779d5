package io.gpudra.controller.reason;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.NamespaceAudience;

/**
 * A reason with a sentence for each problem of what users wrote.
 *
 * @param problems name no claim
 */
public record ListedReason(Kind kind, ImmutableList<String> problems) implements UnsuitableReason {

  @Override
  public String text(NamespaceAudience reader) {
    return String.join("; ", problems);
  }

  @Override
  public ImmutableList<String> sentences(NamespaceAudience reader) {
    return problems;
  }
}
