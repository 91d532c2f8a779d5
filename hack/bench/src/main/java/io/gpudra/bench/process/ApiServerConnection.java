package io.gpudra.bench.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A connection to a webhook that is kept, as API servers keep theirs. For one thread. */
final class ApiServerConnection implements AutoCloseable {
  private static final Pattern LENGTH =
      Pattern.compile("content-length: (\\d+)", Pattern.CASE_INSENSITIVE);

  private final SSLSocket socket;
  private final DataInputStream in;

  private ApiServerConnection(SSLSocket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
  }

  /** With a handshake. */
  static ApiServerConnection open(int port, byte[] ca)
      throws IOException, GeneralSecurityException {
    SSLSocket socket =
        (SSLSocket)
            trusting(ca).getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.startHandshake();
    return new ApiServerConnection(socket);
  }

  private static SSLContext trusting(byte[] ca) throws IOException, GeneralSecurityException {
    KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
    anchors.load(null, null);
    anchors.setCertificateEntry(
        "ca",
        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(ca)));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(anchors);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /**
   * Sends it and waits for the answer.
   *
   * @throws IOException also for any status but 200
   */
  String ask(String review) throws IOException {
    String request =
        "POST /?timeout=2s HTTP/1.1\r\nHost: webhook\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(review.length(), review);
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    String head = head();
    Matcher length = LENGTH.matcher(head);
    if (!head.startsWith("HTTP/1.1 200") || !length.find()) {
      throw new IOException("the webhook answered " + head);
    }
    byte[] body = new byte[Integer.parseInt(length.group(1))];
    in.readFully(body);
    return new String(body, US_ASCII);
  }

  private String head() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(US_ASCII).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("closed after " + head);
      }
      head.write(next);
    }
    return head.toString(US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
