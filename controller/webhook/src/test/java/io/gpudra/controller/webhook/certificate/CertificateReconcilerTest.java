package io.gpudra.controller.webhook.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One certificate after the other, with replicas that come, go and lead. */
class CertificateReconcilerTest {
  private static final Duration LIFE = Duration.ofDays(90);
  private static final Duration WAIT = Duration.ofMinutes(2);

  private final InMemoryCertificateStore store = new InMemoryCertificateStore();
  private final ManualClock clock = new ManualClock();
  private final Replica first = new Replica();
  private final Replica second = new Replica();

  private static final class ManualClock extends Clock {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }

    long nanos() {
      return Duration.between(Instant.EPOCH, now).toNanos();
    }

    void pass(Duration time) {
      now = now.plus(time);
    }
  }

  private final class Replica {
    private final AtomicBoolean leads = new AtomicBoolean();
    private final ReloadableKeyManager key = new ReloadableKeyManager();
    private final CertificateReconciler certificates =
        new CertificateReconciler(
            store,
            MadeCertificate.issuer(LIFE),
            leads::get,
            key,
            new CertificateReconciler.Times(clock, clock::nanos, WAIT));

    String serves() {
      return key.present().map(one -> one.own().getSerialNumber().toString(36)).orElse("none");
    }
  }

  @BeforeEach
  void oneLeads() {
    first.leads.set(true);
  }

  private void look() {
    first.certificates.run();
    second.certificates.run();
  }

  private void after(Duration time) {
    clock.pass(time);
    look();
  }

  private long trusted() {
    return store.trustedNow().lines().filter(line -> line.contains("BEGIN CERTIFICATE")).count();
  }

  @Test
  void theLeaderMakesOneAndEveryReplicaServesIt() {
    second.certificates.run();
    assertThat(second.key.ready()).as("nobody led yet").isFalse();

    look();

    assertThat(first.key.ready()).isTrue();
    assertThat(second.serves()).isEqualTo(first.serves());
    assertThat(store.trustedNow()).contains("BEGIN CERTIFICATE");
  }

  @Test
  void itIsKeptAsLongAsItIsGood() {
    look();
    String made = first.serves();

    after(Duration.ofDays(59));

    assertThat(first.serves()).isEqualTo(made);
    assertThat(trusted()).isEqualTo(1);
  }

  @Test
  void theNextOneIsTrustedBeforeItIsServedAndTheOldOneAfter() throws Exception {
    look();
    String old = first.serves();
    String oldCa = store.read().serving().orElseThrow().ca();

    after(Duration.ofDays(61));
    assertThat(first.serves()).as("not everybody trusts the next one").isEqualTo(old);
    assertThat(trusted()).isEqualTo(2);
    after(WAIT.minusSeconds(1));
    assertThat(first.serves()).isEqualTo(old);

    after(Duration.ofSeconds(1));
    assertThat(first.serves()).isNotEqualTo(old);
    assertThat(second.serves()).isEqualTo(first.serves());
    assertThat(store.trustedNow()).as("a replica may still show it").contains(oldCa.strip());

    after(WAIT.minusSeconds(1));
    assertThat(trusted()).isEqualTo(2);
    after(Duration.ofSeconds(1));
    assertThat(trusted()).isEqualTo(1);
    assertThat(store.trustedNow()).doesNotContain(oldCa.strip());
  }

  @Test
  void aNewLeaderGoesOnAndWaitsAnew() {
    look();
    after(Duration.ofDays(61));
    String old = first.serves();
    clock.pass(WAIT.minusSeconds(1));
    first.leads.set(false);
    second.leads.set(true);

    look();
    after(WAIT.minusSeconds(1));
    assertThat(second.serves()).isEqualTo(old);
    after(Duration.ofSeconds(1));

    assertThat(second.serves()).isNotEqualTo(old);
    first.certificates.run();
    assertThat(first.serves()).isEqualTo(second.serves());
  }

  @Test
  void whatSomebodyTookFromTheConfigurationIsTrustedAgainAndTheWaitBeginsAnew() {
    look();
    after(Duration.ofDays(61));
    String old = first.serves();
    store.distrust();

    after(WAIT);
    assertThat(trusted()).isEqualTo(2);
    assertThat(first.serves()).as("not everybody trusts the next one").isEqualTo(old);
    after(WAIT);

    assertThat(first.serves()).isNotEqualTo(old);
  }

  @Test
  void anEmptiedSecretIsFilledAgain() {
    look();
    String old = first.serves();
    store.empty();

    look();

    assertThat(first.serves()).isNotEqualTo(old);
    assertThat(trusted()).isEqualTo(1);
  }

  @Test
  void oneThatEndedWhileNobodyLedIsMadeAnew() {
    look();
    String old = first.serves();

    after(Duration.ofDays(91));

    assertThat(first.serves()).isNotEqualTo(old);
  }

  @Test
  void whoCannotReadTheSecretServesWhatItHas() {
    look();
    String made = first.serves();
    store.reachable(false);

    after(Duration.ofDays(61));
    assertThat(first.serves()).isEqualTo(made);
    store.reachable(true);
    look();

    assertThat(trusted()).isEqualTo(2);
  }

  @Test
  void twoWhoBelieveToLeadDoNotSpoilIt() throws Exception {
    second.leads.set(true);
    look();
    after(Duration.ofDays(61));
    after(WAIT);
    look();
    after(WAIT);
    look();

    assertThat(first.serves()).isEqualTo(second.serves());
    assertThat(store.trustedNow()).contains(store.read().serving().orElseThrow().ca().strip());
  }
}
