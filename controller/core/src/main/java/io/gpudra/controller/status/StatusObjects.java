package io.gpudra.controller.status;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.util.Optional;

/** Port to the parameters there are. */
public interface StatusObjects {

  /** From the cache; empty also when the stored object cannot be read. */
  Optional<Subject> find(ObjectKey key);

  /** Of all that can be read. */
  ImmutableList<ObjectKey> keys();

  /** What any class forbids the conditions of its claims to read. */
  ImmutableSet<String> forbiddenAttributes();

  /** Stores a status in place of what was stored by us for this very object. */
  WriteOutcome.Kind write(Subject seen, ParametersStatus status);
}
