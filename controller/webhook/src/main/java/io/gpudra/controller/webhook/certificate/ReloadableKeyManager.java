package io.gpudra.controller.webhook.certificate;

import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The key for TLS handshakes. A handshake asks several times, by the alias of the first answer, so
 * the previous key is kept beside the current one. Open connections are not affected.
 */
public final class ReloadableKeyManager extends X509ExtendedKeyManager {
  private volatile Served served = new Served(0, ImmutableMap.of());
  private volatile boolean absent;

  private record Served(int number, ImmutableMap<String, ServerCertificate> byAlias) {

    Optional<ServerCertificate> present() {
      return Optional.ofNullable(byAlias.get(alias()));
    }

    String alias() {
      return Integer.toString(number);
    }

    Served with(ServerCertificate next) {
      ImmutableMap.Builder<String, ServerCertificate> both = ImmutableMap.builder();
      present().ifPresent(last -> both.put(alias(), last));
      Served changed = new Served(number + 1, ImmutableMap.of());
      return new Served(number + 1, both.put(changed.alias(), next).buildOrThrow());
    }
  }

  /** Whether a handshake can succeed. */
  public boolean ready() {
    return served.present().isPresent();
  }

  /** Whether there is no key, so that API servers cannot connect. */
  public boolean absent() {
    return absent;
  }

  /** The current certificate. */
  Optional<ServerCertificate> present() {
    return served.present();
  }

  /**
   * Trusts only the current certificate.
   *
   * @throws GeneralSecurityException if there is none
   */
  public SSLContext trusting() throws GeneralSecurityException, IOException {
    KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
    anchors.load(null, null);
    for (ServerCertificate one : present().stream().toList()) {
      anchors.setCertificateEntry("served", one.own());
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(anchors);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  void nothingToServe() {
    absent = true;
  }

  synchronized void serve(ServerCertificate certificate) {
    absent = false;
    if (!present().equals(Optional.of(certificate))) {
      served = served.with(certificate);
    }
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    Served now = served;
    return now.present()
        .filter(one -> one.key().getAlgorithm().equals(keyType))
        .map(one -> now.alias())
        .orElse(null);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    ServerCertificate found = served.byAlias().get(alias);
    return found == null ? null : found.chain().toArray(new X509Certificate[0]);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    ServerCertificate found = served.byAlias().get(alias);
    return found == null ? null : found.key();
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return chooseEngineServerAlias(keyType, issuers, null);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    String alias = chooseEngineServerAlias(keyType, issuers, null);
    return alias == null ? null : new String[] {alias};
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }
}
