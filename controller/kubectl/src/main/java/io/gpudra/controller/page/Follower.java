package io.gpudra.controller.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A window that is told of changes. There is never more than one event under way to it; what
 * happens meanwhile is told as one. For the event loop's thread only.
 */
final class Follower {
  private final Channel window;
  private @Nullable Scene told;
  private @Nullable Scene next;
  private boolean underWay;

  Follower(Channel window) {
    this.window = window;
  }

  /** Has this scene shown, now or as soon as the window has taken what is under way. */
  void show(Scene scene) {
    next = scene;
    if (!underWay) {
      send(scene);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // one that fails ends the window's connection
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
