package io.gpudra.controller.client.watch;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.Reader;

/**
 * Reads a list response object by object, so that a list of 50,000 claims is never in memory as
 * text or as a tree (defects 5, 23).
 */
final class ListStream {

  private ListStream() {}

  /** Reads the next object of the text. */
  interface Item {
    void read(ObjectReader in) throws IOException;
  }

  /**
   * Reads each item.
   *
   * @return the list's resourceVersion
   * @throws IOException when the text ends early or is no JSON
   */
  static String read(Reader text, Item item) throws IOException {
    try (ObjectReader in = ObjectReader.ofServer(text)) {
      return read(in, item);
    } catch (JsonParseException | IllegalStateException e) {
      throw new IOException("list is no JSON", e);
    }
  }

  private static String read(ObjectReader in, Item item) throws IOException {
    String resourceVersion = "";
    in.beginObject();
    while (in.hasNext()) {
      switch (in.nextName()) {
        case "metadata" -> resourceVersion = resourceVersion(JsonParser.parseReader(in));
        case "items" -> items(in, item);
        default -> in.skipValue();
      }
    }
    in.endObject();
    return resourceVersion;
  }

  private static String resourceVersion(JsonElement metadata) throws IOException {
    JsonElement version = metadata.getAsJsonObject().get("resourceVersion");
    if (version == null || !version.isJsonPrimitive()) {
      throw new IOException("list has no resourceVersion");
    }
    return version.getAsString();
  }

  private static void items(ObjectReader in, Item item) throws IOException {
    if (in.peek() == JsonToken.NULL) {
      in.nextNull();
      return;
    }
    in.beginArray();
    while (in.hasNext()) {
      item.read(in);
    }
    in.endArray();
  }
}
