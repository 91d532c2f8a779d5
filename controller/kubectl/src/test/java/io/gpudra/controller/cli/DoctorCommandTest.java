package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clusters that are each broken in one way that people ask about. */
class DoctorCommandTest extends DoctorCase {
  @Test
  void aHealthyClusterIsSaidToBe() throws IOException {
    assertThat(found()).isEmpty();
    assertThat(doctor()).isZero();
  }

  @Test
  void aPluginThatWaitsForItsDriverIsTold() throws IOException {
    cluster.removeNode("worker-1");
    cluster.addNode("worker-2");
    replace("gpudra-kubeletplugin", "worker-1", "0.1.0", false);
    assertThat(found()).containsExactly("NoInventory node worker-1");
    assertThat(what()).contains("containers with unready status");
  }

  @Test
  void aNodeWithoutPluginIsTold() throws IOException {
    cluster.objects.delete(INVENTORIES, "", "worker-1", Optional.empty());
    cluster.objects.delete(
        Resource.PODS, "gpudra", "gpudra-kubeletplugin-0.1.0-true", Optional.empty());
    assertThat(found()).containsExactly("NoInventory node worker-1");
    assertThat(what()).contains("no plugin runs on it");
  }

  @Test
  void ofClaimsThatWaitTheThreeCausesAreToldApart() throws IOException {
    parameters("strict", "{\"cel\":\"device.memory > quantity('900Gi')\"}");
    parameters("both", "{\"count\":2}");
    parameters("many", "{\"count\":9}");
    claim("strict", "strict");
    claim("many", "many");
    claim("fits", "both");
    assertThat(found())
        .containsExactlyInAnyOrder(
            "NothingMatches claim default/strict", "NothingMatches claim default/many");
    assertThat(out.toString())
        .contains("spec.cel: device.memory > quantity('900Gi') is true for no GPU")
        .contains("spec.count: largest node has 2 GPUs, 9 wanted");
  }

  @Test
  void aRuntimeWithoutCdiAndADirectoryThatCannotBeWrittenAreToldApart() throws IOException {
    ObjectNode node = cluster.objects.get(Resource.NODES, "", "worker-1").orElseThrow();
    node.withObject("/status/nodeInfo").put("containerRuntimeVersion", "containerd://1.6.9");
    cluster.objects.updateStatus(Resource.NODES, node);
    assertThat(found()).containsExactly("RuntimeWithoutCdi node worker-1");
    condition("CdiDirectoryUnwritable", "/var/run/cdi: read-only file system");
    assertThat(found())
        .containsExactly("RuntimeWithoutCdi node worker-1", "CdiNotWorking node worker-1");
  }

  @Test
  void aRuntimeWhoseCdiIsSwitchedOffIsToldAsItsPluginSaw() throws IOException {
    condition("RuntimeWithoutCdi", "enable_cdi is not true in /etc/containerd/config.toml");
    assertThat(found()).containsExactly("RuntimeWithoutCdi node worker-1");
    assertThat(what()).contains("enable_cdi is not true in /etc/containerd/config.toml");
    assertThat(Json.parse(out.toString()).at("/diagnoses/0/todo").asText())
        .contains("enable_cdi = true", "restart containerd");
  }

  @ParameterizedTest
  @CsvSource({
    "registry.k8s.io/kube-scheduler:v1.28.11, kube-scheduler 1.28.11 binds no",
    "kube-scheduler:v1.29.6, kube-scheduler 1.29.6 binds no",
    "registry:5000/kube-scheduler:v1.30.2-gke.100, kube-scheduler 1.30.2 binds no",
    "kube-scheduler:v1.30.3, ''",
    "kube-scheduler:v1.30.20, ''",
    "kube-scheduler@sha256:1, ''",
    "kube-scheduler, ''",
  })
  void onlyASchedulerThatBindsNoPodsWithClaimsIsTold(String image, String what) throws IOException {
    scheduler(image);
    assertThat(found()).hasSize(what.isEmpty() ? 0 : 1).allMatch(SCHEDULER::equals);
    assertThat(what()).startsWith(what);
  }

  private void scheduler(String image) {
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"namespace":"kube-system","name":"kube-scheduler-a",
              "labels":{"component":"kube-scheduler"}},
             "spec":{"nodeName":"a","containers":[{"name":"c","image":"%s",
              "command":["kube-scheduler","--feature-gates=DynamicResourceAllocation=true"]}]}}\
            """
                .formatted(image)));
  }

  @Test
  void aClassThatNamesAnotherDriverIsTold() throws IOException {
    ObjectNode gpu = cluster.objects.get(Resource.CLASSES, "", "gpu").orElseThrow();
    gpu.put("driverName", "gpu.resources.example.com");
    cluster.objects.delete(Resource.CLASSES, "", "gpu", Optional.empty());
    gpu.withObject("/metadata").remove(List.of("uid", "resourceVersion", "creationTimestamp"));
    cluster.objects.create(Resource.CLASSES, gpu);
    assertThat(found()).containsExactly("DriverNameMismatch ResourceClasses");
    claim("waits", "");
    assertThat(found())
        .containsExactly(
            "DriverNameMismatch ResourceClasses", "DriverNameMismatch ResourceClass gpu");
  }

  @Test
  void aKubeletThatDoesNotKnowThePluginIsTold() throws IOException {
    condition("Starting", "waiting for the kubelet to register the plugin");
    assertThat(found()).containsExactly("NotRegistered node worker-1");
  }

  @Test
  void aNodeWithAGpuAndNoDriverIsTold() throws IOException {
    condition("GpuDriverNotFound", "no NVIDIA driver: install it");
    assertThat(found()).containsExactly("GpuDriverNotFound node worker-1");
    assertThat(what()).contains("no NVIDIA driver: install it");
  }

  @Test
  void aLeaseThatNobodyRenewsIsTold() throws IOException {
    lead(Instant.now().minusSeconds(3_600));
    assertThat(found()).containsExactly("NoController controller");
  }

  @Test
  void parametersThatDoNotExistAreTold() throws IOException {
    claim("waits", "nope");
    assertThat(found()).containsExactly("ClaimRefused claim default/waits");
    assertThat(what()).isEqualTo("GpuClaimParameters \"nope\" not found in namespace \"default\"");
  }

  @Test
  void aClassThatDoesNotExistIsTold() throws IOException {
    cluster.objects.delete(Resource.CLASSES, "", "gpu", Optional.empty());
    claim("waits", "");
    assertThat(found()).containsExactly("ClaimRefused claim default/waits");
    assertThat(what()).isEqualTo("ResourceClass \"gpu\" not found");
  }

  @Test
  void anOldCustomResourceIsToldWithWhatItLacks() throws IOException {
    String name = "gpuclaimparameters." + Cluster.DRIVER;
    ObjectNode crd = cluster.objects.get(Resource.CRDS, "", name).orElseThrow();
    ((ObjectNode) crd.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"))
        .remove("insideClaim");
    cluster.objects.update(Resource.CRDS, crd);
    assertThat(found()).containsExactly("CrdOutdated CustomResourceDefinition " + name);
    assertThat(what()).isEqualTo("lacks spec.insideClaim");
  }

  @Test
  void whatClaimsAndInventoriesContradictEachOtherInIsTold() throws IOException {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", "worker-1").orElseThrow();
    inventory
        .withObject("/status")
        .withArray("preparedClaims")
        .addObject()
        .put("uid", "u1")
        .put("namespace", "default")
        .put("name", "train")
        .withArray("devices")
        .add("GPU-0");
    cluster.objects.updateStatus(INVENTORIES, inventory);
    assertThat(found()).containsExactly("ClaimOrphaned claim default/train on node worker-1");
    assertThat(what()).isEqualTo("GPU-0: prepared, but the claim is gone");
    assertThat(doctor()).isEqualTo(1);
  }

  @Test
  void partsOfTwoReleasesAreTold() throws IOException {
    replace("gpudra-kubeletplugin", "worker-1", "0.2.0", true);
    assertThat(found()).containsExactly("VersionsDiffer controller and plugins");
  }

  @Test
  void podsThatWaitForAGateThatNoControllerRemovesAreTold() throws IOException {
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"train"},
             "spec":{"schedulingGates":[{"name":"%s/granted"}],"containers":[{"name":"c"}]}}\
            """
                .formatted(Cluster.DRIVER)));
    assertThat(found())
        .containsExactly("GateWithoutController scheduling gate " + Cluster.DRIVER + "/granted");
    assertThat(what()).isEqualTo("no controller runs with --gates; these pods wait: default/train");

    replica("second", "\"--gates\"");
    policy();
    assertThat(found()).isEmpty();

    holder("gpudra-controller-0.1.0-true_7");
    assertThat(found()).hasSize(1);
    assertThat(what())
        .startsWith("controller gpudra/gpudra-controller-0.1.0-true leads without --gates;");
    holder("second_1");
    assertThat(found()).isEmpty();
  }

  private void replica(String name, String option) {
    cluster.objects.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"namespace":"gpudra","name":"%s",
              "labels":{"app.kubernetes.io/name":"gpudra-controller"}},
             "spec":{"nodeName":"a","serviceAccountName":"gpudra-controller","containers":[
              {"name":"c","image":"gpudra/c:0.1.0","args":["--driver-name=%s",%s]}]}}\
            """
                .formatted(name, Cluster.DRIVER, option)));
  }

  private void holder(String identity) {
    ObjectNode lease = cluster.objects.get(Resource.LEASES, "gpudra", Cluster.DRIVER).orElseThrow();
    lease.withObject("/spec").put("holderIdentity", identity);
    cluster.objects.update(Resource.LEASES, lease);
  }

  private void policy() {
    admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies", "{}");
    binding();
  }

  private void binding() {
    admission(
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        "{\"policyName\":\"gpudra-controller-only-gates\"}");
  }

  private void admission(String kind, String plural, String spec) {
    cluster.objects.create(
        new Resource("admissionregistration.k8s.io", "v1", plural),
        Json.parse(
            """
            {"apiVersion":"admissionregistration.k8s.io/v1","kind":"%s",
             "metadata":{"name":"gpudra-controller-only-gates"},"spec":%s}\
            """
                .formatted(kind, spec)));
  }

  @Test
  void gatesWithoutTheirPolicyAreTold() throws IOException {
    replica("second", "\"--gates=false\"");
    assertThat(found()).isEmpty();
    replica("third", "\"--gates\"");
    assertThat(found()).containsExactly("PolicyMissing controller");

    admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies", "{}");
    assertThat(found()).as("without a binding").containsExactly("PolicyMissing controller");
    binding();
    assertThat(found()).isEmpty();
  }

  @Test
  void nothingIsWrittenButAccessReviews() throws IOException {
    doctor();
    Stream<String> writes =
        cluster.server.requests().all().stream()
            .filter(entry -> !List.of("get", "list").contains(entry.verb()))
            .map(entry -> entry.verb() + " " + entry.resource());
    assertThat(writes).allMatch(write -> write.contains("subjectaccessreviews"));
  }
}
