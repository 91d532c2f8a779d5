package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * What was found in some texts.
 *
 * @param findings text by text, in the order of their places
 * @param untold by the name of a text, how many more it has
 * @param objects how many were looked at
 */
public record Report(
    ImmutableList<Finding> findings, ImmutableMap<String, Integer> untold, int objects) {

  /** Whether nothing is wrong. */
  public boolean isClean() {
    return findings.isEmpty();
  }
}
