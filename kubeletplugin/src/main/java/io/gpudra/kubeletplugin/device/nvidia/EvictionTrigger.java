package io.gpudra.kubeletplugin.device.nvidia;

/**
 * Permanent problems of a GPU for which pods must leave it, until a reset or a boot clears them.
 * The names are those of the taints.
 */
public enum EvictionTrigger {
  LOST,
  XID,
  ECC
}
