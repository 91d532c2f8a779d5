package io.gpudra.controller.client;

import com.google.gson.ExclusionStrategy;
import com.google.gson.FieldAttributes;
import com.google.gson.Gson;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.OffsetDateTime;
import java.util.Date;

/**
 * Replaces client-java's strict Gson, which refuses any field it does not know and so stops a watch
 * for ever when the server is newer (defect 4). Also leaves out {@code managedFields}, two thirds
 * of a small object; the server keeps them when a PUT lacks them.
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
            .registerTypeAdapter(String.class, new RepeatedStrings())
            .registerTypeAdapter(OffsetDateTime.class, new JSON.OffsetDateTimeTypeAdapter())
            .registerTypeAdapter(byte[].class, new JSON.ByteArrayAdapter())
            .registerTypeAdapter(Date.class, new JSON.DateTypeAdapter())
            .addDeserializationExclusionStrategy(new WithoutManagedFields())
            .create();
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
}
