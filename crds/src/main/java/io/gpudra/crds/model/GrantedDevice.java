package io.gpudra.crds.model;

/**
 * One device of a grant: a GPU, or a part of one.
 *
 * @param name {@code gpu-<index>}, or of a MIG device {@code gpu-<index>-mig-<profile>-<start>}
 * @param parent held only for claims that carve their devices out of it; no container uses it
 */
public record GrantedDevice(String name, GrantedPart part, boolean parent) {

  /** A whole GPU. */
  public GrantedDevice(String name, String uuid) {
    this(name, GrantedPart.whole(uuid), /* parent= */ false);
  }

  /** UUID of the GPU. */
  public String uuid() {
    return part.gpuUuid();
  }
}
