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
      cache.put(key(i), value);
    }

    assertThat(compared[0]).isLessThanOrEqualTo(4 * MANY * HashBoundCache.ALIKE);
  }

  @Test
  void aKeyThatIsGoneMakesRoomForAnotherOfItsHash() {
    for (int i = 0; i < MANY; i++) {
      int value = i;
      cache.get(key(i), () -> value);
      cache.weighAgain(key(i), value);
      cache.remove(key(i), value);
    }
    cache.put(key(MANY), MANY);

    assertThat(cache.getIfPresent(key(MANY))).isEqualTo(MANY);
  }

  @Test
  void aKeyThatIsPutAgainTakesOneOfThePlaces() {
    for (int i = 0; i < MANY; i++) {
      cache.put(key(0), i);
    }
    cache.put(key(1), 1);

    assertThat(cache.getIfPresent(key(1))).isEqualTo(1);
  }
}
