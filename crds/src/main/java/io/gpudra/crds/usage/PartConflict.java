package io.gpudra.crds.usage;

/** The reasons why parts of one GPU cannot be held at the same time. */
public enum PartConflict {
  /** Two claims have the whole GPU. */
  WHOLE_TWICE,
  /** A GPU has either whole, MIG or shared claims, not several kinds. */
  KINDS_MEET,
  /** There are MIG devices that the driver did not create. */
  OBSTRUCTED,
  /** The GPU has no such slice. */
  NO_SUCH_SLICE,
  /** Two MIG devices have a memory slice in common. */
  SLICES_OVERLAP,
  /** The parts need more compute slices than there are. */
  COMPUTE,
  /** There are more instances of one profile than the GPU can have. */
  PROFILE_COUNT,
  /** There is one set of media engines. */
  MEDIA_ENGINES,
  /** Two compute instances of one GPU instance have a compute slice in common, or it has fewer. */
  INSTANCES_OVERLAP,
  /** The parts need more memory than there is. */
  MEMORY,
  /** The shares need more than 1,000 millicores. */
  MILLICORES,
  /** Shares differ in how they take turns. */
  SETTINGS,
  /** There are more shares than one server can have clients. */
  SHARES,
  /** Shares of one claim are on the same GPU. */
  SHARE_TWICE,
  /** Equal parts of one claim leave nothing to others. */
  PARTITIONED
}
