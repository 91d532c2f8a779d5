package io.gpudra.controller.webhook.certificate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.Security;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates as they are made, stored and read. */
class ServerCertificateTest {
  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final IssuedCertificate issued = MadeCertificate.issuer(Duration.ofDays(90)).issue(now);

  /** As client-java does once for the process, when it first speaks TLS. */
  @BeforeAll
  static void anotherProviderIsThere() {
    Security.addProvider(new BouncyCastleProvider());
  }

  @Test
  void itIsForOneServiceForItsTimeAndSignedByItsCa() throws Exception {
    assertThat(issued.parsed().own().getSubjectAlternativeNames())
        .containsExactly(List.of(2, MadeCertificate.HOST));
    assertThat(issued.parsed().begins()).isEqualTo(now.minus(Duration.ofHours(1)));
    assertThat(issued.parsed().ends()).isEqualTo(now.plus(Duration.ofDays(90)));
    ServerCertificate ca = ServerCertificate.parse(issued.ca(), issued.key());
    issued.parsed().own().verify(ca.own().getPublicKey());
    assertThat(ca.own().getBasicConstraints()).isEqualTo(0);
    assertThat(issued.parsed().own().getBasicConstraints()).as("it signs nothing").isEqualTo(-1);
  }

  @Test
  void theKeyOfTheCaIsNowhere() {
    assertThat(issued.key().lines().filter(line -> line.contains("BEGIN"))).hasSize(1);
    assertThat(issued.parsed().key().getAlgorithm()).isEqualTo("EC");
  }

  @Test
  void noTwoHaveACaOfTheSameName() throws Exception {
    IssuedCertificate other = MadeCertificate.issuer(Duration.ofDays(90)).issue(now);

    assertThat(other.parsed().own().getIssuerX500Principal())
        .isNotEqualTo(issued.parsed().own().getIssuerX500Principal());
  }

  /** As cert-manager writes them unless told otherwise. */
  @Test
  void anRsaKeyInTheOldFormIsRead() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    StringWriter pem = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(pem)) {
      writer.writeObject(generator.generateKeyPair().getPrivate());
    }

    assertThat(pem.toString()).contains("BEGIN RSA PRIVATE KEY");
    assertThat(ServerCertificate.parse(issued.certificate(), pem.toString()).key().getAlgorithm())
        .isEqualTo("RSA");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"})
  void whatIsNoKeyIsSaid(String key) {
    assertThatThrownBy(() -> ServerCertificate.parse(issued.certificate(), key))
        .isInstanceOf(IOException.class);
    assertThat(IssuedCertificate.read(issued.certificate(), key, issued.ca())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"})
  void whatIsNoCertificateIsSaid(String certificate) {
    assertThatThrownBy(() -> ServerCertificate.parse(certificate, issued.key()))
        .isInstanceOf(IOException.class);
    assertThat(IssuedCertificate.read(certificate, issued.key(), issued.ca())).isEmpty();
  }

  @Test
  void filesAreServedAndServedAgainWhenTheyChange(@TempDir Path directory) throws Exception {
    ReloadableKeyManager key = new ReloadableKeyManager();
    CertificateFiles files = new CertificateFiles(directory, key);
    files.run();
    assertThat(key.ready()).as("they are not there yet").isFalse();

    write(directory, issued);
    files.run();
    assertThat(key.present()).contains(issued.parsed());

    IssuedCertificate next = MadeCertificate.issuer(Duration.ofDays(90)).issue(now);
    write(directory, next);
    files.run();
    assertThat(key.present()).contains(next.parsed());

    Files.writeString(directory.resolve("tls.key"), "half");
    files.run();
    assertThat(key.present()).as("what was good stays").contains(next.parsed());
  }

  private static void write(Path directory, IssuedCertificate issued) throws IOException {
    Files.writeString(directory.resolve("tls.crt"), issued.certificate());
    Files.writeString(directory.resolve("tls.key"), issued.key());
  }

  @Test
  void aHandshakeThatBeganEndsWithTheKeyItBeganWith() {
    ReloadableKeyManager key = new ReloadableKeyManager();
    assertThat(key.chooseEngineServerAlias("EC", null, null)).isNull();
    key.serve(issued.parsed());
    String begun = requireNonNull(key.chooseEngineServerAlias("EC", null, null));
    IssuedCertificate next = MadeCertificate.issuer(Duration.ofDays(90)).issue(now);

    key.serve(next.parsed());

    assertThat(key.getCertificateChain(begun)).containsExactly(issued.parsed().own());
    assertThat(key.getPrivateKey(begun)).isEqualTo(issued.parsed().key());
    String begins = requireNonNull(key.chooseEngineServerAlias("EC", null, null));
    assertThat(key.getCertificateChain(begins)).containsExactly(next.parsed().own());
    assertThat(key.getPrivateKey(begins)).isEqualTo(next.parsed().key());
    assertThat(key.chooseEngineServerAlias("RSA", null, null)).isNull();
  }
}
