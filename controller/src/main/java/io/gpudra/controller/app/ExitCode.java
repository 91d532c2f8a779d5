package io.gpudra.controller.app;

/** How the process ends; picocli's own 2 means wrong options. */
final class ExitCode {
  /** Told to stop; all work under way was finished. */
  static final int STOPPED = 0;

  /** The cluster cannot be reached or cannot be served. */
  static final int CANNOT_START = 1;

  /** An option has a value that cannot work. */
  static final int USAGE = 2;

  /** Another process leads, or may soon. */
  static final int LEADERSHIP_LOST = 3;

  /** Told to stop, but some work did not end in time. */
  static final int NOT_DRAINED = 4;

  /** A defect of ours kept a leader from leading. */
  static final int BROKEN = 70;

  private ExitCode() {}
}
