package io.gpudra.controller.reason;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Locale;

/**
 * A reason with a short text.
 *
 * @param template a format for {@code words}, which are formatted only when they are read; a claim
 *     is named only to readers of its own namespace
 */
public record StatedReason(Kind kind, String template, ImmutableList<Object> words)
    implements UnsuitableReason {
  /** A reason with the phrase of the kind for its text. */
  public static StatedReason of(Kind kind) {
    return of(kind, "%s", kind.phrase());
  }

  /** A reason with these words. */
  public static StatedReason of(Kind kind, String template, Object... words) {
    return new StatedReason(kind, template, ImmutableList.copyOf(words));
  }

  @Override
  public String text(NamespaceAudience reader) {
    Object[] shown = words.stream().map(word -> shown(word, reader)).toArray();
    return String.format(Locale.ROOT, template, shown);
  }

  private static Object shown(Object word, NamespaceAudience reader) {
    if (word instanceof ClaimRef claim) {
      return reader.describe(claim);
    }
    return word instanceof Iterable<?> several ? Joiner.on(", ").join(several) : word;
  }
}
