package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.view.UserView;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state that is evaluated.
 *
 * @param gates by component, if known: whether the feature gate is on
 * @param controllers pods of controllers of any driver name
 * @param plugins pods of plugins of any driver name
 * @param lease empty if there is none
 * @param nodes by name
 * @param leftovers pods that still hold GPUs of a removed device plugin, by node
 * @param outdated missing fields, by the name of the CRD
 * @param forbidden missing permissions, by the name of the service account
 * @param gatesPolicy whether a policy keeps the right to patch pods to scheduling gates
 * @param unseen checks that were not possible, and the reasons
 */
record InstallationState(
    String driverName,
    ApiServer server,
    ImmutableMap<String, Boolean> gates,
    SchedulerVersions.Seen schedulers,
    ImmutableList<Member> controllers,
    ImmutableList<Member> plugins,
    Optional<Lease> lease,
    ImmutableMap<String, Node> nodes,
    ImmutableListMultimap<String, String> leftovers,
    ImmutableMap<String, ImmutableSet<String>> outdated,
    ImmutableListMultimap<String, String> forbidden,
    boolean gatesPolicy,
    UserView userView,
    ImmutableList<String> unseen) {

  /** Whether the check was possible. */
  boolean mayRead(String what) {
    return unseen.stream().noneMatch(text -> text.startsWith(what));
  }

  /**
   * Version and APIs of the server.
   *
   * @param versions of {@code resource.k8s.io}
   * @param kinds plural names that version v1alpha2 has
   */
  record ApiServer(int minor, ImmutableSet<String> versions, ImmutableSet<String> kinds) {}

  /**
   * A pod of this driver.
   *
   * @param serviceAccount its name
   * @param driverName the name of the driver that it serves
   * @param gates whether it is a controller that removes scheduling gates
   * @param version tag of its image
   * @param trouble the reason why it is not ready, from its status or the end of its log
   */
  record Member(
      String namespace,
      String name,
      String node,
      String serviceAccount,
      String driverName,
      boolean gates,
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
   * The leader's lease.
   *
   * @param silent time since the last renewal
   * @param lasts its lease duration
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
   * @param handedOut GPUs that a device plugin advertises on it: 0 if it was removed, empty if
   *     there never was one
   * @param gpuLabels labels of other software that mark it as a GPU node
   */
  record Node(String runtime, OptionalLong handedOut, ImmutableList<String> gpuLabels) {

    /** Whether a device plugin advertises its GPUs. */
    boolean shared() {
      return handedOut.orElse(0) > 0;
    }

    /** Whether a device plugin was removed. */
    boolean abandoned() {
      return handedOut.isPresent() && !shared();
    }
  }
}
