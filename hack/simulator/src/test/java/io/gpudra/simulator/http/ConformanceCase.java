package io.gpudra.simulator.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.simulator.EmbeddedApiServer;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A server and a fresh namespace for each test. With the system property {@code conformance.server}
 * the tests run against that server, which may be a real one.
 */
class ConformanceCase {
  static final String DRA = "/apis/resource.k8s.io/v1alpha2/";

  private static int count;

  Optional<EmbeddedApiServer> embedded = Optional.empty();
  Client client = Client.of(URI.create("http://127.0.0.1"));
  String ns = "";
  String claims = "";
  String contexts = "";

  @BeforeEach
  void start() {
    String given = System.getProperty("conformance.server", "");
    if (given.isEmpty()) {
      embedded = Optional.of(EmbeddedApiServer.start(0));
    }
    client = Client.of(embedded.map(EmbeddedApiServer::url).orElseGet(() -> URI.create(given)));
    ns = "conf-" + ProcessHandle.current().pid() + "-" + count++;
    claims = DRA + "namespaces/" + ns + "/resourceclaims";
    contexts = DRA + "namespaces/" + ns + "/podschedulingcontexts";
    assertThat(client.post("/api/v1/namespaces", named(ns, "{}")).code()).isEqualTo(201);
  }

  @AfterEach
  void stop() {
    client.delete("/api/v1/namespaces/" + ns);
    embedded.ifPresent(EmbeddedApiServer::close);
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
