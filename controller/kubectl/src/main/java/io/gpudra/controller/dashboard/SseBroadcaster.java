package io.gpudra.controller.dashboard;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the newest state to all windows, up to the maximum number of windows. For the event loop's
 * thread only, except {@link #show}.
 */
final class SseBroadcaster {
  private static final Logger LOG = LoggerFactory.getLogger(SseBroadcaster.class);

  private final int mostFollowers;
  private final EventLoop loop;
  private final Map<Channel, SseClient> followers = new LinkedHashMap<>();
  private @Nullable DashboardState newest;

  SseBroadcaster(int mostFollowers, EventLoop loop) {
    this.mostFollowers = mostFollowers;
    this.loop = loop;
  }

  /** Sends the state to all windows. */
  void show(DashboardState dashboardState) {
    try {
      loop.execute(() -> toAll(dashboardState));
    } catch (RejectedExecutionException e) {
      LOG.debug("the page is closed", e);
    }
  }

  private void toAll(DashboardState dashboardState) {
    newest = dashboardState;
    followers.values().forEach(sseClient -> sseClient.show(dashboardState));
  }

  /** Whether one more window is allowed. */
  boolean hasRoom() {
    return followers.size() < mostFollowers;
  }

  /** Adds a window until it closes; the head of its response has been written. */
  @SuppressWarnings("FutureReturnValueIgnored") // the listener handles it
  void follow(Channel window) {
    SseClient sseClient = new SseClient(window);
    followers.put(window, sseClient);
    window.closeFuture().addListener(closed -> followers.remove(window));
    if (newest != null) {
      sseClient.show(newest);
    }
  }
}
