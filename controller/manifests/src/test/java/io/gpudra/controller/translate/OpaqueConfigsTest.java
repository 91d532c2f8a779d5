package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpaqueConfigsTest {
  private static final OpaqueConfigs CONFIGS = new OpaqueConfigs("d.example.com");

  private static JsonNode json(String yaml) {
    return YamlDocuments.of(yaml).documents().get(0).root().value();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{strategy: TimeSlicing, timeSlicingConfig: {interval: Long}}",
        "{strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 50,"
            + " defaultPinnedDeviceMemoryLimit: 10Gi,"
            + " defaultPerDevicePinnedMemoryLimit: {'0': 5Gi}}}",
        "{strategy: SpacePartitioning, spacePartitioningConfig: {partitionCount: 10}}",
        "{}"
      })
  void whatIsWrittenIsReadAgain(String sharing) {
    JsonNode parameters =
        json("{apiVersion: d.example.com/v1, kind: GpuConfig, sharing: %s}".formatted(sharing));

    OpaqueConfigs.Settings settings = CONFIGS.read(parameters);

    assertThat(settings.unread()).isEmpty();
    assertThat(CONFIGS.write(settings.sharing().orElseThrow())).hasToString(parameters.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "apiVersion: resource.nvidia.com/v1beta1, kind: GpuConfig",
        "apiVersion: resource.nvidia.com/v1beta1, kind: MigDeviceConfig",
        "apiVersion: gpu.resource.example.com/v1alpha1, kind: GpuConfig"
      })
  void theFieldsOfOtherDriversHaveTheSameNames(String type) {
    OpaqueConfigs.Settings settings =
        CONFIGS.read(json("{%s, sharing: {strategy: MPS}}".formatted(type)));

    assertThat(settings.sharing().orElseThrow().strategy()).isEqualTo("MPS");
    assertThat(settings.unread()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      textBlock =
          """
          kind: GpuConfig, multiUser: true                               => multiUser
          kind: GpuConfig, sharing: {strategy: MPS, mpsConfig: {x: 1}}   => sharing.mpsConfig.x
          kind: GpuConfig, sharing: {mpsConfig: {defaultActiveThreadPercentage: many}} => sharing
          kind: VfioDeviceConfig                                         => ``
          kind: ComputeDomainChannelConfig, domainID: x                  => ``
          """)
  void whatHasNoEqualIsTold(String fields, String unread) {
    assertThat(
            CONFIGS
                .read(json("{apiVersion: resource.nvidia.com/v1beta1, %s}".formatted(fields)))
                .unread())
        .containsExactly(unread);
  }

  @Test
  void parametersOfAnotherGroupAreNoneOfTheseDrivers() {
    assertThat(CONFIGS.read(json("{apiVersion: other.example.com/v1, kind: GpuConfig}")).unread())
        .containsExactly("");
  }
}
