package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tenants choose what is interned, and so its hash. */
class HashBoundInternerTest {
  private static final int MANY = 5_000;

  private final int[] compared = new int[1];
  private final HashBoundInterner<Object> interner = new HashBoundInterner<>();
  private final List<Object> held = new ArrayList<>();

  @Test
  void equalValuesAreOneObject() {
    Object first = interner.intern(new String("a"));

    assertThat(interner.intern(new String("a"))).isSameAs(first);
    assertThat(interner.intern("b")).isEqualTo("b");
  }

  @Test
  void thousandsOfValuesOfOneHashAreComparedWithFew() {
    for (int i = 0; i < MANY; i++) {
      held.add(interner.intern(new Colliding(i, compared)));
    }

    assertThat(compared[0]).isLessThanOrEqualTo(MANY * HashBoundInterner.ALIKE);
  }

  @Test
  void theLastValuesOfAHashAreKnown() {
    for (int i = 0; i < MANY; i++) {
      held.add(interner.intern(new Colliding(i, compared)));
    }

    assertThat(interner.intern(new Colliding(MANY - 1, compared))).isSameAs(held.get(MANY - 1));
  }

  @Test
  void aValueThatIsUsedOftenIsKnownBesideThousandsWithItsHash() {
    Object often = interner.intern(new Colliding(MANY, compared));
    for (int i = 0; i < MANY; i++) {
      held.add(interner.intern(new Colliding(i, compared)));
      assertThat(interner.intern(new Colliding(MANY, compared))).isSameAs(often);
    }
  }

  @Test
  void aValueThatIsNotHeldTakesNoMemory() {
    for (int i = 0; i < MANY; i++) {
      Object unused = interner.intern("value" + i);
    }
    for (int i = 0; i < 100 && interner.hashes() > 0; i++) {
      System.gc();
    }

    assertThat(interner.hashes()).isZero();
  }
}
