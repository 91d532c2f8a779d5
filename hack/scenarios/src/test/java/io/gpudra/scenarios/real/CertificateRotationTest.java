package io.gpudra.scenarios.real;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import io.gpudra.scenarios.run.Wait;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A certificate that ends soon is replaced while the webhook is asked again and again. */
@Tag("rotation")
@Isolated
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class CertificateRotationTest {
  private static final String SECRET = "/api/v1/namespaces/gpudra/secrets/gpudra-webhook";
  private static final String PASSWORD = "changeit";
  private static final int ASKING = 3;
  private static final String SELF_SIGNED =
      "-genkeypair -alias due -keyalg EC -groupname secp256r1 -dname CN=due"
          + " -ext san=dns:gpudra-webhook.gpudra.svc -startdate -80d -validity 90";

  /** Both steps of a rotation wait two minutes. */
  private static final Duration PATIENCE = Duration.ofMinutes(8);

  @RegisterExtension
  @Order(1)
  final RealClusterUnderTest cluster = new RealClusterUnderTest();

  @RegisterExtension
  @Order(2)
  final Webhook webhook = new Webhook(cluster);

  private final AtomicBoolean over = new AtomicBoolean();

  @Test
  void aNewCertificateCostsNoReview(@TempDir Path directory) throws Exception {
    String ns = cluster.namespace("rotated");
    String due = haveOneThatEndsSoon(directory);
    cluster.until("it is trusted", () -> webhook.trusted().contains(due.strip()));
    cluster.until("it is served", () -> webhook.refusal(ns).contains(Webhook.TOLD));

    ExecutorService threads = Executors.newFixedThreadPool(ASKING);
    try {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < ASKING; i++) {
        answers.add(threads.submit(reviews(ns)));
      }
      assertThat(new Wait(PATIENCE, Duration.ofSeconds(1), Optional::empty).until(() -> left(due)))
          .isEmpty();
      over.set(true);
      for (Future<Integer> one : answers) {
        assertThat(one.get()).isGreaterThan(1_000);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** How many were answered. */
  private Callable<Integer> reviews(String ns) {
    return () -> {
      int answered = 0;
      while (!over.get()) {
        assertThat(webhook.refusal(ns)).contains(Webhook.TOLD);
        answered++;
      }
      return answered;
    };
  }

  /** What still tells of the old one. */
  private ImmutableList<String> left(String due) throws IOException, InterruptedException {
    ImmutableList.Builder<String> left = ImmutableList.builder();
    JsonNode data = cluster.client().get(SECRET).path("data");
    if (text(data.path("ca.crt")).contains(due.strip()) || data.size() > 3) {
      left.add("Secret: " + ImmutableList.copyOf(data.fieldNames()));
    }
    if (webhook.trusted().contains(due.strip())) {
      left.add("it is trusted");
    }
    return left.build();
  }

  /**
   * As if the driver had made it eighty days ago. A replica may show the one before for a while.
   */
  private String haveOneThatEndsSoon(Path directory) throws Exception {
    KeyStore made = make(directory.resolve("due.p12"));
    String certificate = pem("CERTIFICATE", made.getCertificate("due").getEncoded());
    String key = pem("PRIVATE KEY", made.getKey("due", PASSWORD.toCharArray()).getEncoded());
    ObjectNode secret = (ObjectNode) cluster.client().get(SECRET);
    String before = text(secret.at("/data/ca.crt"));
    secret
        .putObject("data")
        .put("tls.crt", base64(certificate))
        .put("tls.key", base64(key))
        .put("ca.crt", base64(certificate.strip() + "\n" + before));
    cluster.client().put(SECRET, secret);
    return certificate;
  }

  private static KeyStore make(Path file) throws Exception {
    Process keytool =
        new ProcessBuilder(
                ImmutableList.<String>builder()
                    .add(Path.of(System.getProperty("java.home", ""), "bin", "keytool").toString())
                    .addAll(Splitter.on(' ').split(SELF_SIGNED))
                    .add("-storepass", PASSWORD, "-keystore", file.toString())
                    .build())
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private static String pem(String type, byte[] content) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(
            type, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content), type);
  }

  private static String text(JsonNode base64) {
    return new String(BaseEncoding.base64().decode(base64.asText()), US_ASCII);
  }

  private static String base64(String text) {
    return BaseEncoding.base64().encode(text.getBytes(US_ASCII));
  }
}
