package io.gpudra.process;

import com.google.common.collect.ImmutableMap;

/** The content behind a path. */
@FunctionalInterface
public interface HttpPage {

  /**
   * Answers one request; may be called by several threads at once.
   *
   * @param query of the request's URL; if a name has several values, the last one
   */
  PageContent answer(ImmutableMap<String, String> query);
}
