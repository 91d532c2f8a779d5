package io.gpudra.controller.webhook.certificate;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Ascii;
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
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;

/**
 * Stores the certificate in an existing Secret and ValidatingWebhookConfiguration of the same name.
 * Requires permission to get and patch both.
 */
final class KubeCertificateStore implements CertificateStore {
  private static final String CONFIGURATIONS =
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/";
  private static final int MAX_BODY = 200;

  /** Keys of the Secret; the first three are those of cert-manager. */
  private static final String CERTIFICATE = "tls.crt";

  private static final String KEY = "tls.key";
  private static final String CA = "ca.crt";
  private static final String NEXT = "next-";
  private static final String PREVIOUS_CA = "previous-ca.crt";

  private final JsonCalls calls;
  private final String secretPath;
  private final String configurationPath;

  KubeCertificateStore(JsonCalls calls, String namespace, String name) {
    this.calls = calls;
    this.secretPath = "/api/v1/namespaces/" + namespace + "/secrets/" + name;
    this.configurationPath = CONFIGURATIONS + name;
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
    for (JsonElement webhook : webhooks()) {
      JsonElement given = webhook.getAsJsonObject().getAsJsonObject("clientConfig").get("caBundle");
      if (given == null || !given.getAsString().equals(encoded(bundle))) {
        return false;
      }
    }
    return true;
  }

  private JsonArray webhooks() throws IOException {
    JsonArray webhooks =
        object(calls.get(configurationPath), configurationPath).getAsJsonArray("webhooks");
    return webhooks == null ? new JsonArray() : webhooks;
  }

  @Override
  public void trust(String bundle) throws IOException {
    JsonObject client = new JsonObject();
    client.addProperty("caBundle", encoded(bundle));
    JsonArray patches = new JsonArray();
    for (JsonElement webhook : webhooks()) {
      JsonObject patch = new JsonObject();
      patch.add("name", webhook.getAsJsonObject().get("name"));
      patch.add("clientConfig", client);
      patches.add(patch);
    }
    JsonObject patch = new JsonObject();
    patch.add("webhooks", patches);
    JsonObject unused = patched(configurationPath, Form.STRATEGIC_MERGE_PATCH, patch);
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
