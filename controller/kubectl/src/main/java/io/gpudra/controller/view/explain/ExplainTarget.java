package io.gpudra.controller.view.explain;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableMap;
import java.util.Locale;
import java.util.Optional;

/**
 * The object to explain.
 *
 * @param kind if empty, the object is a pod, or a claim if there is no such pod
 */
public record ExplainTarget(Optional<Kind> kind, String namespace, String name) {

  /** Kinds that can be explained. */
  public enum Kind {
    POD,
    CLAIM;

    /** The kind in lower case. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final ImmutableMap<String, Kind> SPELLINGS =
      ImmutableMap.<String, Kind>builder()
          .put("pod", Kind.POD)
          .put("pods", Kind.POD)
          .put("po", Kind.POD)
          .put("claim", Kind.CLAIM)
          .put("claims", Kind.CLAIM)
          .put("resourceclaim", Kind.CLAIM)
          .put("resourceclaims", Kind.CLAIM)
          .put("resourceclaim.resource.k8s.io", Kind.CLAIM)
          .put("resourceclaims.resource.k8s.io", Kind.CLAIM)
          .buildOrThrow();

  /**
   * Parses {@code train}, {@code pod/train} or {@code claim/train}, with any spelling of the kind
   * that kubectl accepts or prints. Empty if the text is none of these.
   */
  public static Optional<ExplainTarget> of(String namespace, String written) {
    int slash = written.indexOf('/');
    if (slash < 0) {
      return Optional.of(new ExplainTarget(Optional.empty(), namespace, written));
    }
    return Optional.ofNullable(SPELLINGS.get(Ascii.toLowerCase(written.substring(0, slash))))
        .map(kind -> new ExplainTarget(Optional.of(kind), namespace, written.substring(slash + 1)));
  }

  boolean mayBe(Kind one) {
    return kind.isEmpty() || kind.get() == one;
  }
}
