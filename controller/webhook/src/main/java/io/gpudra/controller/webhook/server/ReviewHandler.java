package io.gpudra.controller.webhook.server;

import java.io.IOException;
import java.net.InetAddress;
import java.util.function.Consumer;

/** Answers the requests of API servers. */
public interface ReviewHandler {

  /** Receives the answer to one request. */
  interface Answer extends Consumer<byte[]> {

    /** Whether the connection is open. */
    default boolean isExpected() {
      return true;
    }
  }

  /**
   * Answers one request. Called from several threads.
   *
   * @param client address of the connection
   * @param body is within the limits of the port until this returns, and not afterwards
   * @param answer receives JSON, once, from any thread, before or after this returns
   * @throws ReviewTooLargeException if the request needs too much memory; then there is no answer
   * @throws IOException if the request cannot be parsed; then there is no answer
   */
  void review(InetAddress client, byte[] body, Answer answer) throws IOException;
}
