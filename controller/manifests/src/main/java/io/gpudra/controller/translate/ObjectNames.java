package io.gpudra.controller.translate;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;

/** Names of objects that are made of other names. */
public final class ObjectNames {
  private static final int MAX_LABEL = 63;
  private static final int HASH = 8;

  private ObjectNames() {}

  /** The name itself, or its beginning and a hash, as a label has it. */
  public static String fitting(String name) {
    return fitting(name, MAX_LABEL);
  }

  /** The name itself, or its beginning and a hash. */
  public static String fitting(String name, int length) {
    return name.length() <= length
        ? name
        : "%s-%s"
            .formatted(
                name.substring(0, length - HASH - 1),
                Hashing.sha256()
                    .hashString(name, StandardCharsets.UTF_8)
                    .toString()
                    .substring(0, HASH));
  }
}
