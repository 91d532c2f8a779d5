package io.gpudra.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.app.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters that are each broken in one way that people ask about. */
class DoctorCommandTest {
  private static final Resource INVENTORIES =
      new Resource(Cluster.DRIVER, "v1alpha1", "nodeinventories");
  private static final Resource PARAMETERS =
      new Resource(Cluster.DRIVER, "v1alpha1", "gpuclaimparameters");

  private static final String SCHEDULER = "SchedulerBindsNoClaims kube-scheduler";
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path directory;
  private Cluster cluster;

  @BeforeEach
  void healthy(@TempDir Path temporary) throws IOException {
    directory = temporary;
    cluster = new Cluster();
    cluster.addNode("worker-1");
    pod("gpudra-controller", "", "0.1.0", true);
    pod("gpudra-kubeletplugin", "worker-1", "0.1.0", true);
    lead(Instant.now());
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void lead(Instant renewed) {
    ObjectNode lease = cluster.objects.get(Resource.LEASES, "gpudra", Cluster.DRIVER).orElseThrow();
    lease
        .withObject("/spec")
        .put("holderIdentity", "one")
        .put("leaseDurationSeconds", 600)
        .put("renewTime", MICROS.format(renewed.atOffset(ZoneOffset.UTC)));
    cluster.objects.update(Resource.LEASES, lease);
  }

  private ObjectNode pod(String app, String node, String version, boolean ready) {
    ObjectNode pod =
        cluster.objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod",
                 "metadata":{"namespace":"gpudra","name":"%1$s-%3$s-%5$s",
                  "labels":{"app.kubernetes.io/name":"%1$s"}},
                 "spec":{"nodeName":"%2$s","serviceAccountName":"%1$s","containers":[
                  {"name":"c","image":"gpudra/c:%3$s","args":["--driver-name=%4$s"]}]}}"""
                    .formatted(app, node, version, Cluster.DRIVER, ready)));
    pod.withObjectProperty("status")
        .put("phase", "Running")
        .withArrayProperty("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", ready ? "True" : "False")
        .put("message", ready ? "" : "containers with unready status: [c]");
    cluster.objects.updateStatus(Resource.PODS, pod);
    return pod;
  }

  private int doctor() throws IOException {
    return Gpudra.command()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(
            "doctor",
            "--kubeconfig=" + cluster.kubeconfig(directory),
            "-o",
            "json",
            "--settle=10ms");
  }

  /** As {@code complaint subject}. */
  private List<String> found() throws IOException {
    out.getBuffer().setLength(0);
    doctor();
    JsonNode diagnoses = Json.parse(out.toString()).path("diagnoses");
    return StreamSupport.stream(diagnoses.spliterator(), false)
        .map(one -> one.path("complaint").asText() + " " + one.path("subject").asText())
        .toList();
  }

  private String what() {
    return Json.parse(out.toString()).at("/diagnoses/0/what").asText();
  }

  private void claim(String name, String parameters) {
    cluster.objects.create(
        Resource.CLAIMS,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim",
             "metadata":{"namespace":"default","name":"%s"},
             "spec":{"resourceClassName":"gpu"%s}}"""
                .formatted(
                    name,
                    parameters.isEmpty()
                        ? ""
                        : """
                          ,"parametersRef":{"apiGroup":"%s","kind":"GpuClaimParameters","name":"%s"}"""
                            .formatted(Cluster.DRIVER, parameters))));
  }

  private void parameters(String name, String spec) {
    cluster.objects.create(
        PARAMETERS,
        Json.parse(
            """
            {"apiVersion":"%s/v1alpha1","kind":"GpuClaimParameters",
             "metadata":{"namespace":"default","name":"%s"},"spec":%s}"""
                .formatted(Cluster.DRIVER, name, spec)));
  }

  private void condition(String reason, String message) {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", "worker-1").orElseThrow();
    ((ObjectNode) inventory.at("/status/conditions/0"))
        .put("status", "False")
        .put("reason", reason)
        .put("message", message);
    cluster.objects.updateStatus(INVENTORIES, inventory);
  }

  private void replace(String app, String node, String version, boolean ready) {
    cluster.objects.delete(Resource.PODS, "gpudra", app + "-0.1.0-true", Optional.empty());
    pod(app, node, version, ready);
  }

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
              "command":["kube-scheduler","--feature-gates=DynamicResourceAllocation=true"]}]}}"""
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "nvidia.com/mig-1g.5gb",
        "volcano.sh/vgpu-number",
        "aliyun.com/gpu-mem"
      })
  void aDevicePluginBesideUsIsTold(String resource) throws IOException {
    ObjectNode node = cluster.objects.get(Resource.NODES, "", "worker-1").orElseThrow();
    node.withObject("/status/allocatable").put(resource, "2");
    cluster.objects.updateStatus(Resource.NODES, node);
    assertThat(found()).containsExactly("DevicePluginToo node worker-1");
    assertThat(what()).isEqualTo("a device plugin offers 2 of its GPUs, too");
  }

  @Test
  void aDevicePluginUnderAnotherNameIsToldAsTheNodesPluginSeesIt() throws IOException {
    ObjectNode inventory = cluster.objects.get(INVENTORIES, "", "worker-1").orElseThrow();
    ((ObjectNode) inventory.at("/status/devices/0"))
        .withArray("taints")
        .addObject()
        .put("key", Cluster.DRIVER + "/foreign-use")
        .put("effect", "NoSchedule")
        .put("reason", "a device plugin hands out 8 GPUs of this node, too");
    cluster.objects.updateStatus(INVENTORIES, inventory);
    assertThat(found()).containsExactly("DevicePluginToo node worker-1");
    assertThat(what()).isEqualTo("a device plugin hands out 8 GPUs of this node, too");
  }

  @Test
  void podsThatKeepWhatADevicePluginGaveThemAreTold() throws IOException {
    abandon("worker-1");
    assertThat(found()).isEmpty();

    ObjectNode pod =
        cluster.objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"train"},
                 "spec":{"nodeName":"worker-1","containers":[
                  {"name":"c","image":"c","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}"""));
    assertThat(found()).containsExactly("DevicePluginToo node worker-1");
    assertThat(what())
        .isEqualTo("pods still have GPUs of a device plugin that has ended: default/train");

    pod.withObjectProperty("status").put("phase", "Succeeded");
    cluster.objects.updateStatus(Resource.PODS, pod);
    assertThat(found()).isEmpty();
  }

  private void abandon(String name) {
    ObjectNode node = cluster.objects.get(Resource.NODES, "", name).orElseThrow();
    node.withObject("/status/allocatable").put("nvidia.com/gpu", "0");
    cluster.objects.updateStatus(Resource.NODES, node);
  }

  @Test
  void howManyNodesADevicePluginHasLeftMakesNoDifferenceToTheServer() throws IOException {
    abandon("worker-1");
    long one = listsOfPods();
    for (int i = 2; i < 6; i++) {
      cluster.addNode("worker-" + i);
      abandon("worker-" + i);
    }
    assertThat(listsOfPods()).isEqualTo(one);
  }

  private long listsOfPods() throws IOException {
    cluster.server.requests().clear();
    assertThat(found()).isEmpty();
    return cluster
        .server
        .requests()
        .count(entry -> entry.verb().equals("list") && entry.resource().equals("pods"));
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
  void nothingIsWrittenButAccessReviews() throws IOException {
    doctor();
    Stream<String> writes =
        cluster.server.requests().all().stream()
            .filter(entry -> !List.of("get", "list").contains(entry.verb()))
            .map(entry -> entry.verb() + " " + entry.resource());
    assertThat(writes).allMatch(write -> write.contains("subjectaccessreviews"));
  }
}
