package io.gpudra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTrustTest {
  private static final HeldCertificate FORMER = authority();
  private static final HeldCertificate LATER = authority();

  @TempDir Path directory = Path.of("");
  private Path file = directory;

  private static HeldCertificate authority() {
    return new HeldCertificate.Builder().certificateAuthority(0).build();
  }

  /** What a server with a certificate of the authority shows. */
  private static X509Certificate[] of(HeldCertificate authority) {
    return new X509Certificate[] {
      new HeldCertificate.Builder().signedBy(authority).build().certificate(),
      authority.certificate()
    };
  }

  private FileTrust trust(HeldCertificate... authorities) throws IOException {
    write(authorities);
    return new FileTrust(file);
  }

  private void write(HeldCertificate... authorities) throws IOException {
    StringBuilder all = new StringBuilder();
    for (HeldCertificate one : authorities) {
      all.append(one.certificatePem());
    }
    Files.writeString(file, all);
  }

  private static void isTrusted(FileTrust trust, HeldCertificate authority) {
    assertThatCode(() -> trust.checkServerTrusted(of(authority), "ECDHE_ECDSA"))
        .doesNotThrowAnyException();
  }

  private static void isNotTrusted(FileTrust trust, HeldCertificate authority) {
    assertThatThrownBy(() -> trust.checkServerTrusted(of(authority), "ECDHE_ECDSA"))
        .isInstanceOf(CertificateException.class);
  }

  @BeforeEach
  void name() {
    file = directory.resolve("ca.crt");
  }

  @Test
  void anAuthorityThatIsReplacedIsTrustedAtTheNextHandshakeAndTheFormerNoMore() throws IOException {
    FileTrust trust = trust(FORMER);
    isTrusted(trust, FORMER);
    isNotTrusted(trust, LATER);

    write(LATER);

    isTrusted(trust, LATER);
    isNotTrusted(trust, FORMER);
    assertThat(trust.getAcceptedIssuers()).containsExactly(LATER.certificate());
  }

  @Test
  void allOfAFileAreTrusted() throws IOException {
    FileTrust trust = trust(FORMER, LATER);

    isTrusted(trust, FORMER);
    isTrusted(trust, LATER);
  }

  @Test
  void whileTheFileCannotBeReadThoseOfBeforeCount() throws IOException {
    FileTrust trust = trust(FORMER);

    Files.writeString(file, "-----BEGIN CERTIFICATE-----\n");
    isTrusted(trust, FORMER);
    Files.writeString(file, "");
    isTrusted(trust, FORMER);
    Files.delete(file);
    isTrusted(trust, FORMER);
    isNotTrusted(trust, LATER);
  }

  @Test
  void aFileWithoutCertificatesIsRefusedByName() throws IOException {
    Files.writeString(file, "");

    assertThatThrownBy(() -> new FileTrust(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }
}
