package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.actor.Profile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One node.
 *
 * @param kubeletDir holds {@code plugins_registry}; short, since paths of sockets in it have at
 *     most 107 bytes
 * @param cdiRoots from low to high priority
 * @param kubelet as which it treats claims and plugins; how claims are named is the cluster's
 *     matter
 * @param labels besides {@code kubernetes.io/hostname}, which is the name
 */
public record NodeConfig(
    String name,
    Path kubeletDir,
    List<Path> cdiRoots,
    Profile kubelet,
    Map<String, String> labels) {}
