package io.gpudra.controller.allocation.request;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.Toleration;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What one claim asks for.
 *
 * @param alternatives at least one; the first that fits is taken
 * @param inside the claim out of whose devices all MIG devices are carved
 * @param tolerations taints of GPUs that the claim puts up with
 * @param generation of the parameters that were read, copied into the grant
 * @param admittedNodes nodes the claim's class allows; looked at only where we choose the node, a
 *     scheduler that chooses looks itself
 * @param lingering a node may have it prepared from an earlier grant without having said so, and it
 *     is not known which
 */
public record ClaimRequest(
    ClaimUid uid,
    ClaimRef ref,
    ImmutableList<Alternative> alternatives,
    Optional<Parent> inside,
    Policy policy,
    ImmutableList<Toleration> tolerations,
    OptionalLong generation,
    Optional<NodeSelector> admittedNodes,
    boolean lingering) {

  /** The order in which the claims of a pod, which are of one namespace, are served. */
  public static final Comparator<ClaimRequest> BY_NAME =
      Comparator.comparing((ClaimRequest claim) -> claim.ref().name())
          .thenComparing(ClaimRequest::uid);

  /** Refuses a request for nothing. */
  public ClaimRequest {
    if (alternatives.isEmpty()) {
      throw new IllegalArgumentException("claim " + ref + " asks for nothing");
    }
  }

  /** The same claim asking for something else. */
  public ClaimRequest with(ImmutableList<Alternative> others) {
    return new ClaimRequest(
        uid, ref, others, inside, policy, tolerations, generation, admittedNodes, lingering);
  }

  /** The same claim whatever is wrong with devices. */
  public ClaimRequest toleratingAll() {
    Toleration all = new Toleration("", Optional.empty(), Optional.empty(), Optional.empty());
    return new ClaimRequest(
        uid,
        ref,
        alternatives,
        inside,
        policy,
        ImmutableList.of(all),
        generation,
        admittedNodes,
        lingering);
  }

  /**
   * What it asks, whoever it is: equal for all that ask for the same, wherever they would rather
   * have it. No claim has such a name, so that none has its kubelet key.
   *
   * @param number tells the claims of one pod apart
   */
  public ClaimRequest anonymous(int number) {
    String name = (number < 10 ? "0" : "") + number;
    return new ClaimRequest(
        new ClaimUid(name),
        new ClaimRef("", "/" + name),
        alternatives,
        Optional.empty(),
        Policy.PACK,
        tolerations,
        OptionalLong.empty(),
        admittedNodes,
        /* lingering= */ false);
  }

  /** Whether its grant may say more than which GPUs it has. */
  public boolean wantsMoreThanWholeGpus() {
    // Asked for each claim and node: loops leave nothing behind.
    for (Alternative alternative : alternatives) {
      for (Wish wish : alternative.wishes()) {
        if (!wish.isOfUnsharedGpus()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether it sees all GPUs of a node that has a matching one, and takes none. */
  public boolean monitors() {
    return only().shape() instanceof Shape.Sight;
  }

  /** Whether it wants a number of whole GPUs and nothing else, as nearly all claims do. */
  public boolean isPlain() {
    Alternative first = alternatives.get(0);
    return alternatives.size() == 1
        && first.wishes().size() == 1
        && first.together().isAnyhow()
        && only().shape() instanceof Shape.Whole
        && !only().all();
  }

  /** The only wish of a claim that is plain or monitors. */
  public Wish only() {
    return alternatives.get(0).wishes().get(0);
  }

  /** A claim out of whose devices those of another claim are carved. */
  public record Parent(ClaimUid uid, ClaimRef ref) {}
}
