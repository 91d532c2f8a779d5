package io.gpudra.controller.webhook.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.Closer;
import io.gpudra.controller.webhook.server.ReviewClient;
import io.gpudra.controller.webhook.server.ReviewPort;
import io.gpudra.controller.webhook.server.ServerLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Two replicas change their certificate while API servers connect. A server learns of a new bundle
 * one step late, and so does the standby of the Secret; no handshake fails.
 */
class RotationStepUnderLoadTest {
  private static final Duration LIFE = Duration.ofDays(90);
  private static final int STEPS = 12;
  private static final int SERVERS = 4;
  private static final int HANDSHAKES_A_STEP = 5;

  private final InMemoryCertificateStore store = new InMemoryCertificateStore();
  private final AtomicLong seconds = new AtomicLong();
  private final Instant begin = Instant.now();
  private final ReloadableKeyManager leader = new ReloadableKeyManager();
  private final ReloadableKeyManager standby = new ReloadableKeyManager();
  private final CertificateReconciler leading = replica(leader, true);
  private final CertificateReconciler following = replica(standby, false);
  private final AtomicInteger answers = new AtomicInteger();
  private volatile String believed = "";

  private CertificateReconciler replica(ReloadableKeyManager key, boolean leads) {
    return new CertificateReconciler(
        store,
        MadeCertificate.issuer(LIFE),
        () -> leads,
        key,
        new CertificateReconciler.Times(
            Clock.fixed(begin, ZoneOffset.UTC),
            () -> Duration.ofSeconds(seconds.get()).toNanos(),
            Duration.ofSeconds(3)));
  }

  private static ReviewPort open(ReloadableKeyManager key) throws Exception {
    return ReviewPort.open(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        key,
        ServerLimits.USUAL,
        (client, body, answer) -> answer.accept(body));
  }

  /** On connections of its own and on one that stays open. */
  private Callable<Void> apiServer(List<ReviewPort> ports, ReviewClient kept) {
    return () -> {
      while (seconds.get() < STEPS) {
        for (ReviewPort port : ports) {
          try (ReviewClient client =
              ReviewClient.connect(
                  port.address(), ReviewClient.trusting(believed), MadeCertificate.HOST)) {
            assertThat(client.post("review").body()).isEqualTo("review");
          }
          answers.incrementAndGet();
        }
        assertThat(kept.post("kept").body()).isEqualTo("kept");
      }
      return null;
    };
  }

  @Test
  void noHandshakeFails() throws Exception {
    leading.run();
    following.run();
    String first = store.trustedNow();
    believed = first;
    store.write(RotationStep.PREPARE.applied(store.read(), MadeCertificate.issuer(LIFE), begin));
    ExecutorService servers = Executors.newFixedThreadPool(SERVERS);
    try (Closer opened = Closer.create()) {
      List<ReviewPort> ports = List.of(open(leader), open(standby));
      ports.forEach(port -> opened.register(port::close));
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < SERVERS; i++) {
        ReviewClient kept =
            opened.register(
                ReviewClient.connect(
                    ports.get(i % 2).address(),
                    ReviewClient.trusting(believed),
                    MadeCertificate.HOST));
        running.add(servers.submit(apiServer(ports, kept)));
      }
      for (int step = 1; step <= STEPS; step++) {
        String published = store.trustedNow();
        following.run();
        leading.run();
        settle(running);
        believed = published;
        seconds.incrementAndGet();
      }
      for (Future<Void> one : running) {
        one.get();
      }
    } finally {
      servers.shutdownNow();
    }
    assertThat(store.trustedNow()).as("the old CA is forgotten").doesNotContain(first.strip());
    assertThat(standby.present()).isEqualTo(leader.present());
  }

  /** So many handshakes see this step. */
  private void settle(List<Future<Void>> running) {
    int enough = answers.get() + HANDSHAKES_A_STEP;
    Awaitility.await("handshakes")
        .atMost(Duration.ofSeconds(60))
        .until(() -> answers.get() >= enough || running.stream().anyMatch(Future::isDone));
  }
}
