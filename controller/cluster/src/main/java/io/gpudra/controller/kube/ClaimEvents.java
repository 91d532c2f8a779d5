package io.gpudra.controller.kube;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Receives the changes of claims, in order for each claim. Both must return at once. */
record ClaimEvents(Consumer<ClaimFacts> changed, BiConsumer<ClaimRef, ClaimUid> deleted) {

  /** Ignores all events; used before the watches start. */
  static final ClaimEvents NO_OP = new ClaimEvents(now -> {}, (ref, uid) -> {});
}
