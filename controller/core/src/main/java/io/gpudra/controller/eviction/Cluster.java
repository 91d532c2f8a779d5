package io.gpudra.controller.eviction;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.Toleration;
import java.util.Optional;

/** Port to whoever knows the users of claims, and can ask them to leave. */
public interface Cluster {

  /** Pods that this very claim is reserved for, from the cache. */
  ImmutableList<PodRef> pods(ClaimRef ref, ClaimUid claim);

  /** What this very claim puts up with; empty while that cannot be read. */
  Optional<ImmutableList<Toleration>> tolerations(ClaimRef ref, ClaimUid claim);

  /** Asks the server to evict this very pod, however often. */
  Answer evict(PodRef pod);

  /** What the server said. */
  enum Answer {
    /** The pod is ending. */
    EVICTED,
    /** There is no such pod any more. */
    GONE,
    /** Not now: too few of its kind would be left. */
    BLOCKED,
    /** No answer, or another one. */
    FAILED
  }
}
