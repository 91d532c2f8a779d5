package io.gpudra.controller.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.cache.CacheBuilder;
import org.junit.jupiter.api.Test;

/** Tenants and nodes choose the keys, and so their hashes. */
class HashBoundCacheTest {
  private static final int MANY = 5_000;

  private final int[] compared = new int[1];
  private final HashBoundCache<Object, Integer> cache =
      new HashBoundCache<>(
          CacheBuilder.newBuilder().maximumWeight(MANY).weigher((Object key, Integer value) -> 1));

  private Colliding key(int number) {
    return new Colliding(number, compared);
  }

  @Test
  void thousandsOfKeysOfOneHashAreComparedWithFew() {
    for (int i = 0; i < MANY; i++) {
      int value = i;
      assertThat(cache.get(key(i), () -> value)).isEqualTo(value);
      assertThat(cache.getIfPresent(key(i))).isEqualTo(value);
    }

    assertThat(compared[0]).isLessThanOrEqualTo(6 * MANY * HashBoundCache.ALIKE);
  }

  @Test
  void aKeyThatIsAskedOftenIsKeptThoughSixteenHaveItsHash() {
    for (int i = 0; i < MANY; i++) {
      int value = i;
      assertThat(cache.get(key(i % 20), () -> value)).isNotNegative();
      if (i >= HashBoundCache.ALIKE) {
        assertThat(cache.get(key(MANY), () -> value)).isEqualTo(HashBoundCache.ALIKE);
      }
    }
  }

  @Test
  void aKeyThatIsGoneTakesNoMemory() {
    for (int i = 0; i < 2 * MANY; i++) {
      int value = i;
      assertThat(cache.get("key" + i, () -> value)).isEqualTo(value);
      cache.weighAgain("key" + i, value);
    }
    assertThat(cache.hashes()).isBetween(MANY / 2, MANY);

    for (int i = 0; i < 2 * MANY; i++) {
      cache.remove("key" + i, i);
    }
    assertThat(cache.hashes()).isZero();
  }

  @Test
  void aKeyThatTwoAddAtOnceHasTheValueOfTheFirst() {
    assertThat(cache.get("key", () -> cache.get("key", () -> 1) + 1)).isEqualTo(1);

    cache.remove("key", 1);
    assertThat(cache.hashes()).isZero();
  }
}
