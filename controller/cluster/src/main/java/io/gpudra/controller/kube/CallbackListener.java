package io.gpudra.controller.kube;

import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import java.util.function.Consumer;

/** A cache listener made of functions. */
record CallbackListener<V>(Consumer<Kept<V>> onChanged, Consumer<Kept<V>> onGone, Runnable onListed)
    implements CacheListener<V> {

  /** Handles changes and deletions alike. */
  static <V> CallbackListener<V> any(Consumer<Kept<V>> touched) {
    return new CallbackListener<>(touched, touched, () -> {});
  }

  @Override
  public void changed(Kept<V> now) {
    onChanged.accept(now);
  }

  @Override
  public void gone(Kept<V> last) {
    onGone.accept(last);
  }

  @Override
  public void listed(String resourceVersion) {
    onListed.run();
  }
}
