package io.gpudra.controller.allocation.refusal;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.NamespaceAudience;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A reason whose text describes the node as it is when it is read. */
public interface NodeRefusal extends UnsuitableReason {

  /** The same reason for a node with an equal fingerprint. */
  NodeRefusal on(NodeLedger ledger);

  /** Another claim has the same joined namespace and name, by which the kubelet knows claims. */
  record NameHeld(ClaimRef other, String node) implements UnsuitableReason {

    @Override
    public Kind kind() {
      return Kind.NAME_HELD;
    }

    @Override
    public String text(NamespaceAudience reader) {
      return reader.mayRead(other)
          ? "another claim known as %s is allocated on %s (kubelet knows claims by name)"
              .formatted(other, node)
          : "%s is allocated on %s under the same name (kubelet joins name and namespace)"
              .formatted(reader.describe(other), node);
    }
  }

  /**
   * The node has enough devices for each claim of a pod, but not for all of them.
   *
   * @param all claims of the pod
   */
  record NotTogether(ClaimRef claim, ImmutableList<ClaimRef> all) implements UnsuitableReason {

    @Override
    public Kind kind() {
      return Kind.NOT_TOGETHER;
    }

    @Override
    public String text(NamespaceAudience reader) {
      return "fits alone, but not together with %s of the same pod"
          .formatted(reader.describe(others()));
    }

    private ImmutableSet<ClaimRef> others() {
      return all.stream()
          .filter(other -> !other.equals(claim))
          .collect(ImmutableSet.toImmutableSet());
    }
  }

  /**
   * The claim would take room that is kept for a group.
   *
   * @param until at most
   */
  record KeptForGroup(String namespace, String group, Instant until) implements UnsuitableReason {

    @Override
    public Kind kind() {
      return Kind.NODE_KEPT;
    }

    @Override
    public String text(NamespaceAudience reader) {
      String whose =
          reader.mayReadObjectsOf(namespace)
              ? "group %s/%s".formatted(namespace, group)
              : "a group of another namespace";
      return "its free GPUs are kept until %s for %s, which comes first"
          .formatted(until.truncatedTo(ChronoUnit.SECONDS), whose);
    }
  }

  /** The claim already has devices of a node. */
  static UnsuitableReason held(String node) {
    return StatedReason.of(Kind.HELD, "claim already holds GPUs of %s", node);
  }

  /** The evaluation of the node failed. */
  static UnsuitableReason notEvaluated(String why) {
    return StatedReason.of(Kind.NOT_JUDGED, "node cannot be evaluated: %s", why);
  }

  /** The budget does not cover the evaluation of the node. */
  static UnsuitableReason tooMany() {
    return StatedReason.of(
        Kind.TOO_MANY_COMBINATIONS,
        "too many combinations to decide; ask for fewer kinds of device");
  }

  /** The devices are on offer to claims that have waited longer. */
  static UnsuitableReason onOffer() {
    return StatedReason.of(Kind.ON_OFFER, "its free GPUs are offered to claims that come first");
  }

  /** The same of a group that is not told, as its nodes were not asked. */
  static UnsuitableReason kept() {
    return StatedReason.of(
        Kind.NODE_KEPT, "its free GPUs are kept for a group of pods that comes first");
  }
}
