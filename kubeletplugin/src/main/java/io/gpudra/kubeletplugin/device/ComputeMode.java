package io.gpudra.kubeletplugin.device;

/** The processes that may use a GPU at the same time; lost when the machine boots. */
public enum ComputeMode {
  /** Any process. */
  DEFAULT,
  /** One process, such as an MPS server. */
  EXCLUSIVE_PROCESS
}
