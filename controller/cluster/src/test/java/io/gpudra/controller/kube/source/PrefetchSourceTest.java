package io.gpudra.controller.kube.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PrefetchSourceTest {
  private static final WatchedKind<?, ?> LARGE = ResourceKinds.contexts();
  private static final ImmutableList<WatchedKind<?, ?>> KINDS =
      ImmutableList.of(LARGE, ResourceKinds.nodes());

  private final CountDownLatch asked = new CountDownLatch(KINDS.size());

  /** Has nothing, and fails where it is told to. */
  private final class Empty implements ObjectSource {
    private final String failing;

    Empty(String failing) {
      this.failing = failing;
    }

    @Override
    public <T, V> ImmutableMap<String, V> all(
        WatchedKind<T, V> kind, Consumer<MalformedObject> malformed) throws IOException {
      asked.countDown();
      if (kind.path().equals(LARGE.path())) {
        malformed.accept(new MalformedObject("v1", "Odd", "a", "b", "", "odd"));
      }
      if (kind.path().equals(failing)) {
        throw new IOException("no answer");
      }
      return ImmutableMap.of();
    }
  }

  @Test
  void allAreAskedForBeforeAnybodyWantsThem() throws InterruptedException {
    ObjectSource unused = new ObjectSource.PrefetchSource(new Empty(""), KINDS);

    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatIsMalformedIsToldToWhoAsks() throws IOException {
    StringBuilder told = new StringBuilder();

    assertThat(
            new ObjectSource.PrefetchSource(new Empty(""), KINDS)
                .all(LARGE, bad -> told.append(bad.name())))
        .isEmpty();

    assertThat(told).hasToString("b");
  }

  @Test
  void aFailureIsThatOfWhoAsksForTheKindAndOfNobodyElse() throws IOException {
    ObjectSource source = new ObjectSource.PrefetchSource(new Empty(LARGE.path()), KINDS);

    assertThat(source.all(ResourceKinds.nodes(), bad -> {})).isEmpty();
    assertThatThrownBy(() -> source.all(LARGE, bad -> {}))
        .isInstanceOf(IOException.class)
        .hasMessage("no answer");
  }
}
