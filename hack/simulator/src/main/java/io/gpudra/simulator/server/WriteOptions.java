package io.gpudra.simulator.server;

/**
 * How a write is made.
 *
 * @param manager who is remembered as the owner of the fields it changes; empty for nobody
 * @param dryRun answer as if it were done, and do not do it
 * @param strict refuse unknown fields instead of warning
 * @param owned the object already says who owns its fields
 */
public record WriteOptions(String manager, boolean dryRun, boolean strict, boolean owned) {
  /** In process: no owner, unknown fields are dropped. */
  public static final WriteOptions PLAIN = new WriteOptions("", false, false, false);
}
