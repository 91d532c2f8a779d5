package io.gpudra.controller.doctor.upgrade;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The state that decides about an upgrade.
 *
 * @param finalizer of the driver, on claims
 * @param target the minor version at the end of the upgrade
 * @param led whether a controller leads
 * @param served whether the server serves {@code resource.k8s.io}
 * @param objects those that matter
 * @param unreadable plural names of kinds that the server cannot list
 */
record UpgradeState(
    String finalizer,
    int target,
    boolean led,
    boolean served,
    ImmutableListMultimap<StoredKind, StoredObject> objects,
    ImmutableSet<String> unreadable) {
  /** The last minor version with {@code v1alpha2}. */
  static final int LAST_CLASSIC = 30;

  private static final Pattern KUBELET = Pattern.compile("v1\\.(\\d{1,4})\\..*");

  Stream<StoredObject> all(StoredKind... kinds) {
    return Stream.of(kinds).flatMap(kind -> objects.get(kind).stream());
  }

  /** Without objects that go with their owner. */
  Stream<StoredObject> roots(StoredKind... kinds) {
    return all(kinds).filter(one -> !one.goesWithItsOwner());
  }

  /** The workloads that keep as many pods as they say. */
  Stream<StoredObject> replicated() {
    return roots(
        StoredKind.DEPLOYMENT,
        StoredKind.STATEFUL_SET,
        StoredKind.REPLICA_SET,
        StoredKind.REPLICATION_CONTROLLER);
  }

  /** The nodes whose kubelet writes a state file that later ones do not read. */
  Stream<StoredObject> classicNodes() {
    return all(StoredKind.NODE).filter(UpgradeState::isClassic);
  }

  private static boolean isClassic(StoredObject node) {
    Matcher version = KUBELET.matcher(node.text("/status/nodeInfo/kubeletVersion"));
    return version.matches() && Integer.parseInt(version.group(1)) <= LAST_CLASSIC;
  }
}
