package io.gpudra.bench.real;

import io.gpudra.bench.sample.SampleNode;

/** A driver that is measured. */
enum Contender {
  /** Ours. */
  GPUDRA(SampleNode.DRIVER, "system:serviceaccount:gpudra:gpudra-controller"),
  /** Upstream's test driver on the Go helper library. */
  HELPER("test-driver.cdi.k8s.io", "system:serviceaccount:test-driver:test-driver");

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
}
