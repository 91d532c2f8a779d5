package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;

/** Tenants choose texts of one hash. */
class SaltedTextTest {
  private static final int MANY = 5_000;

  @Test
  void textsOfOneHashAreDifferentKeys() {
    ImmutableList<String> names = Colliding.names(MANY);

    assertThat(names.stream().map(String::hashCode).distinct()).hasSize(1);
    assertThat(names.stream().map(name -> new SaltedText(name).hashCode()).distinct())
        .hasSizeGreaterThan(MANY - 10);
  }

  @Test
  void equalTextsAreOneKey() {
    assertThat(new SaltedText("a"))
        .isEqualTo(new SaltedText("a"))
        .isNotEqualTo(new SaltedText("b"));
    assertThat(new SaltedText("a")).hasSameHashCodeAs(new SaltedText("a"));
  }
}
