package io.gpudra.kubeletplugin.device;

/** Which processes may use a GPU at the same time; lost when the machine boots. */
public enum ComputeMode {
  /** Any process. */
  DEFAULT,
  /** One, such as an MPS server. */
  EXCLUSIVE_PROCESS
}
