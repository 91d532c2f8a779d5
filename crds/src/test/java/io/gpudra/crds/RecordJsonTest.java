package io.gpudra.crds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.gson.Gson;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import io.gpudra.crds.api.quota.GpuQuota;
import io.kubernetes.client.openapi.JSON;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordJsonTest {

  private final Gson gson = JSON.createGson().create();
  private final JsonMapper jackson = new JsonMapper();

  private static final String CLAIM =
      """
      {"apiVersion":"gpu.resource.example.com/v1alpha1","kind":"GpuClaimParameters",
       "spec":{"count":2,"memory":"40Gi","cel":"true","shareable":false,"placement":"spread"}}""";
  private static final String PARTS =
      """
      {"apiVersion":"gpu.resource.example.com/v1alpha1","kind":"GpuClaimParameters",
       "spec":{"all":true,"memoryPerGpu":"40Gi","capabilities":["ecc"],"migProfile":"1g.5gb",
       "mode":"shared","memoryLimit":"4Gi","millicores":500,
       "sharing":{"strategy":"MPS","timeSlicingConfig":{"interval":"Long"},
       "mpsConfig":{"defaultActiveThreadPercentage":50,"defaultPinnedDeviceMemoryLimit":"1Gi",
       "defaultPerDevicePinnedMemoryLimit":{"0":"2Gi"}},"spacePartitioningConfig":{"partitionCount":4}},
       "requests":[{"name":"a","count":2}],"alternatives":[{"cel":"true"},{}],
       "topology":"nvlink","topologyPolicy":"Preferred","sameAttribute":["pcieRoot"],
       "insideClaim":"gpu","tolerations":[{"key":"k","operator":"Equal","value":"v",
       "effect":"NoExecute","tolerationSeconds":30}]}}""";
  private static final String CLASS =
      """
      {"apiVersion":"gpu.resource.example.com/v1alpha1","kind":"GpuClassParameters",
       "spec":{"deviceSelector":[{"type":"*","name":"*A100*"}],"placement":"pack",
       "namespaceSelector":{"matchLabels":{"team":"a"},
       "matchExpressions":[{"key":"k","operator":"In","values":["v"]}]},
       "mode":"shared","monitor":true,"sharing":{"strategy":"TimeSlicing"},
       "topology":"numa","topologyPolicy":"Preferred","enforceLimits":true,
       "forbiddenAttributes":["node","uuid"],
       "memoryOvercommitPercent":150,"limits":{"devicesPerClaim":4,"claimDuration":"24h"}}}""";
  private static final String QUOTA =
      """
      {"apiVersion":"gpu.resource.example.com/v1alpha1","kind":"GpuQuota",
       "spec":{"resourceClassNames":["a"],"hard":{"gpus":"2500m","memory":"200Gi"}},
       "status":{"used":{"gpus":"2","memory":"160Gi"},"waitingClaims":1,"conditions":[
        {"type":"Exceeded","status":"True","reason":"InUse","message":"m",
        "lastTransitionTime":"2026-11-21T08:00:00Z"}]}}""";
  private static final String INVENTORY =
      """
      {"apiVersion":"gpu.resource.example.com/v1alpha1","kind":"NodeInventory",
       "spec":{"taints":[{"device":"*","key":"k","value":"v","effect":"NoSchedule","reason":"r",
        "until":"2026-11-21T08:00:00Z"}]},
       "status":{"driverName":"d","heartbeatSeconds":60,"models":[{"name":"T4","nominalMemory":17179869184,
       "capabilities":["tensorCores"],"migProfiles":[{"profile":"1g.5gb","memory":1,"compute":1,
        "size":1,"starts":[0],"most":7}]}],"handleFormat":2,"gpusTainted":1,
        "links":[{"devices":["gpu-0","gpu-1"],"type":"NVLink","lanes":2}],"devices":[{"name":"gpu-0","uuid":"GPU-0","index":0,"model":"T4",
       "memory":16106127360,"attributes":{"pcieDeviceID":"1eb8"},"mig":"Enabled","migSwitchable":true,"migDevices":[{"uuid":"MIG-0",
        "profile":"1g.5gb","start":0,"size":1,"claimUID":"u","foreign":true}],"taints":[{"key":"k",
        "value":"v","effect":"NoExecute","reason":"r","timeAdded":"2026-11-21T08:00:00Z"}]}],"preparedClaims":[{"uid":"u","devices":["gpu-0"],"parts":[{"name":"n","uuid":"GPU-0","parent":"GPU-0",
        "profile":"1g.5gb","at":[0,1],"compute":1,"ci":[0,1],"memory":"4Gi","millicores":500,"pinned":"1Gi",
        "sharing":1,"overcommit":150,"existing":true,"inside":"u","held":true,"request":"r"}],"sharing":[
        {"strategy":"MPS","threads":50},{"strategy":"TimeSlicing","interval":"Long"},
        {"strategy":"SpacePartitioning","parts":10}]}]}}""";

  @Test
  void gsonAndJacksonReadTheSame() throws JsonProcessingException {
    assertSame(CLAIM, GpuClaimParameters.class);
    assertSame(PARTS, GpuClaimParameters.class);
    assertSame(CLASS, GpuClassParameters.class);
    assertSame(QUOTA, GpuQuota.class);
    assertSame(INVENTORY, NodeInventory.class);
  }

  @Test
  void everyFieldArrives() {
    assertThat(gson.fromJson(CLAIM, GpuClaimParameters.class).spec())
        .isEqualTo(GpuClaimParametersSpec.of(2, "40Gi", "true", false, PlacementPolicy.SPREAD));
  }

  @Test
  void gsonAndJacksonWriteTheSameAndNothingThatIsAbsent() throws JsonProcessingException {
    for (String json : List.of(CLAIM, PARTS, CLASS, QUOTA, INVENTORY)) {
      Class<?> type =
          json.contains(GpuClaimParameters.KIND) ? GpuClaimParameters.class : otherType(json);
      Object object = gson.fromJson(json, type);

      assertThat(jackson.readTree(jackson.writeValueAsString(object)))
          .isEqualTo(jackson.readTree(json));
      assertThat(jackson.readTree(gson.toJson(object))).isEqualTo(jackson.readTree(json));
    }
  }

  private static Class<?> otherType(String json) {
    if (json.equals(QUOTA)) {
      return GpuQuota.class;
    }
    return json.equals(CLASS) ? GpuClassParameters.class : NodeInventory.class;
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = ';',
      value = {
        "{\"spec\":{\"count\":1,\"fieldOfTheFuture\":{\"a\":[1]}}}",
        "{\"spec\":{\"count\":1,\"placement\":\"balanced\"}}",
        "{\"spec\":{\"count\":1},\"status\":{\"anything\":true}}"
      })
  void whatALaterSchemaAddsIsSkippedByBoth(String json) throws JsonProcessingException {
    // The client's own Gson differs from a plain one only for its generated models.
    GpuClaimParameters read = gson.fromJson(json, GpuClaimParameters.class);

    assertThat(read.spec()).isEqualTo(GpuClaimParametersSpec.of(1, null, null, null, null));
    assertThat(jackson.readValue(json, GpuClaimParameters.class)).isEqualTo(read);
  }

  /** Taken for an absent one it would grant something else than what was asked for. */
  @Test
  void aModeOfALaterSchemaStaysAsItIsWritten() throws JsonProcessingException {
    String json = "{\"mode\":\"reserved\",\"capabilities\":[\"fp2\"]}";

    assertThat(gson.fromJson(json, DeviceRequest.class).mode()).isEqualTo("reserved");
    assertThat(jackson.readValue(json, DeviceRequest.class).capabilities()).containsExactly("fp2");
  }

  @Test
  void aMigModeOfALaterPluginReadsAsAbsent() throws JsonProcessingException {
    String json = "{\"name\":\"gpu-0\",\"mig\":\"Switchable\"}";

    assertThat(gson.fromJson(json, NodeInventoryStatus.Device.class).mig()).isNull();
    assertThat(jackson.readValue(json, NodeInventoryStatus.Device.class).mig()).isNull();
  }

  @Test
  void jacksonReadsMetadataOfTheClient() throws JsonProcessingException {
    String json = "{\"metadata\":{\"name\":\"x\",\"generation\":3}}";

    assertThat(jackson.readValue(json, GpuClaimParameters.class).metadata().getGeneration())
        .isEqualTo(3);
  }

  private <T> void assertSame(String json, Class<T> type) throws JsonProcessingException {
    assertThat(jackson.readValue(json, type)).isEqualTo(gson.fromJson(json, type));
  }
}
