package io.gpudra.kubeletplugin.device.nvidia;

/**
 * What is wrong with a GPU for good, so that its pods must leave it before a reset or a boot mends
 * it. The names are those of the taints.
 */
public enum EvictOn {
  LOST,
  XID,
  ECC
}
