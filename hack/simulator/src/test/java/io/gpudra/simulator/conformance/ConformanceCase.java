package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Json;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A fresh namespace for each test. What a test asserts is what a real 1.30.14 does. */
@ExtendWith(Differences.class)
class ConformanceCase {
  static final Duration LONG = Duration.ofSeconds(60);
  static final String DRA = "/apis/resource.k8s.io/v1alpha2/";

  private static int count;

  final Client client = ServerUnderTest.INSTANCE.client();
  final String ns = "conf-" + Long.toString(System.currentTimeMillis(), 36) + "-" + count++;
  final String claims = DRA + "namespaces/" + ns + "/resourceclaims";
  final String contexts = DRA + "namespaces/" + ns + "/podschedulingcontexts";

  @BeforeEach
  void makeNamespace() {
    assertThat(client.post("/api/v1/namespaces", named(ns, "{}")).code()).isEqualTo(201);
    // Pods need it, and the controller that makes it may be slow or not there.
    client.post("/api/v1/namespaces/" + ns + "/serviceaccounts", named("default", "{}"));
  }

  /** What holds a pod or a claim would hold the namespace. */
  @AfterEach
  void deleteNamespace() {
    client.delete("/api/v1/namespaces/" + ns + "/pods?gracePeriodSeconds=0");
    for (JsonNode claim : client.get(claims).json().path("items")) {
      client.merge(
          claims + "/" + Json.text(claim, "metadata.name"),
          json("{'metadata':{'finalizers':null}}"));
    }
    client.delete("/api/v1/namespaces/" + ns);
  }

  static String named(String name, String rest) {
    String meta = "{\"metadata\":{\"name\":\"" + name + "\"}";
    return rest.equals("{}") ? meta + "}" : meta + "," + rest.substring(1);
  }

  static String claim(String name) {
    return named(name, "{'spec':{'resourceClassName':'gpu'}}".replace('\'', '"'));
  }

  static String json(String quoted) {
    return quoted.replace('\'', '"');
  }

  /** Makes a claim and writes a status to it. */
  Client.Answer claimWith(String name, String status) {
    Client.Answer made = client.post(claims, claim(name));
    assertThat(made.code()).isEqualTo(201);
    return status(name, status);
  }

  Client.Answer status(String name, String status) {
    return client.merge(claims + "/" + name + "/status", json("{'status':" + status + "}"));
  }
}
