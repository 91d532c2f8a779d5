package io.gpudra.controller.client.watch;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only those objects of a kind that match selectors. */
class SelectedObjectsTest extends InformerCase {
  private static final ImmutableMap<String, String> SELECTORS =
      ImmutableMap.of(
          "fieldSelector", "spec.nodeName=,status.phase=Pending", "labelSelector", "a.b/c");

  @Override
  WatchedKind<V1ConfigMap, String> kind() {
    return super.kind().where(SELECTORS);
  }

  @Test
  void anObjectThatLeavesTheSelectorIsGone() {
    lists.add(json(200, list(5, object("a", 1, "x"), object("b", 2, "y"))));
    informer.start();
    events.add(event("DELETED", object("b", 7, "z")));
    awaitTold("+a=x", "+b=y", "-b=y");

    assertThat(cache.keys()).containsExactly("ns/a");
    assertThat(server.calls())
        .hasSize(2)
        .allSatisfy(call -> assertThat(call.query()).containsAllEntriesOf(SELECTORS));
  }

  @Test
  void anObjectThatLeftTheSelectorBeforeTheNextListIsGone() {
    lists.add(json(200, list(5, object("a", 1, "x"), object("b", 2, "y"))));
    lists.add(json(200, list(9, object("a", 1, "x"))));
    watches.add(json(410, "{}"));
    informer.start();
    awaitTold("+a=x", "+b=y", "-b=y", "listed 9");

    assertThat(cache.keys()).containsExactly("ns/a");
    assertThat(server.calls())
        .allSatisfy(call -> assertThat(call.query()).containsAllEntriesOf(SELECTORS));
  }

  @Test
  void aLiveListHasThemOnly() throws IOException {
    lists.add(json(200, list(5, object("a", 1, "x"))));
    lists.add(json(200, list(6)));
    List<String> found = new ArrayList<>();
    LiveObjects<V1ConfigMap, String> live =
        new LiveObjects<>(http, kind().in("team"), malformed::add);
    live.list(kept -> found.add(kept.value()));
    live.probe();

    assertThat(found).containsExactly("x");
    assertThat(server.calls())
        .hasSize(2)
        .allSatisfy(
            call -> {
              assertThat(call.path()).isEqualTo("/api/v1/namespaces/team/configmaps");
              assertThat(call.query()).containsAllEntriesOf(SELECTORS);
            });
  }
}
