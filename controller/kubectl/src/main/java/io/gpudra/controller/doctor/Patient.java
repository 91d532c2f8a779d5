package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.view.Sight;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * All that is looked at, as it was found.
 *
 * @param gates by component, as far as it can be seen: whether the feature gate is on
 * @param controllers pods of controllers of any driver name
 * @param plugins pods of plugins of any driver name
 * @param lease absent when there is none
 * @param nodes by name
 * @param leftBehind pods that still have GPUs of a device plugin that has ended, by node
 * @param outdated fields that a custom resource of the cluster lacks, by its name
 * @param forbidden what a service account may not do, by its name
 * @param unseen what could not be looked at, and why
 */
record Patient(
    String driverName,
    ApiServer server,
    ImmutableMap<String, Boolean> gates,
    Schedulers.Seen schedulers,
    ImmutableList<Member> controllers,
    ImmutableList<Member> plugins,
    Optional<Lease> lease,
    ImmutableMap<String, Node> nodes,
    ImmutableListMultimap<String, String> leftBehind,
    ImmutableMap<String, ImmutableSet<String>> outdated,
    ImmutableMap<String, ImmutableList<String>> forbidden,
    Sight sight,
    ImmutableList<String> unseen) {

  /** Whether it could be looked at. */
  boolean sees(String what) {
    return unseen.stream().noneMatch(text -> text.startsWith(what));
  }

  /**
   * What the server serves.
   *
   * @param versions of {@code resource.k8s.io}
   * @param kinds plural names that version v1alpha2 has
   */
  record ApiServer(int minor, ImmutableSet<String> versions, ImmutableSet<String> kinds) {}

  /**
   * A pod of ours.
   *
   * @param serviceAccount its name
   * @param driverName that it serves
   * @param version tag of its image
   * @param trouble why it is not ready, as far as its status or the end of its log tells
   */
  record Member(
      String namespace,
      String name,
      String node,
      String serviceAccount,
      String driverName,
      String version,
      boolean ready,
      String trouble) {

    String ref() {
      return namespace + "/" + name;
    }

    String account() {
      return namespace + "/" + serviceAccount;
    }
  }

  /**
   * The leader's.
   *
   * @param silent how long ago it was renewed
   * @param lasts how long others wait for it
   */
  record Lease(String holder, Duration silent, Duration lasts) {

    boolean led() {
      return !holder.isEmpty() && silent.compareTo(lasts) <= 0;
    }
  }

  /**
   * A node.
   *
   * @param runtime such as {@code containerd://1.7.22}
   * @param handedOut how many GPUs a device plugin offers on it: none if it has ended, empty if
   *     there was none
   * @param gpuLabels labels by which other software says that it has GPUs
   */
  record Node(String runtime, OptionalLong handedOut, ImmutableList<String> gpuLabels) {

    /** Whether a device plugin hands out its GPUs. */
    boolean shared() {
      return handedOut.orElse(0) > 0;
    }

    /** Whether a device plugin did. */
    boolean abandoned() {
      return handedOut.isPresent() && !shared();
    }
  }
}
