package io.gpudra.controller.allocation.search;

import io.gpudra.crds.model.Part.Instance;
import java.util.Optional;

/** Names of MIG profiles and devices (api.md 5.1). */
final class MigName {

  private MigName() {}

  /** Of {@code 1c.2g.10gb} the GPU instance, {@code 2g.10gb}; of others themselves. */
  static String gpuInstance(String profile) {
    return hasInstance(profile) ? profile.substring(3) : profile;
  }

  /** The compute instance that a profile asks for, the first of its GPU instance. */
  static Optional<Instance> instance(String profile) {
    return hasInstance(profile)
        ? Optional.of(new Instance(0, profile.charAt(0) - '0'))
        : Optional.empty();
  }

  private static boolean hasInstance(String profile) {
    return profile.startsWith("c.", 1);
  }
}
