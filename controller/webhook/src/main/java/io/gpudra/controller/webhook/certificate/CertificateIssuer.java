package io.gpudra.controller.webhook.certificate;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * Issues certificates, each with its own CA. The CA key is discarded at once, so that the CA cannot
 * sign another certificate.
 */
final class CertificateIssuer {

  /** Start of validity in the past, since clocks of API servers may be behind. */
  private static final Duration EARLIER = Duration.ofHours(1);

  private static final int SERIAL_BITS = 120;

  private final String host;
  private final Duration life;
  private final SecureRandom random = new SecureRandom();

  /**
   * An issuer for one server.
   *
   * @param host for API servers: {@code SERVICE.NAMESPACE.svc}
   */
  CertificateIssuer(String host, Duration life) {
    this.host = host;
    this.life = life;
  }

  /** Issues a new certificate. */
  IssuedCertificate issue(Instant now) {
    try {
      KeyPair ofCa = keys();
      KeyPair own = keys();
      BigInteger serial = new BigInteger(SERIAL_BITS, random);
      // CAs in one bundle need different names: a client may only try the first match.
      X500Name caName = new X500Name("CN=gpudra-webhook-ca-" + serial.toString(36));
      X509v3CertificateBuilder ca = builder(caName, caName, ofCa, serial, now);
      ca.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      ca.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
      X509v3CertificateBuilder leaf =
          builder(caName, new X500Name("CN=gpudra-webhook"), own, serial.add(BigInteger.ONE), now);
      leaf.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      leaf.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      leaf.addExtension(
          Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
      leaf.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
      return IssuedCertificate.of(
          pem("CERTIFICATE", signed(leaf, ofCa).getEncoded()),
          pem("PRIVATE KEY", own.getPrivate().getEncoded()),
          pem("CERTIFICATE", signed(ca, ofCa).getEncoded()));
    } catch (GeneralSecurityException | OperatorCreationException e) {
      throw new IllegalStateException("this Java cannot make certificates", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private KeyPair keys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    return generator.generateKeyPair();
  }

  private X509v3CertificateBuilder builder(
      X500Name issuer, X500Name subject, KeyPair keys, BigInteger serial, Instant now) {
    return new JcaX509v3CertificateBuilder(
        issuer,
        serial,
        Date.from(now.minus(EARLIER)),
        Date.from(now.plus(life)),
        subject,
        keys.getPublic());
  }

  private static X509Certificate signed(X509v3CertificateBuilder builder, KeyPair by)
      throws GeneralSecurityException, OperatorCreationException {
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by.getPrivate())));
  }

  private static String pem(String type, byte[] content) throws IOException {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      writer.writeObject(new PemObject(type, content));
    }
    return text.toString();
  }
}
