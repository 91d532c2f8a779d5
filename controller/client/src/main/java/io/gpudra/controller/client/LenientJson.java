package io.gpudra.controller.client;

import com.google.gson.ExclusionStrategy;
import com.google.gson.FieldAttributes;
import com.google.gson.Gson;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.gpudra.crds.text.TextInterner;
import io.gpudra.crds.text.UtcTimes;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.Type;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Replaces client-java's strict Gson, which refuses unknown fields and so stops a watch forever
 * when the server is newer (defect 4). Also leaves out {@code managedFields}, two thirds of a small
 * object; the server keeps them when a PUT lacks them.
 */
public final class LenientJson {

  private LenientJson() {}

  /** Call before the first use of client-java; it holds for the whole process. */
  public static void install() {
    JSON.setGson(Installed.GSON);
  }

  /** The same reader and writer, whether or not it is installed. */
  public static Gson gson() {
    return Installed.GSON;
  }

  private static final class Installed {
    static final Gson GSON =
        JSON.createGson()
            .registerTypeAdapter(String.class, new StringInterner())
            .registerTypeAdapter(TextMap.TYPE, new TextMap())
            .registerTypeAdapter(OffsetDateTime.class, new Times())
            .registerTypeAdapter(byte[].class, new JSON.ByteArrayAdapter())
            .registerTypeAdapter(Date.class, new JSON.DateTypeAdapter())
            .addDeserializationExclusionStrategy(new WithoutManagedFields())
            .create();
  }

  /** A MicroTime has six decimals or is refused; any other time may have them. */
  private static final class Times extends JSON.OffsetDateTimeTypeAdapter {
    private static final DateTimeFormatter MICROS =
        DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    @Override
    public @Nullable OffsetDateTime read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return null;
      }
      String text = in.nextString();
      Optional<Instant> usual = UtcTimes.usual(text);
      return usual.isPresent() ? usual.get().atOffset(ZoneOffset.UTC) : unusual(text);
    }

    private @Nullable OffsetDateTime unusual(String text) throws IOException {
      return super.read(new JsonReader(new StringReader(new JsonPrimitive(text).toString())));
    }

    @Override
    public void write(JsonWriter out, @Nullable OffsetDateTime time) throws IOException {
      out.value(time == null ? null : MICROS.format(time));
    }
  }

  private static final class WithoutManagedFields implements ExclusionStrategy {
    @Override
    public boolean shouldSkipField(FieldAttributes field) {
      return field.getDeclaringClass() == V1ObjectMeta.class
          && field.getName().equals("managedFields");
    }

    @Override
    public boolean shouldSkipClass(Class<?> type) {
      return false;
    }
  }

  /** Reads the names of entries as names, so that a reader can skip some; Gson's does not. */
  private static final class TextMap extends TypeAdapter<Map<String, String>> {
    static final Type TYPE = new TypeToken<Map<String, String>>() {}.getType();

    private final StringInterner texts = new StringInterner();

    @Override
    public @Nullable Map<String, String> read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return null;
      }
      Map<String, String> entries = new LinkedHashMap<>();
      in.beginObject();
      while (in.hasNext()) {
        entries.put(TextInterner.same(in.nextName()), texts.read(in));
      }
      in.endObject();
      return entries;
    }

    @Override
    public void write(JsonWriter out, @Nullable Map<String, String> entries) throws IOException {
      if (entries == null) {
        out.nullValue();
        return;
      }
      out.beginObject();
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        out.name(entry.getKey()).value(entry.getValue());
      }
      out.endObject();
    }
  }

  /** Interns strings that occur again and again. */
  private static final class StringInterner extends TypeAdapter<String> {

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
}
