package io.gpudra.controller.client.watch;

import static io.gpudra.controller.client.ScriptedServer.CUT;
import static io.gpudra.controller.client.ScriptedServer.END;
import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The watch survives everything a server does to it, and tells each change once. */
class InformerTest extends InformerCase {

  @Test
  void tellsTheListThenTheEvents() {
    lists.add(json(200, list(5, object("a", 1, "x"), object("b", 2, "y"))));
    informer.start();
    events.add(event("MODIFIED", object("a", 6, "z")));
    events.add(event("DELETED", object("b", 7, "y")));
    awaitTold("+a=x", "+b=y", "+a=z", "-b=y");
    assertThat(informer.synced()).isTrue();
    await().atMost(LIMIT).until(() -> cache.position().equals("7"));
    assertThat(cache.get("ns/a")).map(Kept::value).hasValue("z");
    assertThat(cache.keysOf("value/z")).containsExactly("ns/a");
    assertThat(cache.keysOf("value/y")).isEmpty();
  }

  @Test
  void whatAListLacksIsGoneForAnswersThatComeInMeanwhile() {
    lists.add(json(200, list(5, object("a", 1, "x"))));
    watches.add(json(410, "{}"));
    lists.add(json(200, list(9)));
    informer.start();
    awaitTold("+a=x", "-a=x");
    await().atMost(LIMIT).until(() -> complete.equals(List.of("5", "9")));
  }

  @Test
  void whatABrokenListNamedIsGoneWhenTheNextOneLacksIt() {
    lists.add(json(200, list(5, object("a", 1, "x"), object("b", 2, "y"))));
    watches.add(json(410, "{}"));
    String broken = list(8, object("b", 2, "y"), object("a", 1, "x"));
    lists.add(json(200, broken.substring(0, broken.lastIndexOf("\"a\""))));
    lists.add(json(200, list(9, object("a", 1, "x"))));
    informer.start();
    awaitTold("+a=x", "+b=y", "-b=y");
    await().atMost(LIMIT).until(() -> complete.equals(List.of("5", "9")));
    assertThat(cache.keys()).containsExactly("ns/a");
  }

  @Test
  void resumesACutWatchWhereItEndedWithoutAnotherList() {
    lists.add(json(200, list(5)));
    informer.start();
    events.add(event("ADDED", object("a", 6, "x")));
    events.add(CUT);
    awaitTold("+a=x");
    events.add(event("ADDED", object("b", 8, "y")));
    awaitTold("+a=x", "+b=y");
    assertThat(server.calls()).filteredOn(call -> !call.watch()).hasSize(1);
    assertThat(watched().get(1)).containsEntry("resourceVersion", "6");
  }

  @Test
  void resumesAfterTheBookmark() {
    lists.add(json(200, list(5)));
    informer.start();
    events.add(event("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"40\"}}"));
    events.add(END);
    await().atMost(LIMIT).until(() -> watched().size() == 2);
    assertThat(watched().get(0)).containsEntry("allowWatchBookmarks", "true");
    assertThat(watched().get(1)).containsEntry("resourceVersion", "40");
    assertThat(told).containsExactly("listed 5");
  }

  @Test
  void listsAnewWhenTheServerForgotThePlaceAndTellsWhatWentMeanwhile() {
    lists.add(json(200, list(5, object("a", 1, "x"), object("b", 2, "y"))));
    lists.add(json(200, list(9, object("b", 8, "w"))));
    informer.start();
    events.add("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410}}");
    awaitTold("+a=x", "+b=y", "+b=w", "-a=x", "listed 9");
    assertThat(server.calls().stream().filter(call -> !call.watch()).map(Call::query))
        .containsExactly(Map.of("resourceVersion", "0"), Map.of("resourceVersion", ""));
  }

  @Test
  void listsAnewWhenTheWatchIsRefusedWith410() {
    lists.add(json(200, list(5)));
    lists.add(json(200, list(9, object("a", 8, "x"))));
    watches.add(json(410, "{}"));
    informer.start();
    awaitTold("+a=x");
  }

  @Test
  void asksNotInALoopWhenTheServerForgetsEveryPlace() {
    for (int i = 0; i < 10; i++) {
      lists.add(i == 2 ? json(410, "{}") : json(200, list(5)));
      watches.add(json(410, "{}"));
    }
    long start = System.nanoTime();
    informer.start();
    await().atMost(LIMIT).until(() -> lists.isEmpty());
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
  }

  @Test
  void waitsAndAsksAgainWhenTheServerIsBusyOrBroken() {
    lists.add(json(503, "{}"));
    lists.add(json(200, list(5)));
    watches.add(json(429, "{}", "Retry-After", "1"));
    watches.add(json(500, "{}"));
    informer.start();
    events.add(event("ADDED", object("a", 6, "x")));
    awaitTold("+a=x");
    assertThat(server.calls()).filteredOn(call -> !call.watch()).hasSize(2);
    assertThat(watched()).hasSize(3);
  }

  @Test
  void skipsAMalformedObjectAndReportsItByName() {
    String bad = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"bad\",\"uid\":\"u\"},\"data\":7}";
    lists.add(json(200, list(5, bad, object("a", 1, "x"))));
    informer.start();
    events.add(event("ADDED", bad));
    events.add(event("ADDED", object("c", 6, "z")));
    awaitTold("+a=x", "+c=z");
    assertThat(malformed).extracting(MalformedObject::name).containsExactly("bad", "bad");
    assertThat(malformed.get(0).kind()).isEqualTo("ConfigMap");
    assertThat(malformed.get(0).uid()).isEqualTo("u");
  }

  @Test
  void aMalformedObjectIsKnownAsSuchUntilItIsMendedOrGone() {
    String bad = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\"},\"data\":7}";
    lists.add(json(200, list(5, bad.formatted("a"), bad.formatted("b"), bad.formatted("c"))));
    watches.add(json(410, "{}"));
    lists.add(json(200, list(9, object("a", 6, "x"), bad.formatted("b"))));
    informer.start();
    events.add(event("DELETED", bad.formatted("b")));
    events.add(event("ADDED", object("d", 12, "z")));
    awaitTold("+a=x", "+d=z");
    assertThat(malformed).hasSize(4);
    assertThat(cache.problem("ns/a")).as("mended").isEmpty();
    assertThat(cache.problem("ns/b")).as("deleted").isEmpty();
    assertThat(cache.problem("ns/c")).as("not listed any more").isEmpty();
    events.add(event("ADDED", bad.formatted("e")));
    await().atMost(LIMIT).until(() -> cache.problem("ns/e").isPresent());
  }

  @Test
  void keepsTheLastGoodStateOfAnObjectThatBecameMalformed() {
    String bad =
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"a\",\"resourceVersion\":\"8\"},\"data\":7}";
    lists.add(json(200, list(5, object("a", 1, "x"))));
    lists.add(json(200, list(9, bad)));
    watches.add(json(410, "{}"));
    informer.start();
    await().atMost(LIMIT).until(() -> !malformed.isEmpty() && cache.position().equals("9"));
    assertThat(cache.get("ns/a")).map(Kept::value).hasValue("x");
    assertThat(told).doesNotContain("-a=x");
  }

  @Test
  void tellsNothingTwiceAndNothingOld() {
    lists.add(json(200, list(5, object("a", 4, "x"))));
    informer.start();
    events.add(event("MODIFIED", object("a", 4, "x")));
    events.add(event("MODIFIED", object("a", 3, "old")));
    events.add(event("MODIFIED", object("a", 6, "new")));
    awaitTold("+a=x", "+a=new");
    assertThat(told).doesNotContain("+a=old");
    assertThat(told.stream().filter(t -> t.equals("+a=x"))).hasSize(1);
  }

  @Test
  void tellsAReCreatedObjectAsGoneAndCome() {
    lists.add(json(200, list(5, object("a", 4, "x"))));
    lists.add(json(200, list(9, object("a", 8, "y").replace("uid-a", "uid-other"))));
    watches.add(json(410, "{}"));
    informer.start();
    awaitTold("+a=x", "-a=x", "+a=y");
  }

  @Test
  void takesAPositionFromNothingThatIsNoEvent() {
    lists.add(json(200, list(5)));
    watches.add(json(200, "no json\n"));
    informer.start();
    events.add(event("ADDED", object("a", 6, "x")));
    awaitTold("+a=x");
    assertThat(watched()).hasSizeGreaterThan(1);
    assertThat(watched().get(1)).containsEntry("resourceVersion", "5");
  }

  /** client-java's reflector holds the list that it began with. */
  @Test
  void losesNoneOfFiftyThousandAtOnce() {
    int count = 50_000;
    lists.add(
        json(
            200,
            "{\"items\":["
                + IntStream.range(0, count)
                    .mapToObj(i -> object("o" + i, i + 1L, "v"))
                    .collect(Collectors.joining(","))
                + "],\"metadata\":{\"resourceVersion\":\"60000\"}}"));
    informer.start();
    await().atMost(LIMIT).until(informer::synced);
    assertThat(cache.all()).hasSize(count);
    assertThat(cache.keysOf("value/v")).hasSize(count);
  }
}
