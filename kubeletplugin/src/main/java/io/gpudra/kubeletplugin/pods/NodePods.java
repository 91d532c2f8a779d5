package io.gpudra.kubeletplugin.pods;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/** The pods of this node, without the plugin's own. */
public interface NodePods {

  /** The pods of the node are not known. */
  NodePods UNKNOWN = Optional::empty;

  /** The pods that are there now; empty when that is not known. */
  Optional<Seen> look();

  /**
   * UIDs of pods.
   *
   * @param present have a cgroup: some of their processes may run
   * @param started those of them that have a sandbox or a container, for which the kubelet asks for
   *     nothing more
   */
  record Seen(ImmutableSet<String> present, ImmutableSet<String> started) {}
}
