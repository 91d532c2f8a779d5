package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Pod;
import org.junit.jupiter.api.Test;

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
  void readsAndWritesTimes() {
    LenientJson.install();
    String lease =
        "{\"metadata\":{\"creationTimestamp\":\"2026-11-01T10:00:00Z\"},"
            + "\"spec\":{\"renewTime\":\"2026-11-01T10:00:00.123456Z\"}}";
    assertThat(JSON.serialize(JSON.deserialize(lease, V1Lease.class)))
        .contains("2026-11-01T10:00:00Z", "2026-11-01T10:00:00.123456Z");
  }
}
