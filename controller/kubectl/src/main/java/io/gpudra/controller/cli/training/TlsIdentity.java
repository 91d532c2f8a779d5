package io.gpudra.controller.cli.training;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Key and certificate of server and client for one run.
 *
 * @param certificate in base64 of PEM, as in kubeconfig files
 * @param key likewise
 */
record TlsIdentity(SSLContext context, String certificate, String key) {
  private static final String NAME = "rehearsal";
  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  static TlsIdentity make(Path place) throws IOException, InterruptedException {
    Path file = place.resolve("keystore");
    keytool(file);
    try {
      KeyStore store = KeyStore.getInstance(file.toFile(), NAME.toCharArray());
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, NAME.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return new TlsIdentity(
          context,
          pem("CERTIFICATE", store.getCertificate(NAME).getEncoded()),
          pem("PRIVATE KEY", store.getKey(NAME, NAME.toCharArray()).getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** Every JDK has keytool, so that no library is needed. */
  private static void keytool(Path file) throws IOException, InterruptedException {
    String keytool = Path.of(System.getProperty("java.home", ""), "bin", "keytool").toString();
    String options =
        "-genkeypair -keyalg EC -groupname secp256r1 -dname CN=localhost -ext san=ip:127.0.0.1"
            + " -validity 1 -storetype PKCS12 -alias rehearsal -storepass rehearsal -keystore";
    ProcessBuilder builder = new ProcessBuilder(keytool);
    builder.command().addAll(Splitter.on(' ').splitToList(options));
    builder.command().add(file.toString());
    if (builder.redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start().waitFor() != 0) {
      throw new IOException("keytool made no certificate");
    }
  }

  private static String pem(String what, byte[] bytes) {
    String text =
        "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
            .formatted(what, LINES.encodeToString(bytes));
    return Base64.getEncoder().encodeToString(text.getBytes(US_ASCII));
  }

  String kubeconfig(int port) {
    return """
    apiVersion: v1
    kind: Config
    current-context: paper
    clusters:
    - name: paper
      cluster:
        server: https://127.0.0.1:%d
        certificate-authority-data: %s
    contexts:
    - name: paper
      context: {cluster: paper, user: paper, namespace: team-a}
    users:
    - name: paper
      user:
        client-certificate-data: %s
        client-key-data: %s
    """
        .formatted(port, certificate, certificate, key);
  }
}
