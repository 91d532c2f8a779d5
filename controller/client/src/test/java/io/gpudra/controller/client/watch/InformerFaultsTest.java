package io.gpudra.controller.client.watch;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

/** What client-java's own informer would not do, and what nobody may do to it. */
class InformerFaultsTest extends InformerCase {

  @Test
  void anExceptionInTheMiddleOfAListLeavesNoneOfItsKeys() {
    lists.add(json(200, list(5, object("a", 1, "x"))));
    lists.add(json(200, list(9, object("a", 1, "x"), object("b", 8, "y"))));
    lists.add(json(200, list(12, object("b", 8, "y"))));
    watches.add(json(410, "{}"));
    failsAt = "b";
    informer.start();
    awaitTold("+a=x", "listed 5", "listed 12");
    assertThat(told).contains("-a=x").doesNotContain("listed 9");
  }

  @Test
  void saysAtOnceThatItIsRefusedAndUntilItIsNot() {
    for (int i = 0; i < 3; i++) {
      lists.add(json(403, "{}"));
    }
    lists.add(json(200, list(5)));
    watches.add(json(404, "{}"));
    informer.start();
    await()
        .atMost(LIMIT)
        .until(
            () -> informer.refusal().equals(Optional.of("HTTP 403 for the watch of configmaps")));
    assertThat(metrics.meter("watch.refusals.configmaps").getCount()).isPositive();
    await()
        .atMost(LIMIT)
        .until(
            () -> informer.refusal().equals(Optional.of("HTTP 404 for the watch of configmaps")));
    events.add(event("ADDED", object("a", 6, "x")));
    awaitTold("+a=x");
    assertThat(informer.refusal()).isEmpty();
  }

  @Test
  void asksForTheNewestWhenTheServerDoesNotHaveThePlaceYet() {
    lists.add(json(200, list(50)));
    watches.add(json(200, "{\"type\":\"X\"}\n"));
    lists.add(json(504, "{}"));
    lists.add(json(200, list(7, object("a", 6, "x"))));
    failsAt = "b";
    events.add(event("ADDED", object("b", 51, "y")));
    informer.start();
    awaitTold("listed 50", "+a=x", "listed 7");
    assertThat(server.calls().stream().filter(call -> !call.watch()).map(Call::query))
        .containsExactly(
            Map.of("resourceVersion", "0"),
            Map.of("resourceVersion", "50"),
            Map.of("resourceVersion", ""));
  }

  @Test
  void tellsTheChangesOfDifferentObjectsInTheOrderOfTheServer() {
    @SuppressWarnings("unchecked")
    CacheListener<String> listener = mock(CacheListener.class);
    lists.add(json(200, list(5)));
    events.add(event("ADDED", object("a", 11, "1")));
    events.add(event("ADDED", object("b", 12, "2")));
    events.add(event("MODIFIED", object("a", 13, "3")));
    events.add(event("DELETED", object("b", 14, "2")));
    try (Informer<V1ConfigMap, String> other = informer(listener)) {
      other.start();
      InOrder order = inOrder(listener);
      order.verify(listener, timeout(LIMIT.toMillis())).listed("5");
      order.verify(listener, timeout(LIMIT.toMillis())).changed(kept("a", 11, "1"));
      order.verify(listener, timeout(LIMIT.toMillis())).changed(kept("b", 12, "2"));
      order.verify(listener, timeout(LIMIT.toMillis())).changed(kept("a", 13, "3"));
      order.verify(listener, timeout(LIMIT.toMillis())).gone(kept("b", 12, "2"));
    }
    verifyNoMoreInteractions(listener);
  }

  @Test
  void letsGoOfWhatWasListedOnceItHasChanged() {
    lists.add(json(200, list(5, object("a", 1, "x"))));
    informer.start();
    awaitTold("+a=x", "listed 5");
    WeakReference<Kept<String>> listed = new WeakReference<>(cache.get("ns/a").orElseThrow());
    events.add(event("MODIFIED", object("a", 6, "y")));
    awaitTold("+a=y");
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              System.gc();
              return listed.refersTo(null);
            });
  }

  @Test
  void worksInDaemonThreadsThatSayWhatTheyDo() {
    lists.add(json(200, list(5)));
    informer.start();
    await().atMost(LIMIT).until(informer::synced);
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().endsWith("-configmaps"))
        .allMatch(Thread::isDaemon)
        .extracting(Thread::getName)
        .contains("watch-configmaps", "informer-configmaps");
  }

  @Test
  void tellsNobodyAfterItsEnd() {
    lists.add(json(200, list(5)));
    informer.start();
    await().atMost(LIMIT).until(informer::synced);
    informer.close();
    events.add(event("ADDED", object("a", 6, "x")));
    await()
        .atMost(LIMIT)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().endsWith("-configmaps")));
    assertThat(told).containsExactly("listed 5");
  }
}
