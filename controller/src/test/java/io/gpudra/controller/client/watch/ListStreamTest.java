package io.gpudra.controller.client.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListStreamTest {

  @Test
  void nothingIsReadOfAnItemButItsNamesAndTheFieldsThatAreUsed() throws IOException {
    String item = "{\"metadata\":{\"name\":\"a\",%s\"finalizers\":[\"f\"]},\"spec\":{\"n\":[1]}%s}";
    String list =
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[%s,null,\"odd\",{\"metadata\":3}]}"
            .formatted(
                item.formatted(
                    "\"labels\":{\"x\":\"y\",\"metadata\":\"z\"},\"managedFields\":[{\"manager\":\"m\"}],",
                    ",\"status\":{\"images\":[{}]}"));
    List<String> items = new ArrayList<>();

    String version =
        ListStream.read(
            new StringReader(list),
            Fields.of("metadata.finalizers", "spec"),
            (JsonElement e) -> items.add(e + ""));

    assertThat(version).isEqualTo("7");
    assertThat(items)
        .containsExactly(item.formatted("", ""), "null", "\"odd\"", "{\"metadata\":3}");
  }
}
