package io.gpudra.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;

/** The answer of a page. */
public sealed interface PageContent {

  /**
   * A reply that fits into the heap.
   *
   * @param status the HTTP status
   * @param type of the text, as in the header Content-Type
   * @param body in UTF-8; several answers may share it
   */
  record Text(int status, String type, ByteBuf body) implements PageContent {

    /** An answer with the bytes of this text. */
    public Text(int status, String type, String text) {
      this(status, type, Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(text.getBytes(UTF_8))));
    }

    /** The body. */
    public String text() {
      return body.toString(UTF_8);
    }
  }

  /**
   * A reply that is too large for the heap.
   *
   * @param file released once it is sent, or when the client has disconnected
   */
  record Download(FileRegion file) implements PageContent {}

  /** The reply to a probe: 200, or 503 with all problems. */
  static PageContent health(ImmutableList<String> problems) {
    return problems.isEmpty() ? text(200, "ok") : text(503, String.join("\n", problems));
  }

  /** An answer for programs. */
  static PageContent json(String json) {
    return new Text(200, "application/json", json);
  }

  /** An answer for people. */
  static PageContent text(int status, String line) {
    return new Text(status, "text/plain; charset=utf-8", line + "\n");
  }
}
