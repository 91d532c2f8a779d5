package io.gpudra.controller.dra.waiting;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;

/** Which contexts name a claim, and which claims a context names. */
final class ContextIndex {
  /** Both guarded by this. */
  private final SetMultimap<ObjectKey, ClaimRef> claims =
      MultimapBuilder.hashKeys().linkedHashSetValues().build();

  private final SetMultimap<ClaimRef, ObjectKey> contexts =
      MultimapBuilder.hashKeys().linkedHashSetValues().build();

  synchronized void names(ObjectKey context, ImmutableSet<ClaimRef> named) {
    if (claims.get(context).equals(named)) {
      return;
    }
    forget(context);
    claims.putAll(context, named);
    named.forEach(claim -> contexts.put(claim, context));
  }

  /** The claims the context named until now. */
  synchronized ImmutableSet<ClaimRef> forget(ObjectKey context) {
    ImmutableSet<ClaimRef> named = ImmutableSet.copyOf(claims.removeAll(context));
    named.forEach(claim -> contexts.remove(claim, context));
    return named;
  }

  synchronized int size() {
    return claims.size() + contexts.size();
  }

  synchronized ImmutableSet<ObjectKey> contextsOf(ClaimRef claim) {
    return ImmutableSet.copyOf(contexts.get(claim));
  }
}
