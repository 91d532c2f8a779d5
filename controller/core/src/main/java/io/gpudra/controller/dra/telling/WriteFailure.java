package io.gpudra.controller.dra.telling;

/** Why a grant could not be written. */
public enum WriteFailure {
  GONE("the claim is gone"),
  ENDING("the claim is being deleted or deallocated"),
  TAKEN("the claim was allocated by another controller"),
  FOREIGN("the claim's class no longer names this driver"),
  REJECTED("the API server refuses the write");

  private final String text;

  WriteFailure(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
