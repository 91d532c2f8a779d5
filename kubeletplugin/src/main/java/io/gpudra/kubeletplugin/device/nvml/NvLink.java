package io.gpudra.kubeletplugin.device.nvml;

/**
 * An NVLink that is up.
 *
 * @param remoteBusId of what is at the other end, in the spelling of {@link NvmlGpu#pcieBusId};
 *     empty when it cannot be told, as in a virtual machine
 */
public record NvLink(End end, String remoteBusId) {

  /** What is at the other end. */
  public enum End {
    GPU,
    /** A processor that is none of ours. */
    NPU,
    SWITCH,
    UNKNOWN
  }
}
