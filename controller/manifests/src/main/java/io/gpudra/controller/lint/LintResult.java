package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

/**
 * Findings of some texts.
 *
 * @param findings by text and place
 * @param unreported number of further findings by text
 * @param objects number of checked objects
 */
public record LintResult(
    ImmutableList<LintFinding> findings, ImmutableMap<String, Integer> unreported, int objects) {

  /** Whether there are no findings. */
  public boolean isClean() {
    return findings.isEmpty();
  }
}
