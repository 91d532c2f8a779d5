package io.gpudra.process;

/**
 * The exit codes of our processes. 2 is picocli's own, 3 the JVM's; 128 and more are those of
 * signals.
 */
public final class ExitCode {
  /** The process was asked to stop, and finished all running work. */
  public static final int STOPPED = 0;

  /** Something outside the process blocks it; the last line of the log names it. */
  public static final int CANNOT_RUN = 1;

  /** An option has a value that cannot work. */
  public static final int USAGE = 2;

  /** The exit code of the JVM with {@code -XX:+ExitOnOutOfMemoryError}, which the images set. */
  public static final int OUT_OF_MEMORY = 3;

  /** The process was asked to stop, but some work did not end in time. */
  public static final int NOT_DRAINED = 4;

  /** Another process leads, or may soon. */
  public static final int LEADERSHIP_LOST = 5;

  /** A defect of ours kept a leader from leading. */
  public static final int BROKEN = 70;

  private ExitCode() {}
}
