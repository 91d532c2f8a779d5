package io.gpudra.kubeletplugin.device.nvml;

/**
 * An NVLink that is up.
 *
 * @param remoteBusId of the device at the other end, in the spelling of {@link NvmlGpu#pcieBusId};
 *     empty when it is not known, as in a virtual machine
 */
public record NvLink(End end, String remoteBusId) {

  /** The device at the other end. */
  public enum End {
    GPU,
    /** A processor that is none of ours. */
    NPU,
    SWITCH,
    UNKNOWN
  }
}
