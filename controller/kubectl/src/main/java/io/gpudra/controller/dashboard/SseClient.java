package io.gpudra.controller.dashboard;

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
final class SseClient {
  private final Channel window;
  private @Nullable DashboardState sent;
  private @Nullable DashboardState next;
  private boolean underWay;

  SseClient(Channel window) {
    this.window = window;
  }

  /** Sends this state, now or after the current write. */
  void show(DashboardState dashboardState) {
    next = dashboardState;
    if (!underWay) {
      send(dashboardState);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
  private void send(DashboardState dashboardState) {
    String event = "data:" + dashboardState.since(Optional.ofNullable(sent)) + "\n\n";
    sent = dashboardState;
    next = null;
    underWay = true;
    window
        .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(event.getBytes(UTF_8))))
        .addListener(sent -> onSent(sent.isSuccess()));
  }

  private void onSent(boolean well) {
    underWay = false;
    DashboardState waiting = next;
    if (well && waiting != null) {
      send(waiting);
    }
  }
}
