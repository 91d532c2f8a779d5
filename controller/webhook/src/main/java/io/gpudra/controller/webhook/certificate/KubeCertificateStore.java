package io.gpudra.controller.webhook.certificate;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;

/**
 * Stores the certificate in an existing Secret, ValidatingWebhookConfiguration and, if there is
 * one, MutatingWebhookConfiguration of the same name. Requires permission to get and patch them.
 */
final class KubeCertificateStore implements CertificateStore {
  private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
  private static final int MAX_BODY = 200;

  /** The configuration does not exist, or its component is not installed. */
  private static final ImmutableSet<Integer> ABSENT =
      ImmutableSet.of(HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_FORBIDDEN);

  /** Keys of the Secret; the first three are those of cert-manager. */
  private static final String CERTIFICATE = "tls.crt";

  private static final String KEY = "tls.key";
  private static final String CA = "ca.crt";
  private static final String NEXT = "next-";
  private static final String PREVIOUS_CA = "previous-ca.crt";

  private final JsonCalls calls;
  private final String secretPath;
  private final String validatingPath;
  private final String mutatingPath;
  private final boolean mutating;

  KubeCertificateStore(JsonCalls calls, CertificateObjects objects) {
    this.calls = calls;
    this.secretPath =
        "/api/v1/namespaces/%s/secrets/%s".formatted(objects.namespace(), objects.name());
    this.validatingPath = GROUP + "validatingwebhookconfigurations/" + objects.name();
    this.mutatingPath = GROUP + "mutatingwebhookconfigurations/" + objects.name();
    this.mutating = objects.mutating();
  }

  @Override
  public CertificateSecret read() throws IOException {
    return stored(object(calls.get(secretPath), secretPath));
  }

  @Override
  public CertificateSecret write(CertificateSecret wanted) throws IOException {
    JsonObject data = new JsonObject();
    put(data, "", wanted.serving());
    put(data, NEXT, wanted.next());
    put(data, PREVIOUS_CA, wanted.previousCa(), Function.identity());
    JsonObject metadata = new JsonObject();
    metadata.addProperty("resourceVersion", wanted.version());
    JsonObject patch = new JsonObject();
    patch.add("metadata", metadata);
    patch.add("data", data);
    return stored(patched(secretPath, Form.MERGE_PATCH, patch));
  }

  private static void put(JsonObject data, String prefix, Optional<IssuedCertificate> issued) {
    put(data, prefix + CERTIFICATE, issued, IssuedCertificate::certificate);
    put(data, prefix + KEY, issued, IssuedCertificate::key);
    put(data, prefix + CA, issued, IssuedCertificate::ca);
  }

  /** Removes the entry if there is no value. */
  private static <T> void put(
      JsonObject data, String key, Optional<T> from, Function<T, String> text) {
    if (from.isPresent()) {
      data.addProperty(key, encoded(text.apply(from.get())));
    } else {
      data.add(key, JsonNull.INSTANCE);
    }
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  private static CertificateSecret stored(JsonObject secret) {
    JsonObject metadata = secret.getAsJsonObject("metadata");
    JsonElement data = secret.get("data");
    JsonObject fields = data instanceof JsonObject some ? some : new JsonObject();
    return new CertificateSecret(
        metadata.get("resourceVersion").getAsString(),
        issued(fields, ""),
        issued(fields, NEXT),
        Optional.of(text(fields, PREVIOUS_CA)).filter(ca -> !ca.isEmpty()));
  }

  private static Optional<IssuedCertificate> issued(JsonObject data, String prefix) {
    return IssuedCertificate.read(
        text(data, prefix + CERTIFICATE), text(data, prefix + KEY), text(data, prefix + CA));
  }

  private static String text(JsonObject data, String key) {
    JsonElement value = data.get(key);
    return value == null || value.isJsonNull()
        ? ""
        : new String(Base64.getDecoder().decode(value.getAsString()), UTF_8);
  }

  @Override
  public boolean trusted(String bundle) throws IOException {
    return trusted(validating(), bundle) && trusted(mutating(), bundle);
  }

  private static boolean trusted(JsonArray webhooks, String bundle) {
    for (JsonElement webhook : webhooks) {
      JsonElement given = webhook.getAsJsonObject().getAsJsonObject("clientConfig").get("caBundle");
      if (given == null || !given.getAsString().equals(encoded(bundle))) {
        return false;
      }
    }
    return true;
  }

  private JsonArray validating() throws IOException {
    return webhooks(object(calls.get(validatingPath), validatingPath));
  }

  /** Without gates, there is no right to read it. */
  private JsonArray mutating() throws IOException {
    if (!mutating) {
      return new JsonArray();
    }
    Answer answer = calls.get(mutatingPath);
    return ABSENT.contains(answer.code())
        ? new JsonArray()
        : webhooks(object(answer, mutatingPath));
  }

  private static JsonArray webhooks(JsonObject configuration) {
    JsonArray webhooks = configuration.getAsJsonArray("webhooks");
    return webhooks == null ? new JsonArray() : webhooks;
  }

  @Override
  public void trust(String bundle) throws IOException {
    trust(validatingPath, validating(), bundle);
    JsonArray mutating = mutating();
    if (!mutating.isEmpty()) {
      trust(mutatingPath, mutating, bundle);
    }
  }

  private void trust(String path, JsonArray webhooks, String bundle) throws IOException {
    JsonObject client = new JsonObject();
    client.addProperty("caBundle", encoded(bundle));
    JsonArray patches = new JsonArray();
    for (JsonElement webhook : webhooks) {
      JsonObject patch = new JsonObject();
      patch.add("name", webhook.getAsJsonObject().get("name"));
      patch.add("clientConfig", client);
      patches.add(patch);
    }
    JsonObject patch = new JsonObject();
    patch.add("webhooks", patches);
    JsonObject unused = patched(path, Form.STRATEGIC_MERGE_PATCH, patch);
  }

  /** Keeps nulls, which remove fields in a patch. */
  private JsonObject patched(String path, Form form, JsonObject patch) throws IOException {
    return object(calls.send("PATCH", path, form, patch.toString()), path);
  }

  /** The message contains nothing of a Secret. */
  private static JsonObject object(Answer answer, String path) throws IOException {
    if (!answer.ok()) {
      throw new IOException(
          "%s answered %d %s"
              .formatted(path, answer.code(), Ascii.truncate(answer.body(), MAX_BODY, "…")));
    }
    try {
      return JsonParser.parseString(answer.body()).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) {
      throw new IOException(path + " answered what is no object", e);
    }
  }
}
