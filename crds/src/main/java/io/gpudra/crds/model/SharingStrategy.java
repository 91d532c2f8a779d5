package io.gpudra.crds.model;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How the processes of one or more claims use a device at the same time. The limits of each client
 * belong to the claim; the rest is a setting of the device.
 */
public sealed interface SharingStrategy {

  /** No server runs and nothing is set: the driver's turns have its default length. */
  SharingStrategy NONE = new TimeSlicing(Interval.DEFAULT);

  /** The name that users write. */
  String strategy();

  /** The setting that must be equal for all claims on one device. */
  SharingStrategy setting();

  /** The length of a turn. */
  enum Interval {
    DEFAULT("Default"),
    SHORT("Short"),
    MEDIUM("Medium"),
    LONG("Long");

    private final String text;

    Interval(String text) {
      this.text = text;
    }

    /** The text that users write. */
    public String text() {
      return text;
    }
  }

  /** The processes take turns. */
  record TimeSlicing(Interval interval) implements SharingStrategy {
    @Override
    public String strategy() {
      return "TimeSlicing";
    }

    @Override
    public SharingStrategy setting() {
      return this;
    }
  }

  /**
   * One server for all clients.
   *
   * @param activeThreadPercentage of each client, 1 to 100
   * @param pinnedMemoryBytes of this device for each client
   */
  record Mps(OptionalInt activeThreadPercentage, OptionalLong pinnedMemoryBytes)
      implements SharingStrategy {
    @Override
    public String strategy() {
      return "MPS";
    }

    @Override
    public SharingStrategy setting() {
      return new Mps(OptionalInt.empty(), OptionalLong.empty());
    }
  }

  /**
   * Equal parts of memory and compute.
   *
   * @param parts 1 to 64
   */
  record SpacePartitioning(int parts) implements SharingStrategy {
    @Override
    public String strategy() {
      return "SpacePartitioning";
    }

    @Override
    public SharingStrategy setting() {
      return this;
    }
  }
}
