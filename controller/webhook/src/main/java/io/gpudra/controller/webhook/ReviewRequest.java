package io.gpudra.controller.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Ascii;
import com.google.common.base.Strings;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.watch.FieldFilter;
import io.gpudra.controller.client.watch.PartialResponse;
import io.gpudra.controller.client.watch.TooLargeException;
import io.gpudra.controller.webhook.server.ReviewTooLargeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The request of an AdmissionReview of admission.k8s.io/v1. Only the fields that are needed are
 * parsed; the rest of an object, such as a megabyte of annotations, is never in memory.
 */
record ReviewRequest(
    @Nullable String uid,
    @Nullable GroupKind kind,
    @Nullable String namespace,
    @Nullable String name,
    @Nullable String operation,
    @Nullable String subResource,
    @Nullable JsonElement object,
    @Nullable JsonElement oldObject,
    @Nullable UserInfo userInfo) {

  private static final String API_VERSION = "admission.k8s.io/v1";

  /** The limit exceeds that of any object that the schemas allow. */
  private static final long MAX_BYTES = 4 << 20;

  /** Kubernetes limits all annotations of an object together to 256 KiB. */
  private static final int MAX_TEXT = 1 << 20;

  /** UIDs of Kubernetes have 36 characters. */
  private static final int MAX_UID = 64;

  /** A message may quote the review, and answers are not counted. */
  private static final int MAX_MESSAGE = 16 << 10;

  private static final FieldFilter FIELDS =
      FieldFilter.of(
          "request.uid",
          "request.kind",
          "request.namespace",
          "request.name",
          "request.operation",
          "request.subResource",
          "request.userInfo.username",
          "request.userInfo.extra",
          "request.object.metadata.name",
          "request.object.metadata.generation",
          "request.object.metadata.deletionTimestamp",
          "request.object.spec",
          "request.oldObject.spec");

  /** Group and kind of the object. */
  record GroupKind(@Nullable String group, @Nullable String kind) {}

  /** User of the request. */
  record UserInfo(@Nullable String username, @Nullable Map<String, List<String>> extra) {

    /** The first extra value with this key. */
    Optional<String> first(String name) {
      List<String> values = extra == null ? null : extra.get(name);
      return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
    }
  }

  private record Envelope(@Nullable ReviewRequest request) {}

  /**
   * Parses a review.
   *
   * @throws ReviewTooLargeException if it exceeds the memory limit of a review
   * @throws IOException if it is not an AdmissionReview
   */
  static ReviewRequest read(byte[] body) throws IOException {
    if (hasLongText(body)) {
      throw new ReviewTooLargeException(
          "a text of the review has more than %d bytes".formatted(MAX_TEXT));
    }
    try (InputStreamReader text = new InputStreamReader(new ByteArrayInputStream(body), UTF_8)) {
      Envelope envelope = PartialResponse.read(text, FIELDS, Envelope.class, MAX_BYTES);
      if (envelope.request() == null || !isUid(envelope.request().uid())) {
        throw new IOException("no AdmissionReview: request.uid is missing, or too long");
      }
      return envelope.request();
    } catch (TooLargeException e) {
      throw new ReviewTooLargeException("" + e.getMessage());
    } catch (JsonParseException | IllegalStateException e) {
      throw new IOException("no AdmissionReview: " + e.getMessage(), e);
    }
  }

  static boolean isUid(@Nullable String text) {
    return text != null && !text.isEmpty() && text.length() <= MAX_UID;
  }

  /** Whether the body has a string that the parser would build before its size is counted. */
  private static boolean hasLongText(byte[] body) {
    int length = -1;
    for (int i = 0; i < body.length && length <= MAX_TEXT; i++) {
      if (body[i] == '"') {
        length = length < 0 ? 0 : -1;
      } else if (length >= 0) {
        i += body[i] == '\\' ? 1 : 0;
        length++;
      }
    }
    return length > MAX_TEXT;
  }

  /** The response to this review. */
  byte[] answer(AdmissionDecision decision) {
    JsonObject response = new JsonObject();
    response.addProperty("uid", uid);
    response.addProperty("allowed", !(decision instanceof AdmissionDecision.Refused));
    if (decision instanceof AdmissionDecision.Refused refused) {
      response.add("status", status(refused));
    } else if (decision instanceof AdmissionDecision.Allowed allowed
        && !allowed.warnings().isEmpty()) {
      JsonArray warnings = new JsonArray();
      allowed.warnings().forEach(warning -> warnings.add(truncated(warning)));
      response.add("warnings", warnings);
    } else if (decision instanceof AdmissionDecision.Changed changed) {
      response.addProperty("patchType", "JSONPatch");
      response.addProperty("patch", encoded(changed.patch()));
    }
    JsonObject review = new JsonObject();
    review.addProperty("apiVersion", API_VERSION);
    review.addProperty("kind", "AdmissionReview");
    review.add("response", response);
    return LenientJson.gson().toJson(review).getBytes(UTF_8);
  }

  private static JsonObject status(AdmissionDecision.Refused refused) {
    JsonObject status = new JsonObject();
    status.addProperty("code", refused.code());
    status.addProperty("reason", reason(refused.code()));
    status.addProperty("message", truncated(refused.message()));
    return status;
  }

  private static String encoded(JsonArray patch) {
    return Base64.getEncoder().encodeToString(patch.toString().getBytes(UTF_8));
  }

  private static String truncated(String message) {
    return Ascii.truncate(message, MAX_MESSAGE, "…");
  }

  private static String reason(int code) {
    return switch (code) {
      case AdmissionDecision.FORBIDDEN -> "Forbidden";
      case AdmissionDecision.UNAVAILABLE -> "ServiceUnavailable";
      default -> "Invalid";
    };
  }

  /** {@code group/Kind}; missing parts are empty. */
  String groupKind() {
    return kind == null
        ? ""
        : requireNonNullElse(kind.group(), "") + "/" + requireNonNullElse(kind.kind(), "");
  }

  boolean creates() {
    return "CREATE".equals(operation);
  }

  /** Whether the spec changes; other changes are allowed without evaluation. */
  boolean changesSpec() {
    return creates() || ("UPDATE".equals(operation) && !spec(object).equals(spec(oldObject)));
  }

  /** The spec of the object, if it is one. */
  Optional<JsonObject> spec() {
    return below(object, "spec").filter(JsonObject.class::isInstance).map(JsonObject.class::cast);
  }

  private static JsonElement spec(@Nullable JsonElement object) {
    return below(object, "spec").orElseGet(JsonObject::new);
  }

  private static Optional<JsonElement> below(@Nullable JsonElement object, String field) {
    return object instanceof JsonObject fields
        ? Optional.ofNullable(fields.get(field)).filter(value -> !value.isJsonNull())
        : Optional.empty();
  }

  /** Whether the request is for a subresource, such as the status. */
  boolean ofPart() {
    return !Strings.isNullOrEmpty(subResource);
  }

  /** Whether the object is being deleted. */
  boolean ofEndingObject() {
    return metadata("deletionTimestamp").isPresent();
  }

  private Optional<JsonElement> metadata(String field) {
    return below(object, "metadata").flatMap(metadata -> below(metadata, field));
  }

  /** The name of the object; empty before the API server generates it. */
  String objectName() {
    return metadata("name")
        .filter(JsonElement::isJsonPrimitive)
        .map(JsonElement::getAsString)
        .orElseGet(() -> Strings.nullToEmpty(name));
  }

  /**
   * Parses the object as a watch does.
   *
   * @throws JsonParseException if it has another type
   */
  <T> T object(Class<T> type) {
    boolean absent = object == null || object.isJsonNull();
    return LenientJson.gson().fromJson(absent ? new JsonObject() : object, type);
  }
}
