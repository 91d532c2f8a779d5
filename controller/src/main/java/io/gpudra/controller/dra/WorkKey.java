package io.gpudra.controller.dra;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Owner;

/** One unit of work: a claim, or a context with all its claims. Both may have the same name. */
record WorkKey(Kind kind, ObjectKey key) {
  enum Kind {
    CLAIM,
    CONTEXT
  }

  static WorkKey claim(ClaimRef ref) {
    return new WorkKey(Kind.CLAIM, new ObjectKey(ref.namespace(), ref.name()));
  }

  static WorkKey context(ObjectKey key) {
    return new WorkKey(Kind.CONTEXT, key);
  }

  /** The same work again is the same owner. */
  Owner owner() {
    return new Owner(
        switch (kind) {
          case CLAIM -> "claim:" + key;
          case CONTEXT -> "context:" + key;
        });
  }
}
