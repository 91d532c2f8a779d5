package io.gpudra.crds.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people of namespace a read of claims. */
class NamespaceAudienceTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a/x | a/x",
        "a/x a/y | a/x, a/y",
        "a/1 a/2 a/3 a/4 | a/1, a/2, a/3, a/4",
        "a/1 a/2 a/3 a/4 a/5 a/6 | a/1, a/2, a/3, a/4 and 2 more",
        "b/x | a claim of another namespace",
        "b/x aa/x c/y | 3 claims of other namespaces",
        "b/x a/x | a/x and a claim of another namespace",
        "b/x a/1 a/2 c/x | a/1, a/2 and 2 claims of other namespaces",
        "a/1 a/2 a/3 a/4 a/5 b/x b/y | a/1, a/2, a/3, a/4, 1 more and 2 claims of other namespaces",
      })
  void areToldNamesOfTheirOwnAndHowManyOthersThereAre(String claims, String told) {
    assertThat(new NamespaceAudience("a").describe(refs(claims))).isEqualTo(told);
  }

  private static ImmutableSet<ClaimRef> refs(String claims) {
    return Arrays.stream(claims.split(" "))
        .map(claim -> claim.split("/"))
        .map(parts -> new ClaimRef(parts[0], parts[1]))
        .collect(ImmutableSet.toImmutableSet());
  }
}
