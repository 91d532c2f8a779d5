package io.gpudra.controller.translate;

import static io.gpudra.controller.translate.TranslationRemark.RowText.both;
import static io.gpudra.controller.translate.TranslationRemark.RowText.migrate;

import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationRemark.RowText;

/** What happens to objects of any kind, and to taints. */
public enum ObjectField implements Row {
  LAYOUT(
      both("anchors and lists", "the same without")
          .same("a document with anchors, or of several objects", "its objects written out")),
  TAINT_FIELD(migrate("until, reason of a taint", "").lost("%s of a taint", "it is left out", "")),
  FAILED(
      both("an object of a strange shape", "")
          .lost(
              "an object of a shape that was not expected",
              "its whole file stays as a comment: %s",
              "check the object with kubectl gpudra lint"));

  private final RowText text;

  ObjectField(RowText text) {
    this.text = text;
  }

  @Override
  public RowText text() {
    return text;
  }
}
