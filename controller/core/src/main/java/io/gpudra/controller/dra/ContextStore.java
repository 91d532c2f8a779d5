package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.loop.ObjectKey;
import java.util.Optional;

/** Port to the PodSchedulingContexts. */
public interface ContextStore {

  /** From the cache. */
  Optional<ContextFacts> get(ObjectKey context);

  /** All of them, from the cache. */
  ImmutableList<ContextFacts> all();

  /**
   * Server-side apply of our pending entries to exactly this context (its UID is sent along).
   * Entries of ours that are left out disappear, entries of other drivers stay as they are. Never
   * CONFLICT.
   */
  WriteOutcome.Kind apply(ContextFacts seen, StatusPatch patch);

  /**
   * Our entries of a scheduling context's status.
   *
   * @param unsuitableNodes by pod claim name: at most 128 nodes, without duplicates, the selected
   *     node first if it is included; an empty list says that every node is suitable
   */
  record StatusPatch(ImmutableSortedMap<String, ImmutableList<String>> unsuitableNodes) {}
}
