package io.gpudra.controller.status;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.util.Optional;

/** Port to the parameters objects. */
public interface StatusObjects {

  /** From the cache; empty also when the stored object cannot be read. */
  Optional<StatusTarget> find(ObjectKey key);

  /** The keys of all readable objects. */
  ImmutableList<ObjectKey> keys();

  /** The attributes that any class forbids to the conditions of its claims. */
  ImmutableSet<String> forbiddenAttributes();

  /** Replaces the status that we stored for exactly this object. */
  WriteOutcome.Kind write(StatusTarget seen, ParametersStatus status);
}
