package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContext;
import java.io.IOException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A newer server's fields do no harm. */
class LenientJsonTest {

  @Test
  void ignoresWhatItDoesNotKnowAndLeavesManagedFieldsOut() {
    LenientJson.install();
    V1Pod pod =
        JSON.deserialize(
            "{\"metadata\":{\"name\":\"x\",\"brandNew\":1,\"managedFields\":[{\"manager\":\"q\"}]},"
                + "\"somethingNew\":{},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}",
            V1Pod.class);
    assertThat(pod.getMetadata().getName()).isEqualTo("x");
    assertThat(pod.getMetadata().getManagedFields()).isNull();
  }

  @Test
  void readsAndWritesLabels() {
    LenientJson.install();
    String labels = "\"labels\":{\"a.b/c\":\"x\",\"d\":\"\"}";
    assertThat(JSON.serialize(JSON.deserialize("{\"metadata\":{" + labels + "}}", V1Pod.class)))
        .contains(labels);
    assertThat(
            JSON.<V1Pod>deserialize("{\"metadata\":{\"labels\":null}}", V1Pod.class)
                .getMetadata()
                .getLabels())
        .isNull();
  }

  @Test
  void readsAndWritesTimes() {
    LenientJson.install();
    String lease =
        "{\"metadata\":{\"creationTimestamp\":\"2026-11-01T10:00:00Z\"},"
            + "\"spec\":{\"renewTime\":\"2026-11-01T10:00:00.123456Z\"}}";
    assertThat(JSON.serialize(JSON.deserialize(lease, V1Lease.class)))
        .contains("2026-11-01T10:00:00.000000Z", "2026-11-01T10:00:00.123456Z");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-01T10:00:00Z",
        "2026-11-01T10:00:00.123456Z",
        "2026-11-01T10:00Z",
        "2026-11-01T10:00:00+0000",
        "2026-11-01T10:00:00+01:00"
      })
  void readsTimesAsClientJavaDoes(String time) throws IOException {
    String json = "\"" + time + "\"";

    assertThat(LenientJson.gson().fromJson(json, OffsetDateTime.class))
        .isEqualTo(new JSON.OffsetDateTimeTypeAdapter().fromJson(json));
  }

  @Test
  void whatIsNoTimeIsRefused() {
    assertThatThrownBy(() -> LenientJson.gson().fromJson("\"2026\\\"\"", OffsetDateTime.class))
        .isInstanceOf(DateTimeParseException.class);
  }

  @Test
  void textsThatComeAgainAreKeptOnce() {
    String context = "{\"spec\":{\"potentialNodes\":[\"node-1\",\"node-2\"]}}";
    List<String> one = nodes(context);
    List<String> other = nodes(context);
    assertThat(one).containsExactly("node-1", "node-2");
    assertThat(other.get(0)).isSameAs(one.get(0));
    assertThat(other.get(1)).isSameAs(one.get(1));
  }

  private static List<String> nodes(String context) {
    return LenientJson.gson()
        .fromJson(context, V1alpha2PodSchedulingContext.class)
        .getSpec()
        .getPotentialNodes();
  }

  @Test
  void readsTextsAsGsonDoes() {
    assertThat(LenientJson.gson().fromJson("[\"a\",null,true,1.50]", String[].class))
        .containsExactly("a", null, "true", "1.50");
    assertThat(LenientJson.gson().toJson(new String[] {"a", null})).isEqualTo("[\"a\",null]");
  }
}
