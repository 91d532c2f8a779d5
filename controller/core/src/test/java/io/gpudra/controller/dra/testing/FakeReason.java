package io.gpudra.controller.dra.testing;

import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.Reason;
import java.util.Optional;

public record FakeReason(
    String label,
    String phrase,
    String text,
    boolean lasting,
    int shortfall,
    Optional<String> warning)
    implements Reason {
  public static final FakeReason FULL =
      new FakeReason("inUse", "all in use", "lacks 1 of 1", false, 1);
  public static final FakeReason NONE = new FakeReason("none", "none match", "has none", true, 9);

  public FakeReason(String label, String phrase, String text, boolean lasting, int shortfall) {
    this(label, phrase, text, lasting, shortfall, Optional.empty());
  }

  /** Says so when it is told to others than those it is meant for. */
  @Override
  public String text(NamespaceAudience reader) {
    return reader.equals(new NamespaceAudience(Some.NS)) ? text : text + ", told to " + reader;
  }
}
