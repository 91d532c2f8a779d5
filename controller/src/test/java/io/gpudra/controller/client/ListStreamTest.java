package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListStreamTest {

  @Test
  void itemsComeWithoutManagedFieldsAndElseAsTheyAre() throws IOException {
    String item =
        "{\"metadata\":{\"name\":\"a\",%s\"annotations\":{\"managedFields\":\"x\"}},\"spec\":{\"n\":[1]}}";
    String list =
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[%s,null,\"odd\"]}"
            .formatted(item.formatted("\"managedFields\":[{\"manager\":\"m\"}],"));
    List<String> items = new ArrayList<>();

    String version = ListStream.read(new StringReader(list), (JsonElement e) -> items.add(e + ""));

    assertThat(version).isEqualTo("7");
    assertThat(items).containsExactly(item.formatted(""), "null", "\"odd\"");
  }
}
