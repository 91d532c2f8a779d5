package io.gpudra.controller.memory;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * A text as a key: its hash cannot be foreseen, so a tenant cannot choose thousands of texts with
 * one hash, each of which would be compared with all others.
 */
public final class SaltedText {
  private static final HashFunction HASH = salted(new SecureRandom());

  private final String text;
  private final int hash;

  public SaltedText(String text) {
    this.text = text;
    this.hash = HASH.hashUnencodedChars(text).asInt();
  }

  private static HashFunction salted(SecureRandom random) {
    return Hashing.sipHash24(random.nextLong(), random.nextLong());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SaltedText that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return text;
  }
}
