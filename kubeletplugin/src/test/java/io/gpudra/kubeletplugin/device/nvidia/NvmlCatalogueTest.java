package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NvmlCatalogueTest {

  @ParameterizedTest
  @CsvSource({
    "NVIDIA A2, 8.6, bf16 rtCores tensorCores",
    "NVIDIA A100-SXM4-40GB, 8.0, bf16 tensorCores",
    "NVIDIA A10G, 8.6, bf16 rtCores tensorCores",
    "NVIDIA L2, 8.9, bf16 fp8 rtCores tensorCores",
    "NVIDIA L20, 8.9, bf16 fp8 rtCores tensorCores",
    "NVIDIA L40S, 8.9, bf16 fp8 rtCores tensorCores",
    "NVIDIA H200, 9.0, bf16 fp8 tensorCores",
    "NVIDIA T4G, 7.5, rtCores tensorCores",
    "NVIDIA GeForce GTX 1660 SUPER, 7.5, ''",
    "NVIDIA GeForce GTX 1080, 6.1, ''",
    "NVIDIA GeForce RTX 2080, 7.5, rtCores tensorCores",
    "NVIDIA B200, 10.0, bf16 fp4 fp8 tensorCores"
  })
  void whatAGpuCanDoFollowsFromItsComputeCapabilityAndName(
      String product, String compute, String capabilities) {
    assertThat(String.join(" ", NvmlCatalogue.capabilities(compute, product)))
        .isEqualTo(capabilities);
  }

  @ParameterizedTest
  @CsvSource({"0, ''", "2, Tesla", "3, NVS", "10, NvidiaVWS", "14, Nvidia", "77, 77"})
  void aBrandWithoutANameIsToldByItsNumber(int number, String name) {
    assertThat(NvmlCatalogue.brand(number)).isEqualTo(name);
  }
}
