package io.gpudra.crds.model;

import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The readers of a text: the users of one namespace. A text names the claims of this namespace, and
 * only counts those of other namespaces.
 *
 * @param namespace absent for readers who may read all claims
 */
public record NamespaceAudience(Optional<String> namespace) {

  /** Readers with permission to read all claims. */
  public static final NamespaceAudience READER_OF_ALL = new NamespaceAudience(Optional.empty());

  private static final int MAX_NAMES = 4;

  /** Readers who may only read this namespace. */
  public NamespaceAudience(String namespace) {
    this(Optional.of(namespace));
  }

  /** {@code team-a/train}, or that the claim is in another namespace. */
  public String describe(ClaimRef claim) {
    return describe(ImmutableSet.of(claim));
  }

  /** {@code team-a/a, team-a/b and 3 claims of other namespaces}; a few names, then numbers. */
  public String describe(ImmutableSet<ClaimRef> claims) {
    List<String> parts = new ArrayList<>();
    List<ClaimRef> own = claims.stream().filter(this::mayRead).toList();
    if (!own.isEmpty()) {
      parts.add(
          own.stream().limit(MAX_NAMES).map(ClaimRef::toString).collect(Collectors.joining(", ")));
    }
    if (own.size() > MAX_NAMES) {
      parts.add((own.size() - MAX_NAMES) + " more");
    }
    if (claims.size() > own.size()) {
      parts.add(others(claims.size() - own.size()));
    }
    return listed(parts);
  }

  /** Whether the claim may be named. */
  public boolean mayRead(ClaimRef claim) {
    return mayReadObjectsOf(claim.namespace());
  }

  /** Whether objects of this namespace may be named. */
  public boolean mayReadObjectsOf(String other) {
    return namespace.isEmpty() || other.equals(namespace.get());
  }

  private static String others(int claims) {
    return claims == 1 ? "a claim of another namespace" : claims + " claims of other namespaces";
  }

  private static String listed(List<String> parts) {
    int last = parts.size() - 1;
    return last <= 0
        ? String.join("", parts)
        : String.join(", ", parts.subList(0, last)) + " and " + parts.get(last);
  }
}
