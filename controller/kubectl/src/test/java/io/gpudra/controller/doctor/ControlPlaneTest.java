package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.ClusterViews;
import io.gpudra.controller.doctor.InstallationState.ApiServer;
import io.gpudra.controller.view.UserView;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ControlPlaneTest {
  private static final String DRIVER = "gpu.resource.example.com";
  private static final ImmutableSet<String> KINDS =
      ImmutableSet.of("resourceclaims", "resourceclasses", "podschedulingcontexts");
  private static final ApiServer WELL = new ApiServer(30, ImmutableSet.of("v1alpha2"), KINDS);

  /** As far as the API server's own release tells. */
  @Test
  void aSchedulerThatCannotBeSeenIsToldByItsServersRelease() {
    InstallationState well =
        patient(WELL, ImmutableMap.of(), ImmutableMap.of(), ImmutableListMultimap.of());
    assertThat(told(with(well, "1.30.2")))
        .containsExactly(
            "SchedulerBindsNoClaims kube-apiserver is of 1.30.2, and a kube-scheduler of that"
                + " release binds no pods with claims -> upgrade kube-scheduler to 1.30.3 or"
                + " later");
    assertThat(told(with(well, "1.30.3"))).isEmpty();
  }

  private static InstallationState with(InstallationState installationState, String release) {
    return new InstallationState(
        installationState.driverName(),
        installationState.server(),
        installationState.gates(),
        new SchedulerVersions.Seen(ImmutableSet.of(release), false),
        installationState.controllers(),
        installationState.plugins(),
        installationState.lease(),
        installationState.nodes(),
        installationState.leftovers(),
        installationState.outdated(),
        installationState.forbidden(),
        installationState.gatesPolicy(),
        installationState.userView(),
        installationState.unseen());
  }

  private static InstallationState patient(
      ApiServer server,
      ImmutableMap<String, Boolean> gates,
      ImmutableMap<String, ImmutableSet<String>> outdated,
      ImmutableListMultimap<String, String> forbidden) {
    ClusterView sight = ClusterViews.of(ImmutableList.of(), ImmutableList.of());
    return new InstallationState(
        DRIVER,
        server,
        gates,
        new SchedulerVersions.Seen(ImmutableSet.of("1.30.14"), true),
        ImmutableList.of(),
        ImmutableList.of(),
        Optional.empty(),
        ImmutableMap.of(),
        ImmutableListMultimap.of(),
        outdated,
        forbidden,
        /* gatesPolicy= */ true,
        UserView.of(sight, DRIVER, Instant.EPOCH),
        ImmutableList.of());
  }

  private static ImmutableList<String> told(InstallationState installationState) {
    return new ControlPlane(installationState)
        .diagnoses()
        .map(one -> one.problemKind().label() + " " + one.message() + " -> " + one.remedy())
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<String> told(ApiServer server) {
    return told(patient(server, ImmutableMap.of(), ImmutableMap.of(), ImmutableListMultimap.of()));
  }

  @Test
  void aServerWithTheApiIsWell() {
    assertThat(told(WELL)).isEmpty();
  }

  @Test
  void aServerWithoutTheApiIsToldHowToServeIt() {
    assertThat(told(new ApiServer(29, ImmutableSet.of(), ImmutableSet.of())))
        .containsExactly(
            "ApiNotServed resource.k8s.io/v1alpha2 is not served; Kubernetes 1.29 serves nothing of"
                + " that group -> start kube-apiserver with"
                + " --feature-gates=DynamicResourceAllocation=true"
                + " --runtime-config=resource.k8s.io/v1alpha2=true");
  }

  @Test
  void aServerThatIsTooNewCannotBeMended() {
    assertThat(told(new ApiServer(32, ImmutableSet.of("v1beta1"), ImmutableSet.of())))
        .singleElement()
        .asString()
        .contains("Kubernetes 1.32 serves v1beta1", "use a cluster of Kubernetes 1.27 to 1.30");
  }

  @Test
  void eachComponentWithoutTheGateIsNamed() {
    InstallationState installationState =
        patient(
            WELL,
            ImmutableMap.of("kube-scheduler", false, "kubelet of worker-1", false, "x", true),
            ImmutableMap.of(),
            ImmutableListMultimap.of());
    assertThat(told(installationState))
        .containsExactly(
            "FeatureGateOff kube-scheduler runs without feature gate DynamicResourceAllocation ->"
                + " start kube-scheduler with --feature-gates=DynamicResourceAllocation=true",
            "FeatureGateOff kubelet of worker-1 runs without feature gate DynamicResourceAllocation"
                + " -> start kubelet with --feature-gates=DynamicResourceAllocation=true");
  }

  @Test
  void rightsThatAnAccountLacksAreListed() {
    InstallationState installationState =
        patient(
            WELL,
            ImmutableMap.of(),
            ImmutableMap.of(),
            ImmutableListMultimap.of(
                "gpudra/gpudra-controller", "get pods", "gpudra/gpudra-controller", "list x"));
    assertThat(told(installationState))
        .singleElement()
        .asString()
        .startsWith("RightsMissing may not get pods, list x");
  }

  @Test
  void theGateIsReadFromTheServersOwnPage() {
    String page =
        """
        # TYPE kubernetes_feature_enabled gauge
        kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0
        kubernetes_feature_enabled{name="DynamicResourceAllocation",stage="ALPHA"} %d
        """;
    assertThat(FeatureGates.metric(page.formatted(1))).contains(true);
    assertThat(FeatureGates.metric(page.formatted(0))).contains(false);
    assertThat(FeatureGates.metric("# nothing")).isEmpty();
  }
}
