package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lists and watches: testing.md 5, rows 11 to 14. */
class WatchConformanceTest extends ConformanceCase {

  @Test
  void aWatchResumesAfterItsRevisionAndTellsEveryChange() throws Exception {
    String first = client.post(claims, claim("a")).rv();
    String second = client.post(claims, claim("b")).rv();
    try (Client.Events events = client.watch(claims + "?watch=1&resourceVersion=" + first)) {
      assertThat(events.brief()).isEqualTo("ADDED b@" + second);
      String third = client.merge(claims + "/a", json("{'metadata':{'labels':{'x':'y'}}}")).rv();
      assertThat(events.brief()).isEqualTo("MODIFIED a@" + third);
      String gone = client.delete(claims + "/a").rv();
      assertThat(events.brief()).isEqualTo("DELETED a@" + gone);
    }
  }

  @Test
  void aWatchWithoutRevisionStartsWithWhatIsThere() throws Exception {
    String rv = client.post(claims, claim("a")).rv();
    try (Client.Events events = client.watch(claims + "?watch=true")) {
      assertThat(events.brief()).isEqualTo("ADDED a@" + rv);
    }
  }

  @Test
  void toASelectorObjectsComeAndGoAsTheyMatch() throws Exception {
    String start = client.post(claims, claim("a")).rv();
    String query = "?watch=true&labelSelector=x%3Dy&resourceVersion=" + start;
    try (Client.Events events = client.watch(claims + query)) {
      String in = client.merge(claims + "/a", json("{'metadata':{'labels':{'x':'y'}}}")).rv();
      String out = client.merge(claims + "/a", json("{'metadata':{'labels':{'x':'z'}}}")).rv();
      assertThat(events.brief()).isEqualTo("ADDED a@" + in);
      JsonNode left = events.next();
      assertThat(left.at("/type").asText()).isEqualTo("DELETED");
      assertThat(left.at("/object/metadata/labels/x").asText()).isEqualTo("y");
      assertThat(left.at("/object/metadata/resourceVersion").asText()).isEqualTo(out);
    }
  }

  @Test
  void bookmarksComeBeforeTheEnd() throws Exception {
    String start = client.post(claims, claim("a")).rv();
    String query = "?watch=true&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion=" + start;
    try (Client.Events events = client.watch(claims + query)) {
      String rv = client.merge(claims + "/a", json("{'metadata':{'labels':{'x':'y'}}}")).rv();
      assertThat(events.brief()).isEqualTo("MODIFIED a@" + rv);
      JsonNode bookmark = events.next();
      assertThat(bookmark.at("/type").asText()).isEqualTo("BOOKMARK");
      assertThat(bookmark.at("/object/kind").asText()).isEqualTo("ResourceClaim");
      assertThat(bookmark.at("/object/metadata/resourceVersion").asLong())
          .as("as new as the newest claim of any namespace")
          .isGreaterThanOrEqualTo(Long.parseLong(rv));
      assertThat(bookmark.at("/object/spec/resourceClassName").asText()).isEmpty();
      // A real server may send a second one.
      JsonNode last = events.next();
      while (last.at("/type").asText().equals("BOOKMARK")) {
        last = events.next();
      }
      assertThat(last.isMissingNode()).as("the end").isTrue();
    }
  }

  @Test
  void pagesShowTheStateOfTheFirst() {
    for (String name : List.of("a", "b", "c", "d")) {
      client.post(claims, claim(name));
    }
    Client.Answer page = client.get(claims + "?limit=2");
    client.delete(claims + "/c");
    client.post(claims, claim("bb"));
    Client.Answer rest = client.get(claims + "?limit=2&continue=" + page.at("metadata.continue"));
    assertThat(names(page)).containsExactly("a", "b");
    assertThat(names(rest)).containsExactly("c", "d");
    assertThat(rest.rv()).isEqualTo(page.rv());
    assertThat(rest.at("metadata.continue")).isEmpty();
    assertThat(names(client.get(claims + "?limit=9&resourceVersion=" + page.rv())))
        .as("a revision with a limit is exact")
        .containsExactly("a", "b", "c", "d");
    assertThat(names(client.get(claims + "?resourceVersion=0")))
        .containsExactly("a", "b", "bb", "d");
    assertThat(client.get(claims + "?continue=%21").code()).isEqualTo(400);
    assertThat(client.get(claims + "?resourceVersionMatch=Exact").code()).isEqualTo(422);
    assertThat(client.get(claims + "?resourceVersion=999999999").code()).isEqualTo(504);
  }

  @Test
  void unknownFieldSelectorsAreRefusedAndKnownOnesFilter() {
    client.post(claims, claim("a"));
    client.post(claims, claim("b"));
    assertThat(names(client.get(claims + "?fieldSelector=metadata.name%3Db"))).containsExactly("b");
    Client.Answer unknown = client.get(claims + "?fieldSelector=spec.x%3Db");
    assertThat(unknown.code()).isEqualTo(400);
    assertThat(unknown.message()).contains("\"spec.x\" is not a known field selector");
    assertThat(names(client.get(claims + "?labelSelector=k%20notin%20(v)"))).hasSize(2);
    assertThat(names(client.get(claims + "?labelSelector=k"))).isEmpty();
  }

  @Test
  void manyWatchesStarveNobody() throws Exception {
    List<Client.Events> open = new ArrayList<>();
    String start = client.post(claims, claim("a")).rv();
    for (int i = 0; i < 250; i++) {
      open.add(client.watch(claims + "?watch=true&resourceVersion=" + start));
    }
    String rv = client.post(claims, claim("b")).rv();
    for (Client.Events events : open) {
      assertThat(events.brief()).isEqualTo("ADDED b@" + rv);
      events.close();
    }
  }

  private static List<String> names(Client.Answer list) {
    List<String> names = new ArrayList<>();
    list.json().path("items").forEach(item -> names.add(item.at("/metadata/name").asText()));
    return names;
  }
}
