package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** The current state of the claim with a given name, according to the API server. */
public sealed interface LiveGrant {

  /** The claim's grant, when it is this claim and has one. */
  default Optional<Grant> to(ClaimUid claim) {
    return Optional.empty();
  }

  /** Whether it is this claim; empty when that is not known. */
  default Optional<Boolean> is(ClaimUid claim) {
    return Optional.empty();
  }

  /** Why there is no grant to this claim. */
  String problem(ClaimUid claim);

  /** UIDs of the pods that it is reserved for, when it is this claim. */
  default ImmutableSet<String> usersOf(ClaimUid claim) {
    return ImmutableSet.of();
  }

  /**
   * The claim has devices of this driver, perhaps on another node.
   *
   * @param users UIDs of what it is reserved for
   */
  record Granted(ClaimUid uid, Grant grant, ImmutableSet<String> users) implements LiveGrant {

    boolean reserved() {
      return !users.isEmpty();
    }

    @Override
    public ImmutableSet<String> usersOf(ClaimUid claim) {
      return uid.equals(claim) ? users : ImmutableSet.of();
    }

    @Override
    public Optional<Grant> to(ClaimUid claim) {
      return uid.equals(claim) ? Optional.of(grant) : Optional.empty();
    }

    @Override
    public Optional<Boolean> is(ClaimUid claim) {
      return Optional.of(uid.equals(claim));
    }

    @Override
    public String problem(ClaimUid claim) {
      return "it was made anew, with UID " + uid;
    }
  }

  /** The claim exists and has no devices of this driver, or none that can be understood. */
  record Without(ClaimUid uid, String why) implements LiveGrant {
    @Override
    public Optional<Boolean> is(ClaimUid claim) {
      return Optional.of(uid.equals(claim));
    }

    @Override
    public String problem(ClaimUid claim) {
      return uid.equals(claim) ? why : "it was made anew, with UID " + uid;
    }
  }

  /** There is no such claim. */
  record Gone() implements LiveGrant {
    @Override
    public Optional<Boolean> is(ClaimUid claim) {
      return Optional.of(false);
    }

    @Override
    public String problem(ClaimUid claim) {
      return "it does not exist";
    }
  }

  /** There is an answer that is of no use, and the next will be the same. */
  record Unreadable(String problem) implements LiveGrant {
    @Override
    public String problem(ClaimUid claim) {
      return problem;
    }
  }

  /** No answer: ask again. */
  record Unknown(String problem) implements LiveGrant {
    @Override
    public String problem(ClaimUid claim) {
      return problem;
    }
  }
}
