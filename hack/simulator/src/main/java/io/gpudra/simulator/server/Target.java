package io.gpudra.simulator.server;

import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.store.Key;

/**
 * What a write is aimed at.
 *
 * @param key namespace is empty for cluster-scoped kinds
 * @param status whether the status subresource is meant
 */
public record Target(Kind kind, Key key, boolean status) {

  /** 422. */
  ApiError invalid(Problems problems) {
    return Refusal.invalid(kind.resource(), kind.kind(), key.name(), problems);
  }

  /** 409 for a resourceVersion that is no longer the newest. */
  ApiError stale() {
    return conflict(
        kind.resource().plural(),
        "the object has been modified; please apply your changes to the latest version and try"
            + " again");
  }

  ApiError notFound() {
    return Refusal.notFound(kind.resource(), key.name());
  }

  /** 409; {@code named} is the kind in the form that the text shows it. */
  ApiError conflict(String named, String why) {
    return Refusal.conflict(kind.resource(), named, key.name(), why);
  }
}
