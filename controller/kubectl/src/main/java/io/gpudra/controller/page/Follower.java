package io.gpudra.controller.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A browser window that receives server-sent events, at most one at a time. Changes that happen
 * during a write are combined in the next event. For the event loop's thread only.
 */
final class Follower {
  private final Channel window;
  private @Nullable Scene told;
  private @Nullable Scene next;
  private boolean underWay;

  Follower(Channel window) {
    this.window = window;
  }

  /** Sends this scene, now or after the current write. */
  void show(Scene scene) {
    next = scene;
    if (!underWay) {
      send(scene);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
  private void send(Scene scene) {
    String event = "data:" + scene.since(Optional.ofNullable(told)) + "\n\n";
    told = scene;
    next = null;
    underWay = true;
    window
        .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(event.getBytes(UTF_8))))
        .addListener(sent -> taken(sent.isSuccess()));
  }

  private void taken(boolean well) {
    underWay = false;
    Scene waiting = next;
    if (well && waiting != null) {
      send(waiting);
    }
  }
}
