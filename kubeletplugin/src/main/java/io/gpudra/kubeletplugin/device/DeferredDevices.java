package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GPUs that may appear after the plugin has started. Until then {@link AbsentDevices} stand in for
 * them. Reports received in the meantime are passed on when the GPUs appear.
 */
public final class DeferredDevices extends ForwardingDevices {

  private static final Logger log = LoggerFactory.getLogger(DeferredDevices.class);

  private volatile GpuDevices now;

  // Guarded by this: the reports until the GPUs come.
  private ImmutableSet<String> held = ImmutableSet.of();
  private Optional<String> othersHow = Optional.empty();
  private Runnable changed = () -> {};

  public DeferredDevices(GpuDevices first) {
    this.now = first;
    logUnreachable(first);
  }

  private static void logUnreachable(GpuDevices now) {
    now.unreachable().ifPresent(why -> log.error("no GPU can be served yet reason=\"{}\"", why));
  }

  /** Whether the GPUs have come. */
  public boolean came() {
    return !(now instanceof AbsentDevices);
  }

  /**
   * Replaces absent devices by these. If no claim holds anything, leftovers on them are from an
   * earlier boot.
   *
   * @throws IOException when leftovers cannot be removed; then all is as before
   */
  public synchronized void become(GpuDevices next) throws IOException {
    if (next.equals(now)) {
      return;
    }
    next.hold(held);
    if (held.isEmpty()) {
      next.reset();
    }
    othersHow.ifPresent(how -> next.usedByOthers(Optional.of(how)));
    now = next;
    logUnreachable(next);
    next.onChange(changed);
    changed.run();
  }

  @Override
  protected GpuDevices delegate() {
    return now;
  }

  @Override
  public synchronized void hold(Set<String> uuids) {
    held = ImmutableSet.copyOf(uuids);
    now.hold(uuids);
  }

  @Override
  public synchronized void usedByOthers(Optional<String> how) {
    othersHow = how;
    now.usedByOthers(how);
  }

  @Override
  public synchronized void onChange(Runnable action) {
    changed = action;
    now.onChange(action);
  }

  @Override
  public synchronized void close() {
    now.close();
  }
}
