package io.gpudra.controller.dra.facts;

/**
 * The group that a pod says it is a member of.
 *
 * @param size as written; empty when there is none
 * @param disputed labels of the other kind say otherwise
 */
public record GroupLabel(Kind kind, String name, String size, boolean disputed) {

  /** By which labels. */
  public enum Kind {
    OWN,
    KUEUE
  }
}
