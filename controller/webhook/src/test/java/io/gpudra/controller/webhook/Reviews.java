package io.gpudra.controller.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InetAddresses;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.InetAddress;
import java.util.Base64;
import java.util.StringJoiner;

/** AdmissionReviews as API servers send them, and what is read of the answers. */
final class Reviews {

  /** Where they come from. */
  static final InetAddress CLIENT = InetAddress.getLoopbackAddress();

  private Reviews() {}

  /** One of many. */
  static InetAddress client(int number) {
    return InetAddresses.fromInteger(0x0a000000 + number);
  }

  /**
   * In namespace {@code team-a}.
   *
   * @param fields of the request beside these, in single quotes
   */
  static byte[] review(String groupKind, String operation, String fields) {
    String[] kind = groupKind.split("/", 2);
    return """
        {'kind': 'AdmissionReview', 'apiVersion': 'admission.k8s.io/v1', 'request': {
          'uid': '705ab4f5-6393-11e8-b7cc-42010a800002',
          'kind': {'group': '%s', 'version': 'v1', 'kind': '%s'},
          'resource': {'group': '%s', 'version': 'v1', 'resource': 'ignored'},
          'operation': '%s', 'namespace': 'team-a',
          'userInfo': {'username': 'admin', 'groups': ['system:authenticated']},
          'options': {'kind': 'CreateOptions'}, 'dryRun': false,
          %s}}"""
        .formatted(kind[0], kind[1], kind[0], operation, fields)
        .replace('\'', '"')
        .getBytes(UTF_8);
  }

  /** {@code allowed}, {@code warning: …}, {@code 422 Invalid: …} or a change. */
  static String said(byte[] answer) {
    JsonObject review = JsonParser.parseString(new String(answer, UTF_8)).getAsJsonObject();
    JsonObject response = review.getAsJsonObject("response");
    if (!response.get("allowed").getAsBoolean()) {
      JsonObject status = response.getAsJsonObject("status");
      return "%s %s: %s"
          .formatted(
              status.get("code").getAsString(),
              status.get("reason").getAsString(),
              status.get("message").getAsString());
    }
    if (response.get("patch") != null) {
      return patch(response);
    }
    StringJoiner warnings = new StringJoiner("; ", "warning: ", "").setEmptyValue("allowed");
    if (response.get("warnings") != null) {
      for (JsonElement warning : response.getAsJsonArray("warnings")) {
        warnings.add(warning.getAsString());
      }
    }
    return warnings.toString();
  }

  private static String patch(JsonObject response) {
    assertThat(response.get("patchType").getAsString()).isEqualTo("JSONPatch");
    byte[] text = Base64.getDecoder().decode(response.get("patch").getAsString());
    JsonArray patch = JsonParser.parseString(new String(text, UTF_8)).getAsJsonArray();
    assertThat(patch).hasSize(1);
    JsonObject change = patch.get(0).getAsJsonObject();
    return "%s %s %s"
        .formatted(
            change.get("op").getAsString(), change.get("path").getAsString(), change.get("value"));
  }
}
