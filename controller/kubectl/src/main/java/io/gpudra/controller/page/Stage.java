package io.gpudra.controller.page;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the newest scene to all windows, up to the maximum number of windows. For the event loop's
 * thread only, except {@link #show}.
 */
final class Stage {
  private static final Logger LOG = LoggerFactory.getLogger(Stage.class);

  private final int mostFollowers;
  private final EventLoop loop;
  private final Map<Channel, Follower> followers = new LinkedHashMap<>();
  private @Nullable Scene newest;

  Stage(int mostFollowers, EventLoop loop) {
    this.mostFollowers = mostFollowers;
    this.loop = loop;
  }

  /** Sends the scene to all windows. */
  void show(Scene scene) {
    try {
      loop.execute(() -> toAll(scene));
    } catch (RejectedExecutionException e) {
      LOG.debug("the page is closed", e);
    }
  }

  private void toAll(Scene scene) {
    newest = scene;
    followers.values().forEach(follower -> follower.show(scene));
  }

  /** Whether one more window is allowed. */
  boolean hasRoom() {
    return followers.size() < mostFollowers;
  }

  /** Adds a window until it closes; the head of its response has been written. */
  @SuppressWarnings("FutureReturnValueIgnored") // the listener handles it
  void follow(Channel window) {
    Follower follower = new Follower(window);
    followers.put(window, follower);
    window.closeFuture().addListener(closed -> followers.remove(window));
    if (newest != null) {
      follower.show(newest);
    }
  }
}
