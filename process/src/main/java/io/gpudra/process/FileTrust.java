package io.gpudra.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.common.io.ByteStreams;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trusts servers whose certificate is signed by an authority of a file. The file is read at each
 * handshake, since a cluster's authorities may be replaced while a process runs, and a process with
 * only the former ones could not connect again. While the file cannot be read, the last authorities
 * count.
 */
public final class FileTrust implements X509TrustManager {
  private static final Logger log = LoggerFactory.getLogger(FileTrust.class);
  private static final int MAX_BYTES = 1 << 20;

  private final Path file;
  private volatile TrustState trustState;

  private record TrustState(String content, X509TrustManager trust) {}

  /**
   * Reads the file once.
   *
   * @param file certificates in PEM, at most 1 MiB
   * @throws IOException when the file cannot be read, or has no certificate
   */
  public FileTrust(Path file) throws IOException {
    this.file = file;
    this.trustState = known(read());
  }

  /** Sockets for connections to such servers, with these client keys. */
  public SSLSocketFactory sockets(KeyManager @Nullable [] keys) throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, new TrustManager[] {this}, null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private String read() throws IOException {
    try (InputStream all = Files.newInputStream(file)) {
      return new String(ByteStreams.limit(all, MAX_BYTES).readAllBytes(), ISO_8859_1);
    }
  }

  private TrustState known(String content) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (Certificate one :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content.getBytes(ISO_8859_1)))) {
        store.setCertificateEntry(String.valueOf(store.size()), one);
      }
      if (store.size() == 0) {
        throw new IOException("no certificate in " + file);
      }
      return new TrustState(content, trust(store));
    } catch (GeneralSecurityException e) {
      throw new IOException("no certificates in %s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static X509TrustManager trust(KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return Stream.of(factory.getTrustManagers())
        .filter(X509TrustManager.class::isInstance)
        .map(X509TrustManager.class::cast)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    readAgain();
    trustState.trust().checkServerTrusted(chain, authType);
  }

  private void readAgain() {
    try {
      String now = read();
      if (!now.equals(trustState.content())) {
        trustState = known(now);
        log.info("certificate authorities were replaced file={}", file);
      }
    } catch (IOException e) {
      log.warn("keeping the previous certificate authorities reason=\"{}\"", e.toString());
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("no clients are served");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return trustState.trust().getAcceptedIssuers();
  }
}
