package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import java.util.Optional;

/** The current state of the claim with a given name, according to the API server. */
public sealed interface LiveGrant {

  /** The grant of this claim, if the object is this claim and has a grant. */
  default Optional<Grant> grantOf(ClaimUid claim) {
    return Optional.empty();
  }

  /** Whether the object is this claim; empty when it is not known. */
  default Optional<Boolean> isClaim(ClaimUid claim) {
    return Optional.empty();
  }

  /** The reason why this claim has no grant. */
  String problem(ClaimUid claim);

  /** The UIDs of the pods for which it is reserved, if it is this claim. */
  default ImmutableSet<String> usersOf(ClaimUid claim) {
    return ImmutableSet.of();
  }

  /**
   * The claim has devices of this driver, perhaps on another node.
   *
   * @param users UIDs of the consumers for which it is reserved
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
    public Optional<Grant> grantOf(ClaimUid claim) {
      return uid.equals(claim) ? Optional.of(grant) : Optional.empty();
    }

    @Override
    public Optional<Boolean> isClaim(ClaimUid claim) {
      return Optional.of(uid.equals(claim));
    }

    @Override
    public String problem(ClaimUid claim) {
      return "it was made anew, with UID " + uid;
    }
  }

  /** The claim exists and has no devices of this driver, or no readable ones. */
  record NotGranted(ClaimUid uid, String why) implements LiveGrant {
    @Override
    public Optional<Boolean> isClaim(ClaimUid claim) {
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
    public Optional<Boolean> isClaim(ClaimUid claim) {
      return Optional.of(false);
    }

    @Override
    public String problem(ClaimUid claim) {
      return "it does not exist";
    }
  }

  /** The object cannot be read, and a retry would not help. */
  record Unreadable(String problem) implements LiveGrant {
    @Override
    public String problem(ClaimUid claim) {
      return problem;
    }
  }

  /** There is no answer; a retry may help. */
  record NoAnswer(String problem) implements LiveGrant {
    @Override
    public String problem(ClaimUid claim) {
      return problem;
    }
  }
}
