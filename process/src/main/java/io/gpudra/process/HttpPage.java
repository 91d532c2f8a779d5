package io.gpudra.process;

import com.google.common.collect.ImmutableMap;

/** The content behind a path. */
@FunctionalInterface
public interface HttpPage {

  /**
   * Answers one request; may be asked by several threads at once.
   *
   * @param query of the request's URL; of several values of a name the last one
   */
  PageContent answer(ImmutableMap<String, String> query);
}
