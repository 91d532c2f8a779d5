package io.gpudra.crds.api.problem;

import com.google.common.collect.ImmutableMap;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Suggests a valid name in place of an unknown one (api.md 2.8). */
public final class NameSuggestion {

  private static final int MAX_LISTED = 12;
  private static final int FARTHEST = 2;

  /** Names that users of other systems may write. */
  private static final ImmutableMap<String, String> SYNONYMS =
      ImmutableMap.of(
          "gpus", "count",
          "gpuCount", "count",
          "minMemory", "memory",
          "sharable", "shareable",
          "profile", "migProfile",
          "gpuClaimName", "insideClaim",
          "matchAttribute", "sameAttribute",
          "packed", "pack",
          "balanced", "spread",
          "computeCapability", "cudaComputeCapability");

  private NameSuggestion() {}

  /** The allowed name that is nearest, if any is near enough. */
  public static Optional<String> nearest(String wrong, Collection<String> allowed) {
    Optional<String> synonym = Optional.ofNullable(SYNONYMS.get(wrong)).filter(allowed::contains);
    return synonym.isPresent()
        ? synonym
        : allowed.stream()
            .filter(name -> distance(wrong, name) <= reach(wrong))
            .min(
                Comparator.<String>comparingInt(name -> distance(wrong, name))
                    .thenComparing(Comparator.naturalOrder()));
  }

  /**
   * The end of a sentence that rejects a name: a suggestion, or all allowed names when they are
   * few. Starts without a space; empty when there is neither.
   */
  public static String hint(String wrong, Collection<String> allowed) {
    return nearest(wrong, allowed)
        .map(name -> "did you mean \"" + name + "\"?")
        .orElseGet(() -> allowed.size() <= MAX_LISTED ? listed(allowed) : "");
  }

  /** The names as the API server lists them: {@code supported values: "pack", "spread"}. */
  static String listed(Collection<String> allowed) {
    return allowed.stream()
        .map(name -> '"' + name + '"')
        .collect(Collectors.joining(", ", "supported values: ", ""));
  }

  private static int reach(String wrong) {
    return wrong.length() <= 4 ? 1 : FARTHEST;
  }

  /**
   * The distance of two names; 0 when only case, {@code -} and {@code _} differ. Names of very
   * different lengths count as far apart: an untrusted name may be of any length.
   */
  private static int distance(String left, String right) {
    if (folded(left).equals(folded(right))) {
      return 0;
    }
    int apart = Math.abs(left.length() - right.length());
    return apart > FARTHEST ? apart : damerauLevenshtein(left, right);
  }

  private static String folded(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /**
   * Counts insertions, deletions, substitutions and swaps of neighbors (optimal string alignment).
   */
  private static int damerauLevenshtein(String left, String right) {
    int[][] cost = new int[left.length() + 1][right.length() + 1];
    for (int i = 0; i <= left.length(); i++) {
      for (int j = 0; j <= right.length(); j++) {
        cost[i][j] = cell(cost, left, right, i, j);
      }
    }
    return cost[left.length()][right.length()];
  }

  private static int cell(int[][] cost, String left, String right, int i, int j) {
    if (i == 0 || j == 0) {
      return i + j;
    }
    int substitute = cost[i - 1][j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
    int best = Math.min(substitute, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && left.charAt(i - 1) == right.charAt(j - 2)
            && left.charAt(i - 2) == right.charAt(j - 1);
    return swapped ? Math.min(best, cost[i - 2][j - 2] + 1) : best;
  }
}
