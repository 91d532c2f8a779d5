package io.gpudra.controller.translate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.translate.TranslationRemark.Weight;

/**
 * Translated texts.
 *
 * @param files the texts by their names, in their order; empty if a text cannot be read
 * @param problems of texts that cannot be read, each with its place
 * @param remarks by file and place
 * @param gates the feature gates that the objects need
 * @param changed number of objects that changed
 * @param unchanged number of objects that did not
 */
public record TranslationResult(
    ImmutableMap<String, String> files,
    ImmutableList<String> problems,
    ImmutableList<TranslationRemark> remarks,
    ImmutableSortedSet<String> gates,
    int changed,
    int unchanged) {

  /** The number of remarks of a weight. */
  public int count(Weight weight) {
    return (int) remarks.stream().filter(remark -> remark.weight() == weight).count();
  }

  /** Whether a part of the meaning is gone. */
  public boolean losesMeaning() {
    return count(Weight.WEAKER) + count(Weight.LOST) > 0;
  }
}
