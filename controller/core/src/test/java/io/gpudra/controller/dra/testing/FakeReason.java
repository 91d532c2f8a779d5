package io.gpudra.controller.dra.testing;

import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.NamespaceAudience;

public record FakeReason(Kind kind, String text, int shortfall) implements UnsuitableReason {
  public static final FakeReason FULL = new FakeReason(Kind.ALL_MATCHING_IN_USE, "lacks 1 of 1", 1);
  public static final FakeReason NONE = new FakeReason(Kind.NONE_MATCH, "has none", 9);

  /** Says so when it is told to others than those it is meant for. */
  @Override
  public String text(NamespaceAudience reader) {
    return reader.equals(new NamespaceAudience(Some.NS)) ? text : text + ", told to " + reader;
  }
}
