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
 * The newest scene and all windows that follow it, as many as there may be. For the event loop's
 * thread only, but for {@link #show}.
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

  /** Shows it to everybody. */
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

  /** Whether one more may follow. */
  boolean hasRoom() {
    return followers.size() < mostFollowers;
  }

  /** Until it closes; the head of the answer has been written. */
  @SuppressWarnings("FutureReturnValueIgnored") // told when it happens
  void follow(Channel window) {
    Follower follower = new Follower(window);
    followers.put(window, follower);
    window.closeFuture().addListener(closed -> followers.remove(window));
    if (newest != null) {
      follower.show(newest);
    }
  }
}
