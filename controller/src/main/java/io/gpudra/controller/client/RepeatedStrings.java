package io.gpudra.controller.client;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Reads a string as the same object as its equal of a while ago. In 10,000 scheduling contexts of a
 * big cluster are two and a half million names of nodes, and 5,000 different ones.
 */
final class RepeatedStrings extends TypeAdapter<String> {
  private static final int REMEMBERED = 1 << 16;
  private static final int LONGEST = 64;

  private final AtomicReferenceArray<@Nullable String> recent =
      new AtomicReferenceArray<>(REMEMBERED);

  @Override
  public @Nullable String read(JsonReader in) throws IOException {
    JsonToken token = in.peek();
    if (token == JsonToken.NULL) {
      in.nextNull();
      return null;
    }
    return token == JsonToken.BOOLEAN
        ? Boolean.toString(in.nextBoolean())
        : remembered(in.nextString());
  }

  private String remembered(String text) {
    if (text.length() > LONGEST) {
      return text;
    }
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & (REMEMBERED - 1);
    String known = recent.get(place);
    if (text.equals(known)) {
      return known;
    }
    recent.set(place, text);
    return text;
  }

  @Override
  public void write(JsonWriter out, @Nullable String value) throws IOException {
    out.value(value);
  }
}
