package io.gpudra.controller.webhook.certificate;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/**
 * Key and certificate chain of the server.
 *
 * @param chain the server's own certificate first
 */
record ServerCertificate(PrivateKey key, ImmutableList<X509Certificate> chain) {

  /**
   * Parses PEM; the key may be PKCS 8 or the older format of its algorithm.
   *
   * @throws IOException if one of them is invalid, or they do not match
   */
  static ServerCertificate parse(String chain, String key) throws IOException {
    try {
      return new ServerCertificate(privateKey(key), certificates(chain));
    } catch (GeneralSecurityException e) {
      throw new IOException("certificate cannot be read: " + e.getMessage(), e);
    }
  }

  ServerCertificate {
    if (chain.isEmpty()) {
      throw new IllegalArgumentException("no certificate");
    }
  }

  private static ImmutableList<X509Certificate> certificates(String pem)
      throws GeneralSecurityException, IOException {
    ImmutableList.Builder<X509Certificate> chain = ImmutableList.builder();
    for (Certificate one :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(pem.getBytes(UTF_8)))) {
      chain.add((X509Certificate) one);
    }
    if (chain.build().isEmpty()) {
      throw new IOException("there is no certificate in it");
    }
    return chain.build();
  }

  private static PrivateKey privateKey(String pem) throws IOException {
    JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
    // With Bouncy Castle, which client-java registers, it would be ECDSA, which TLS does not know.
    converter.setAlgorithmMapping(X9ObjectIdentifiers.id_ecPublicKey, "EC");
    try (PEMParser parser = new PEMParser(new StringReader(pem))) {
      for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
        if (part instanceof PEMKeyPair pair) {
          return converter.getKeyPair(pair).getPrivate();
        }
        if (part instanceof PrivateKeyInfo info) {
          return converter.getPrivateKey(info);
        }
      }
    }
    throw new IOException("there is no private key in it");
  }

  X509Certificate own() {
    return chain.get(0);
  }

  Instant begins() {
    return own().getNotBefore().toInstant();
  }

  Instant ends() {
    return own().getNotAfter().toInstant();
  }
}
