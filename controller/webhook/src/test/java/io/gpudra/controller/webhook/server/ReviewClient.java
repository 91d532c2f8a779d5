package io.gpudra.controller.webhook.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** One connection, as an API server's: kept, and the host of the certificate is looked at. */
public final class ReviewClient implements Closeable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final SSLSocket socket;
  private final DataInputStream in;

  private ReviewClient(SSLSocket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
  }

  /** What the server said. */
  public record Reply(int status, String body, boolean kept) {}

  /** Trusts these CAs and nothing else. */
  public static SSLContext trusting(String bundle) throws GeneralSecurityException, IOException {
    KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
    anchors.load(null, null);
    for (Certificate ca :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(bundle.getBytes(UTF_8)))) {
      anchors.setCertificateEntry("ca-" + anchors.size(), ca);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(anchors);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** With a handshake of its own. */
  public static ReviewClient connect(InetSocketAddress port, SSLContext tls, String host)
      throws IOException {
    return connect(new InetSocketAddress(0).getAddress(), port, tls, host);
  }

  /** The same from one of the addresses that the client has. */
  static ReviewClient connect(InetAddress from, InetSocketAddress port, SSLContext tls, String host)
      throws IOException {
    Socket plain = new Socket();
    plain.bind(new InetSocketAddress(from, 0));
    plain.connect(port, PATIENCE_MILLIS);
    plain.setSoTimeout(PATIENCE_MILLIS);
    plain.setTcpNoDelay(true);
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(plain, host, port.getPort(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    try {
      socket.startHandshake();
      return new ReviewClient(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  public Reply post(String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    send(
        "POST / HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\n"
            + "Content-Length: %d\r\n\r\n".formatted(bytes.length));
    socket.getOutputStream().write(bytes);
    return reply();
  }

  /** As it is. */
  public void send(String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(US_ASCII));
    out.flush();
  }

  public Reply reply() throws IOException {
    List<String> head = head().lines().toList();
    int status = Integer.parseInt(Splitter.on(' ').splitToList(head.get(0)).get(1));
    int length =
        head.stream()
            .map(Ascii::toLowerCase)
            .filter(line -> line.startsWith("content-length: "))
            .mapToInt(line -> Integer.parseInt(line.substring("content-length: ".length())))
            .findFirst()
            .orElse(0);
    boolean kept = head.stream().map(Ascii::toLowerCase).noneMatch("connection: close"::equals);
    byte[] body = new byte[length];
    in.readFully(body);
    return new Reply(status, new String(body, UTF_8), kept);
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

  /** Whether the server closes it; waits for that or for an answer, or until it lasts too long. */
  public boolean isClosed() {
    return isClosed(socket);
  }

  /** The same of any connection. */
  static boolean isClosed(Socket socket) {
    try {
      socket.setSoTimeout(PATIENCE_MILLIS);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
