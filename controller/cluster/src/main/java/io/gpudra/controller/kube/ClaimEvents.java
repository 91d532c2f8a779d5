package io.gpudra.controller.kube;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/** Receives the changes of claims, in order for each claim. Must return at once. */
interface ClaimEvents {

  /** Ignores all events; used before the watches start. */
  ClaimEvents NO_OP =
      new ClaimEvents() {
        @Override
        public void seen(ClaimFacts now) {}

        @Override
        public void gone(ClaimRef ref, ClaimUid uid) {}
      };

  void seen(ClaimFacts now);

  void gone(ClaimRef ref, ClaimUid uid);
}
