package io.gpudra.controller.webhook.server;

import com.google.common.io.Closer;
import io.gpudra.controller.webhook.certificate.MadeCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Ports for reviews and their clients, which end with the test. */
abstract class ReviewPortCase {
  static final Duration LONG = Duration.ofHours(1);
  static final Duration SHORT = Duration.ofSeconds(2);
  static final MadeCertificate CERTIFICATE = MadeCertificate.now();
  static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  final Closer opened = Closer.create();
  SSLContext tls;

  @BeforeEach
  void trust() throws Exception {
    tls = ReviewClient.trusting(CERTIFICATE.ca());
  }

  @AfterEach
  void close() throws IOException {
    opened.close();
  }

  /** Says what it was sent. */
  static void echo(InetAddress client, byte[] body, Consumer<byte[]> answer) throws IOException {
    String text = new String(body, StandardCharsets.UTF_8);
    if (text.equals("unreadable")) {
      throw new IOException("this is no review");
    }
    if (text.equals("too large")) {
      throw new ReviewTooLargeException("too many values");
    }
    if (text.equals("defect")) {
      throw new IllegalStateException("a defect");
    }
    answer.accept(body);
  }

  static ServerLimits limits(int clients, int bodies, Duration request, Duration idle) {
    return new ServerLimits(clients, 1000, bodies, request, LONG, idle);
  }

  ReviewPort open(ServerLimits limits, ReviewHandler reviewHandler) throws IOException {
    ReviewPort port = ReviewPort.open(ANY, CERTIFICATE.key(), limits, reviewHandler);
    opened.register(port::close);
    return port;
  }

  ReviewPort openWith(X509ExtendedKeyManager key) throws IOException {
    ReviewPort port =
        ReviewPort.open(ANY, key, limits(8, 10_000, LONG, LONG), ReviewPortCase::echo);
    opened.register(port::close);
    return port;
  }

  ReviewPort open(ServerLimits limits) throws IOException {
    return open(limits, ReviewPortCase::echo);
  }

  ReviewClient client(ReviewPort port) throws IOException {
    return opened.register(ReviewClient.connect(port.address(), tls, MadeCertificate.HOST));
  }

  /** From another address. */
  ReviewClient stranger(ReviewPort port) throws IOException {
    return opened.register(
        ReviewClient.connect(
            InetAddress.getByName("127.0.0.2"), port.address(), tls, MadeCertificate.HOST));
  }

  Socket plain(ReviewPort port) throws IOException {
    return opened.register(new Socket(port.address().getAddress(), port.address().getPort()));
  }
}
