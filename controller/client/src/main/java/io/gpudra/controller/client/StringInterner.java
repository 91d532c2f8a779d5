package io.gpudra.controller.client;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.gpudra.crds.text.TextInterner;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Interns strings that occur again and again. */
final class StringInterner extends TypeAdapter<String> {

  @Override
  public @Nullable String read(JsonReader in) throws IOException {
    JsonToken token = in.peek();
    if (token == JsonToken.NULL) {
      in.nextNull();
      return null;
    }
    return token == JsonToken.BOOLEAN
        ? Boolean.toString(in.nextBoolean())
        : TextInterner.same(in.nextString());
  }

  @Override
  public void write(JsonWriter out, @Nullable String value) throws IOException {
    out.value(value);
  }
}
