package io.gpudra.controller.client.watch;

import io.gpudra.controller.client.LenientJson;
import java.io.IOException;
import java.io.Reader;

/** Reads only some fields of a text that is no answer of the API server. */
public final class PartialResponse {

  private PartialResponse() {}

  /**
   * Reads the fields within a budget.
   *
   * @param type that Gson reads
   * @param most the limit of estimated bytes in memory
   * @throws TooLargeException when they would exceed the limit
   * @throws IOException when the text ends too early or is no JSON
   * @throws RuntimeException when it is no such object; neither Gson nor a record names all
   *     exceptions
   */
  public static <T> T read(Reader text, FieldFilter fields, Class<T> type, long most)
      throws IOException {
    return new ObjectReader(text, most).read(fields, LenientJson.gson().getAdapter(type));
  }
}
