package io.gpudra.controller.translate;

import java.util.Optional;
import java.util.stream.Stream;

/** The Kubernetes versions with {@code resource.k8s.io/v1}. */
public enum TargetVersion {
  V1_34("1.34", "v1alpha3"),
  V1_35("1.35", "v1alpha3"),
  V1_36("1.36", "v1beta2"),
  V1_37("1.37", "v1");

  /** Taints of devices in slices, and their tolerations in claims. */
  public static final String TAINTS = "DRADeviceTaints";

  /** Taints of devices by rules of an administrator. */
  private static final String TAINT_RULES = "DRADeviceTaintRules";

  private final String text;
  private final String taintRuleVersion;

  TargetVersion(String text, String taintRuleVersion) {
    this.text = text;
    this.taintRuleVersion = taintRuleVersion;
  }

  /** The version of this text; empty if there is none. */
  public static Optional<TargetVersion> of(String text) {
    return Stream.of(values()).filter(one -> one.text.equals(text)).findFirst();
  }

  /** The text of users, such as {@code 1.36}. */
  public String text() {
    return text;
  }

  /** The version of the API that has DeviceTaintRules. */
  public String taintRuleApi() {
    return "resource.k8s.io/" + taintRuleVersion;
  }

  /** The feature gate of taint rules and the flag that serves their API. */
  public String taintRuleGate() {
    return "%s with --runtime-config=%s=true".formatted(TAINT_RULES, taintRuleApi());
  }

  /** Whether kube-scheduler makes MIG devices, shares GPUs and obeys taints by default. */
  public boolean dividesDevices() {
    return compareTo(V1_36) >= 0;
  }

  /** Whether the feature gate of taint rules is on by default. */
  public boolean hasTaintRules() {
    return compareTo(V1_37) >= 0;
  }
}
