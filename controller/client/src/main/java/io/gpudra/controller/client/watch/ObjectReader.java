package io.gpudra.controller.client.watch;

import com.google.gson.JsonSyntaxException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the chosen fields of objects from a stream of text. The identity of a malformed object is
 * known, too, and the objects after it can be read.
 */
final class ObjectReader extends JsonReader {
  /** The overhead of a value or a name in a tree. */
  private static final long VALUE = 100;

  private static final long CHARACTER = 2;

  /** The limit of bytes for each object. */
  private final long maxBytes;

  /** The bytes of the current object. */
  private long charged;

  /** The open objects and arrays of the current object. */
  private final Deque<Opened> opened = new ArrayDeque<>();

  private final Map<ObjectIdentity, String> identity = new EnumMap<>(ObjectIdentity.class);

  /** The number of open objects and arrays inside one that is read whole. */
  private int whole;

  /** The fields of the next value to read. */
  private FieldFilter chosen = FieldFilter.WHOLE;

  /** The name of the next field, when it was read ahead. */
  private @Nullable String name;

  /** An object or array of which only some fields are read; all elements of an array are alike. */
  private record Opened(FieldFilter fields, boolean array) {}

  /**
   * Reads with a budget.
   *
   * @param maxBytes the limit of estimated bytes in memory for an object
   */
  ObjectReader(Reader text, long maxBytes) {
    super(text);
    this.maxBytes = maxBytes;
  }

  /** Reads objects of any size, see {@link #ofServer(Reader, long)}. */
  static ObjectReader ofServer(Reader text) {
    return ofServer(text, Long.MAX_VALUE);
  }

  /**
   * Reads a text of the API server. It stores arbitrarily nested objects, in managed fields; Gson's
   * limit would end the list that contains one.
   *
   * @param most the limit of estimated bytes in memory for an object
   */
  static ObjectReader ofServer(Reader text, long most) {
    ObjectReader in = new ObjectReader(text, most);
    in.setNestingLimit(Integer.MAX_VALUE);
    return in;
  }

  /**
   * Reads the next object. Afterwards {@link #identity} is about this object, also after a failure,
   * and the next one can be read unless the failure is an IOException.
   *
   * @throws TooLargeException when it would exceed the memory limit
   * @throws RuntimeException when it is no such object; neither Gson nor a record names all
   *     exceptions
   */
  <T> T read(FieldFilter fields, TypeAdapter<T> type) throws IOException {
    int around = whole;
    whole = 0;
    chosen = fields;
    charged = 0;
    identity.clear();
    try {
      return read(type);
    } finally {
      chosen = FieldFilter.WHOLE;
      whole = around;
    }
  }

  private <T> T read(TypeAdapter<T> type) throws IOException {
    JsonToken token = peek();
    if (token != JsonToken.BEGIN_OBJECT) {
      skipValue();
      throw new JsonSyntaxException("an object was expected, not " + token);
    }
    try {
      return type.read(this);
    } catch (RuntimeException e) {
      skipToEnd();
      throw e;
    }
  }

  /** Skips to the end of the object. */
  private void skipToEnd() throws IOException {
    while (whole > 0 || !opened.isEmpty()) {
      if (hasNext()) {
        goOn();
      } else if (peek() == JsonToken.END_ARRAY) {
        endArray();
      } else {
        endObject();
      }
    }
  }

  private void goOn() throws IOException {
    switch (peek()) {
      case NAME -> nextName();
      case BEGIN_OBJECT -> beginObject();
      case BEGIN_ARRAY -> beginArray();
      case STRING -> nextString();
      default -> skipValue();
    }
  }

  /** A part of the identity of the last object; empty if it is absent. */
  String identity(ObjectIdentity part) {
    return identity.getOrDefault(part, "");
  }

  @Override
  public void beginObject() throws IOException {
    super.beginObject();
    open(/* array= */ false);
  }

  @Override
  public void beginArray() throws IOException {
    super.beginArray();
    open(/* array= */ true);
  }

  private void open(boolean array) throws IOException {
    charge("");
    Opened around = opened.peek();
    FieldFilter fields = around != null && around.array() ? around.fields() : chosen;
    if (whole > 0 || fields.all()) {
      whole++;
    } else {
      opened.push(new Opened(fields, array));
    }
  }

  @Override
  public void endObject() throws IOException {
    super.endObject();
    closed();
  }

  @Override
  public void endArray() throws IOException {
    super.endArray();
    closed();
  }

  private void charge(String text) throws TooLargeException {
    charged += VALUE + CHARACTER * text.length();
    if (charged > maxBytes) {
      throw new TooLargeException(maxBytes);
    }
  }

  private void closed() {
    if (whole > 0) {
      whole--;
    } else {
      opened.pop();
    }
  }

  @Override
  public boolean hasNext() throws IOException {
    Opened around = opened.peek();
    if (whole > 0 || around == null || around.array()) {
      return super.hasNext();
    }
    while (name == null && super.peek() == JsonToken.NAME) {
      String field = super.nextName();
      FieldFilter below = around.fields().below(field);
      if (below == null) {
        super.skipValue();
      } else {
        name = field;
        chosen = below;
      }
    }
    return name != null || super.hasNext();
  }

  @Override
  public JsonToken peek() throws IOException {
    return name == null ? super.peek() : JsonToken.NAME;
  }

  @Override
  public String nextName() throws IOException {
    String ahead = name;
    name = null;
    String next = ahead == null ? super.nextName() : ahead;
    charge(next);
    return next;
  }

  @Override
  public boolean nextBoolean() throws IOException {
    charge("");
    return super.nextBoolean();
  }

  @Override
  public void nextNull() throws IOException {
    charge("");
    super.nextNull();
  }

  @Override
  public String nextString() throws IOException {
    String text = super.nextString();
    charge(text);
    ObjectIdentity part = whole > 0 ? null : chosen.identity();
    if (part != null) {
      identity.put(part, text);
    }
    return text;
  }
}
