package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.kube.ServerSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerCheckTest {

  private static final ImmutableSortedSet<String> CLASSIC = ImmutableSortedSet.of("v1alpha2");

  @ParameterizedTest
  @ValueSource(ints = {27, 28, 29, 30})
  void theServersOfTheSupportMatrixAreGood(int minor) {
    assertThat(ServerCheck.problem(new ServerSupport(minor, CLASSIC))).isEmpty();
  }

  @Test
  void aServerWithoutTheGroupIsToldWhatToSwitchOn() {
    assertThat(ServerCheck.problem(new ServerSupport(30, ImmutableSortedSet.of())).orElseThrow())
        .contains("serves nothing of that group")
        .contains(
            "kube-apiserver",
            "kube-controller-manager",
            "kube-scheduler",
            "kubelet",
            "--feature-gates=DynamicResourceAllocation=true",
            "--runtime-config=resource.k8s.io/v1alpha2=true");
  }

  @Test
  void aServerOfTheNextVersionIsTold() {
    assertThat(
            ServerCheck.problem(new ServerSupport(31, ImmutableSortedSet.of("v1alpha3")))
                .orElseThrow())
        .contains("(Kubernetes 1.31) does not serve resource.k8s.io/v1alpha2, it serves v1alpha3");
  }

  @Test
  void aServerWithoutClassicAllocationIsRefusedWhateverItServes() {
    assertThat(ServerCheck.problem(new ServerSupport(32, CLASSIC)).orElseThrow())
        .contains("Kubernetes 1.32; classic dynamic resource allocation ended with 1.31");
  }

  @ParameterizedTest
  @CsvSource({"27, true, 1", "29, true, 1", "30, true, 0", "27, false, 0"})
  void gatesWithoutAPolicyAreRemarkedOn(int minor, boolean gates, int remarks) {
    assertThat(ServerCheck.remark(new ServerSupport(minor, CLASSIC), gates).stream())
        .hasSize(remarks)
        .allMatch(text -> text.startsWith("--gates on Kubernetes 1." + minor));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 26})
  void aServerOfUnknownAgeIsRefused(int minor) {
    assertThat(ServerCheck.problem(new ServerSupport(minor, CLASSIC))).isPresent();
  }
}
