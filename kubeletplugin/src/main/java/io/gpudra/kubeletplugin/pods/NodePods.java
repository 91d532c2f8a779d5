package io.gpudra.kubeletplugin.pods;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/** The pods of this node, without the plugin's own. */
public interface NodePods {

  /** The pods of the node are unknown. */
  NodePods UNKNOWN = Optional::empty;

  /** The current pods; empty when they are unknown. */
  Optional<PodSet> list();

  /**
   * UIDs of pods.
   *
   * @param present pods with a cgroup: some of their processes may run
   * @param started those of them that have a sandbox or a container, for which the kubelet makes no
   *     further calls
   */
  record PodSet(ImmutableSet<String> present, ImmutableSet<String> started) {}
}
