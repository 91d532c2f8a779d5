package io.gpudra.controller.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.LedgerStore.ChangeLog;
import org.junit.jupiter.api.Test;

/** What is remembered of nodes that come and go. */
class ChangeLogTest {
  private final ChangeLog log = new ChangeLog();

  private void comeAndGo(int nodes) {
    for (int i = 0; i < nodes; i++) {
      log.changed("short" + i);
      log.keep(ImmutableSet.of("a", "b"));
    }
  }

  @Test
  void aFewNodesThatAreGoneAreRemembered() {
    log.changed("a");
    comeAndGo(67);

    assertThat(log.after(0)).hasValueSatisfying(nodes -> assertThat(nodes).hasSize(68));
  }

  @Test
  void onceMostAreGoneTheyAreForgottenAndWhoAskedBeforeIsToldToLookAtAll() {
    log.changed("a");
    comeAndGo(68);
    log.changed("b");

    assertThat(log.after(68)).isEmpty();
    assertThat(log.after(69)).contains(ImmutableSet.of("b"));
    log.changed("a");
    assertThat(log.after(69)).contains(ImmutableSet.of("b", "a"));
  }
}
