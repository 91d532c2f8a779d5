package io.gpudra.crds.usage;

/** Why parts of one GPU cannot be held at the same time. */
public enum PartConflict {
  /** Two claims have all of it. */
  WHOLE_TWICE,
  /** A GPU has either whole, MIG or shared claims, not several kinds. */
  KINDS_MEET,
  /** There are MIG devices that the driver did not make. */
  OBSTRUCTED,
  /** The GPU has no such slice. */
  NO_SUCH_SLICE,
  /** Two MIG devices have a memory slice in common. */
  SLICES_OVERLAP,
  /** More compute slices than there are. */
  COMPUTE,
  /** More instances of one profile than the GPU can have. */
  PROFILE_COUNT,
  /** There is one set of media engines. */
  MEDIA_ENGINES,
  /** Two compute instances of one GPU instance have a compute slice in common, or it has fewer. */
  INSTANCES_OVERLAP,
  /** More memory than there is. */
  MEMORY,
  /** More than a thousand thousandths. */
  MILLICORES,
  /** Shares differ in how they take turns. */
  SETTINGS,
  /** More shares than one server can have clients. */
  SHARES,
  /** Shares of one claim are of different GPUs. */
  SHARE_TWICE,
  /** Equal parts of one claim leave nothing to others. */
  PARTITIONED
}
