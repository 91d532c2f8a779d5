package io.gpudra.controller.dashboard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.crds.text.JsonText;
import java.io.UncheckedIOException;

/** Trees and text as JSON in one line. */
final class DashboardJson {
  static final JsonMapper MAPPER = new JsonMapper();

  private DashboardJson() {}

  /** The JSON of records, collections, text and numbers. */
  static String text(Object value) {
    try {
      return JsonText.plain(MAPPER.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("cannot be written", e);
    }
  }
}
