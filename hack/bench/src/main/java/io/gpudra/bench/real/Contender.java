package io.gpudra.bench.real;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.sample.SampleNode;

/** A driver that is measured. */
enum Contender {
  /** Ours. */
  GPUDRA(SampleNode.DRIVER, "system:serviceaccount:gpudra:gpudra-controller"),
  /** Ours as it was before a change: of another checkout. */
  BEFORE(SampleNode.DRIVER, "system:serviceaccount:gpudra:gpudra-controller"),
  /** Ours, with {@code --gates} and pods that carry the gate. */
  GATED(SampleNode.DRIVER, "system:serviceaccount:gpudra:gpudra-controller"),
  /** Upstream's test driver on the Go helper library. */
  HELPER("test-driver.cdi.k8s.io", "system:serviceaccount:test-driver:test-driver"),
  /**
   * Structured parameters of Kubernetes 1.30: the scheduler itself chooses among what
   * ResourceSlices list, without a driver. It has no process, and its GPUs no attributes.
   */
  STRUCTURED("structured.example.com", "none");

  private final String driverName;
  private final String user;

  Contender(String driverName, String user) {
    this.driverName = driverName;
    this.user = user;
  }

  String driverName() {
    return driverName;
  }

  /** Its name in the audit log. */
  String user() {
    return user;
  }

  boolean hasProcess() {
    return this != STRUCTURED;
  }

  /** The scheduling gates of each pod. */
  ImmutableList<String> gates() {
    return this == GATED ? ImmutableList.of(driverName + "/granted") : ImmutableList.of();
  }

  /** The labels of each member of a group. */
  ImmutableMap<String, String> labels(int groupSize) {
    return ImmutableMap.of(
        driverName + "/group", "measured", driverName + "/group-size", "" + groupSize);
  }

  /** The class that all pods ask for. */
  ImmutableMap<String, Object> resourceClass() {
    return ImmutableMap.of(
        "apiVersion",
        "resource.k8s.io/v1alpha2",
        "kind",
        "ResourceClass",
        "metadata",
        ImmutableMap.of("name", "measured"),
        "driverName",
        driverName,
        "structuredParameters",
        !hasProcess());
  }
}
