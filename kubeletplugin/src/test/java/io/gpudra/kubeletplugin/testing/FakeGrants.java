package io.gpudra.kubeletplugin.testing;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.prepare.LiveGrant;
import io.gpudra.kubeletplugin.prepare.LiveGrants;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The claims of a server that can be away; counts the questions. */
public final class FakeGrants implements LiveGrants {

  private final Map<ClaimRef, LiveGrant> claims = new ConcurrentHashMap<>();
  public final List<ClaimRef> asked = new CopyOnWriteArrayList<>();
  public boolean away;

  /** The claim of the name is this one, and a pod has reserved it. */
  public void grant(ClaimRef claim, Grant grant) {
    put(
        claim,
        new LiveGrant.Granted(grant.claim(), grant, ImmutableSet.of("pod-of-" + grant.claim())));
  }

  public void put(ClaimRef claim, LiveGrant grant) {
    claims.put(claim, grant);
  }

  @Override
  public LiveGrant of(ClaimRef claim) {
    asked.add(claim);
    return away
        ? new LiveGrant.NoAnswer("connection refused")
        : Optional.ofNullable(claims.get(claim)).orElseGet(LiveGrant.Gone::new);
  }
}
