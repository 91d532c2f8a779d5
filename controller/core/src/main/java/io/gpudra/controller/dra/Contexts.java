package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.loop.ObjectKey;
import java.util.Optional;

/** Port to the PodSchedulingContexts. */
public interface Contexts {

  /** From the cache. */
  Optional<ContextFacts> get(ObjectKey context);

  /** All of them, from the cache. */
  ImmutableList<ContextFacts> all();

  /**
   * Server-side apply of our pending entries to this very context (its UID is sent along); entries
   * of ours that are left out disappear, entries of other drivers stay as they are. Never CONFLICT.
   */
  WriteOutcome.Kind apply(ContextFacts seen, StatusPatch patch);
}
