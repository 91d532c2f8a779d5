package io.gpudra.controller.client.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.TypeAdapter;
import io.gpudra.controller.client.LenientJson;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListStreamTest {
  private static final TypeAdapter<JsonElement> TREE = new Gson().getAdapter(JsonElement.class);
  private static final TypeAdapter<Claim> CLAIM = new Gson().getAdapter(Claim.class);

  private record Claim(Metadata metadata, Spec spec) {}

  private record Metadata(String name, List<String> finalizers) {}

  private record Spec(int n, List<Integer> all) {}

  @Test
  void nothingIsReadOfAnItemButItsNamesAndTheFieldsThatAreUsed() throws IOException {
    String item =
        "{\"metadata\":{\"name\":\"a\",%s\"finalizers\":[\"f\"]},"
            + "\"spec\":{\"n\":[1],\"of\":[{\"x\":1%s},\"odd\",{%s}]}%s}";
    String noise = "\"y\":{\"x\":[{}]}";
    List<String> items = new ArrayList<>();

    String version =
        ListStream.read(
            new StringReader(
                list(
                    item.formatted(
                        "\"labels\":{\"x\":\"y\",\"metadata\":\"z\"},\"managedFields\":[{\"manager\":\"m\"}],",
                        "," + noise,
                        noise,
                        ",\"status\":{\"images\":[{}]}"))),
            in ->
                items.add(
                    in.read(FieldFilter.of("metadata.finalizers", "spec.n", "spec.of.x"), TREE)
                        + ""));

    assertThat(version).isEqualTo("7");
    assertThat(items).containsExactly(item.formatted("", "", "", ""));
  }

  @Test
  void ofALabelOnlyTheEntryOfItsKeyIsRead() throws IOException {
    String item =
        "{'metadata':{'name':'a','labels':{'a.b':'no','a.b/c':'yes','a':{'b/c':'no'}},"
            + "'annotations':{'a.b/c':'no','x.y/z':{'w':1,'v':2}}}}";
    List<String> items = new ArrayList<>();

    ListStream.read(
        new StringReader(list(item.replace('\'', '"'))),
        in ->
            items.add(
                in.read(
                        FieldFilter.of("metadata.labels[a.b/c]", "metadata.annotations[x.y/z].v"),
                        TREE)
                    + ""));

    assertThat(items)
        .containsExactly(
            "{'metadata':{'name':'a','labels':{'a.b/c':'yes'},'annotations':{'x.y/z':{'v':2}}}}"
                .replace('\'', '"'));
  }

  @Test
  void ofTypedLabelsOnlyTheEntryOfItsKeyIsRead() throws IOException {
    String item = "{'metadata':{'name':'a','labels':{'a':'no','a.b/c':'yes','b':'no'}}}";
    List<Map<String, String>> read = new ArrayList<>();

    ListStream.read(
        new StringReader(list(item.replace('\'', '"'))),
        in ->
            read.add(
                in.read(
                        FieldFilter.of("metadata.labels[a.b/c]"),
                        LenientJson.gson().getAdapter(V1Pod.class))
                    .getMetadata()
                    .getLabels()));

    assertThat(read).containsExactly(Map.of("a.b/c", "yes"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'metadata':{'name':'a'},'spec':{'n':'x','all':[1]}} | a",
        "{'metadata':{'name':'a'},'spec':{'all':[1,{'n':[2]},3]}} | a",
        "{'metadata':{'name':'a','finalizers':{'x':[1]}},'spec':{'n':1}} | a",
        "{'spec':[{'n':1}],'metadata':{'labels':{'name':'b'},'name':'a'}} | a",
        "{'metadata':3} | ``",
        "{'metadata':{'name':['a']}} | ``",
        "null | ``",
        "'odd' | ``",
        "[{'metadata':{'name':'a'}}] | ``",
      })
  void whatCannotBeUnderstoodHasItsNameAndDoesNotHideWhatFollows(String odd, String name)
      throws IOException {
    List<String> read = new ArrayList<>();
    String good = "{'metadata':{'name':'last'},'spec':{'n':1}}";

    ListStream.read(
        new StringReader(list((odd + "," + good).replace('\'', '"'))),
        in -> {
          try {
            read.add(
                in.read(FieldFilter.of("metadata.finalizers", "spec"), CLAIM).metadata().name());
          } catch (RuntimeException e) {
            read.add("bad " + in.identity(ObjectIdentity.NAME));
          }
        });

    assertThat(read).containsExactly("bad " + name, "last");
  }

  /** The API server keeps what anybody sends as managed fields, whatever its depth. */
  @Test
  void oneDeepObjectHidesNeitherItselfNorWhatFollows() throws IOException {
    List<String> read = new ArrayList<>();
    String deep =
        "{'metadata':{'name':'deep','managedFields':[{'fieldsV1':%s{}%s}]},'spec':{'n':1}}"
            .formatted("{'f:a':".repeat(100_000), "}".repeat(100_000));
    String good = "{'metadata':{'name':'last'},'spec':{'n':1}}";

    ListStream.read(
        new StringReader(list((deep + "," + good).replace('\'', '"'))),
        in -> read.add(in.read(FieldFilter.of("spec"), CLAIM).metadata().name()));

    assertThat(read).containsExactly("deep", "last");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"{'metadata':{'name':'a'", "{'metadata':{'name':nobody}}", "{'spec':{'n':'x'"})
  void aTextThatEndsOrIsNoJsonIsNoList(String broken) {
    assertThatThrownBy(
            () ->
                ListStream.read(
                    new StringReader("{\"items\":[" + broken.replace('\'', '"')),
                    in -> {
                      try {
                        in.read(FieldFilter.of("spec"), CLAIM);
                      } catch (RuntimeException e) {
                        // As every reader of a list does.
                      }
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aListThatNobodyCouldWatchFromIsNone() {
    assertThatThrownBy(
            () -> ListStream.read(new StringReader("{\"metadata\":{},\"items\":[]}"), in -> {}))
        .isInstanceOf(IOException.class)
        .hasMessage("list has no resourceVersion");
  }

  private static String list(String items) {
    return "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[%s]}".formatted(items);
  }
}
