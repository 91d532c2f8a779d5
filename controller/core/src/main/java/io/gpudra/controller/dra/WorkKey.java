package io.gpudra.controller.dra;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.HoldOwner;
import java.util.Comparator;

/**
 * One unit of work: a claim, a context with all its claims, or pods that wait at a gate. All may
 * have the same name.
 */
public record WorkKey(Kind kind, ObjectKey key) implements Comparable<WorkKey> {
  private static final Comparator<WorkKey> ORDER =
      Comparator.comparing(WorkKey::kind).thenComparing(WorkKey::key);

  public enum Kind {
    CLAIM,
    CONTEXT,
    GATE
  }

  public static WorkKey claim(ClaimRef ref) {
    return new WorkKey(Kind.CLAIM, new ObjectKey(ref.namespace(), ref.name()));
  }

  public static WorkKey context(ObjectKey key) {
    return new WorkKey(Kind.CONTEXT, key);
  }

  public static WorkKey gate(ObjectKey key) {
    return new WorkKey(Kind.GATE, key);
  }

  /** So that a hash table with thousands of names of one hash stays fast. */
  @Override
  public int compareTo(WorkKey other) {
    return ORDER.compare(this, other);
  }

  /** The owner of holds: the same work is always the same owner. */
  public HoldOwner owner() {
    return new HoldOwner(
        switch (kind) {
          case CLAIM -> "claim:" + key;
          case CONTEXT -> "context:" + key;
          case GATE -> "gate:" + key;
        });
  }
}
