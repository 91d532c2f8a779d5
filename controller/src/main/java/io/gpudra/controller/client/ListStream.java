package io.gpudra.controller.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.Reader;
import java.util.function.Consumer;

/**
 * Reads a list response object by object, so that a list of 50,000 claims never is in memory as
 * text or as a tree (defects 5, 23).
 */
final class ListStream {

  /** Of metadata: half of a list, and nobody looks at it. */
  private static final String NOT_READ = "managedFields";

  private ListStream() {}

  /**
   * Hands each item over.
   *
   * @return the list's resourceVersion
   * @throws IOException when the text ends early or is no JSON
   */
  static String read(Reader text, Consumer<JsonElement> items) throws IOException {
    try (JsonReader in = new JsonReader(text)) {
      return read(in, items);
    } catch (JsonParseException | IllegalStateException e) {
      throw new IOException("list is no JSON", e);
    }
  }

  private static String read(JsonReader in, Consumer<JsonElement> items) throws IOException {
    String resourceVersion = "";
    in.beginObject();
    while (in.hasNext()) {
      switch (in.nextName()) {
        case "metadata" -> resourceVersion = resourceVersion(JsonParser.parseReader(in));
        case "items" -> items(in, items);
        default -> in.skipValue();
      }
    }
    in.endObject();
    return resourceVersion;
  }

  private static String resourceVersion(JsonElement metadata) {
    return metadata.getAsJsonObject().get("resourceVersion").getAsString();
  }

  private static void items(JsonReader in, Consumer<JsonElement> items) throws IOException {
    if (in.peek() == JsonToken.NULL) {
      in.nextNull();
      return;
    }
    in.beginArray();
    while (in.hasNext()) {
      items.accept(item(in, false));
    }
    in.endArray();
  }

  /** The next object, an item or the metadata of one; whatever it is, when it is none. */
  private static JsonElement item(JsonReader in, boolean metadata) throws IOException {
    if (in.peek() != JsonToken.BEGIN_OBJECT) {
      return JsonParser.parseReader(in);
    }
    JsonObject object = new JsonObject();
    in.beginObject();
    while (in.hasNext()) {
      String name = in.nextName();
      if (metadata && name.equals(NOT_READ)) {
        in.skipValue();
      } else {
        boolean below = !metadata && name.equals("metadata");
        object.add(name, below ? item(in, true) : JsonParser.parseReader(in));
      }
    }
    in.endObject();
    return object;
  }
}
