package io.gpudra.controller.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import java.io.IOException;

/**
 * Capabilities of the API server (protocol.md 7.2).
 *
 * @param minor 28 for 1.28 and for {@code 28+}; 0 if unknown
 * @param resourceVersions served versions of group {@code resource.k8s.io}; empty without the group
 */
public record ServerSupport(int minor, ImmutableSortedSet<String> resourceVersions) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int NOT_FOUND = 404;

  /** Whether it serves the classic DRA API of this driver. */
  public boolean classic() {
    return resourceVersions.contains("v1alpha2");
  }

  /**
   * Queries the server.
   *
   * @throws IOException if it does not answer
   */
  public static ServerSupport of(HttpClients http) throws IOException {
    JsonCalls calls = http.calls();
    JsonNode version = JSON.readTree(ok("/version", calls.get("/version")));
    String digits = version.path("minor").asText().replaceAll("\\D.*", "");
    int minor = digits.isEmpty() ? 0 : Integer.parseInt(digits);
    Answer group = calls.get("/apis/resource.k8s.io");
    if (group.code() == NOT_FOUND) {
      return new ServerSupport(minor, ImmutableSortedSet.of());
    }
    ImmutableSortedSet.Builder<String> versions = ImmutableSortedSet.naturalOrder();
    for (JsonNode served : JSON.readTree(ok("/apis/resource.k8s.io", group)).path("versions")) {
      versions.add(served.path("version").asText());
    }
    return new ServerSupport(minor, versions.build());
  }

  private static String ok(String path, Answer answer) throws IOException {
    if (!answer.ok()) {
      throw new IOException("GET " + path + " answered " + answer.code());
    }
    return answer.body();
  }
}
