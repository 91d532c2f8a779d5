package io.gpudra.controller.doctor.upgrade;

import static io.gpudra.controller.doctor.upgrade.UpgradeObjects.FINALIZER;
import static io.gpudra.controller.doctor.upgrade.UpgradeObjects.state;
import static io.gpudra.controller.doctor.upgrade.UpgradeObjects.told;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a cluster of 1.30 has, and the steps that come of it. */
class UpgradeChecksTest {
  private static final String SAVE = "ObjectsToTranslate? cluster";
  private static final String PODS =
      "resourceClaims: [{name: gpu, source: {resourceClaimName: c}}]";
  private static final String TEMPLATE = "template: {spec: {" + PODS + "}}";

  private static List<UpgradeStep> steps(String... objects) {
    return new UpgradeChecks(state(34, true, objects)).steps().toList();
  }

  private static String named(String name) {
    return "metadata: {namespace: team-a, name: %s}".formatted(name);
  }

  private static String owned(String apiVersion, String kind) {
    return ("metadata: {namespace: team-a, name: x,"
            + " ownerReferences: [{apiVersion: %s, kind: %s, name: o, controller: true}]}")
        .formatted(apiVersion, kind);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "Deployment  | replicas: 3       | WorkloadRuns  | kubectl -n team-a scale deployment x --replicas=0",
        "StatefulSet | replicas: 1       | WorkloadRuns  | kubectl -n team-a scale statefulset x --replicas=0",
        "ReplicaSet  | replicas: 1       | WorkloadRuns  | kubectl -n team-a scale replicaset x --replicas=0",
        "ReplicationController | replicas: 1 | WorkloadRuns"
            + " | kubectl -n team-a scale replicationcontroller x --replicas=0",
        "Job         | suspend: false    | JobRuns"
            + " | kubectl -n team-a patch job x --type=merge -p '{\"spec\":{\"suspend\":true}}'",
        "DaemonSet   | paused: false     | DaemonSetRuns | kubectl -n team-a delete daemonset x",
      })
  void aWorkloadIsStopped(String kind, String field, String label, String command) {
    String workload = "%s {%s, spec: {%s, %s}}".formatted(kind, named("x"), field, TEMPLATE);

    assertThat(steps(workload))
        .filteredOn(step -> step.kind().label().equals(label))
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.subject()).isEqualTo(kind + " team-a/x");
              assertThat(step.command()).isEqualTo(command);
              assertThat(step.kind().blocking()).isTrue();
            });
  }

  @Test
  void theReplicasThatAWorkloadHadAreToldBeforeTheyAreGone() {
    assertThat(steps("Deployment {%s, spec: {replicas: 3, %s}}".formatted(named("x"), TEMPLATE)))
        .extracting(UpgradeStep::message)
        .contains("keeps pods with claims; replicas: 3");
  }

  @Test
  void aWorkloadThatWasStoppedStillLosesTheNamesOfItsClaims() {
    assertThat(
            told(
                steps("Deployment {%s, spec: {replicas: 0, %s}}".formatted(named("x"), TEMPLATE))
                    .stream()))
        .containsExactly(SAVE, "ReferenceVanishes Deployment team-a/x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Job                | spec: {suspend: true, <T>}",
        "CronJob            | spec: {suspend: true, jobTemplate: {spec: {<T>}}}",
        "PodTemplate        | <T>",
        "ControllerRevision | data: {spec: {<T>}}",
      })
  void everyStoredTemplateIsDeleted(String kind, String fields) {
    String object = "%s {%s, %s}".formatted(kind, named("x"), fields.replace("<T>", TEMPLATE));

    assertThat(told(steps(object).stream()))
        .containsExactly(SAVE, "ReferenceVanishes " + kind + " team-a/x");
  }

  @Test
  void aJobThatEndedIsNotSuspended() {
    String job =
        "Job {%s, spec: {%s}, status: {conditions: [{type: Failed, status: 'True'}]}}"
            .formatted(named("x"), TEMPLATE);

    assertThat(told(steps(job).stream())).doesNotContain("JobRuns Job team-a/x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ReplicaSet | apps/v1  | Deployment | spec: {replicas: 2, <T>}",
        "Pod        | apps/v1  | ReplicaSet | spec: {<P>}",
        "Pod        | batch/v1 | Job        | spec: {<P>}",
        "ControllerRevision | apps/v1 | StatefulSet | data: {spec: {<T>}}",
      })
  void whatGoesWithItsOwnerIsNotTold(String kind, String version, String owner, String fields) {
    String object =
        "%s {%s, %s}"
            .formatted(
                kind, owned(version, owner), fields.replace("<T>", TEMPLATE).replace("<P>", PODS));

    assertThat(steps(object)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Pod        | spec: {<P>}              | stop Rollout team-a/o of example.com/v1",
        "ReplicaSet | spec: {replicas: 1, <T>} | stop Rollout team-a/o of example.com/v1",
        "DaemonSet  | spec: {<T>}              | delete Rollout team-a/o of example.com/v1",
      })
  void anOwnerThatWouldUndoTheCommandIsNamedInItsPlace(String kind, String fields, String command) {
    String object =
        "%s {%s, %s}"
            .formatted(
                kind,
                owned("example.com/v1", "Rollout"),
                fields.replace("<T>", TEMPLATE).replace("<P>", PODS));

    assertThat(steps(object)).extracting(UpgradeStep::command).contains(command);
  }

  @Test
  void aJobOfACronJobIsSuspendedItself() {
    String job = "Job {%s, spec: {%s}}".formatted(owned("batch/v1", "CronJob"), TEMPLATE);

    assertThat(told(steps(job).stream())).containsExactly("JobRuns Job team-a/x");
  }

  @Test
  void aPodIsSaidToBeHeldByItsGate() {
    String pod =
        "Pod {%s, spec: {%s, schedulingGates: [{name: gpu.resource.example.com/granted}]}}"
            .formatted(named("x"), PODS);

    assertThat(steps(pod).get(0).message())
        .isEqualTo("has claims; scheduling gate gpu.resource.example.com/granted holds it");
    assertThat(steps(pod).get(0).command()).isEqualTo("kubectl -n team-a delete pod x");
  }

  @Test
  void whatHasNoClaimsIsLeftAlone() {
    assertThat(steps("Pod {%s, spec: {}}".formatted(named("x")))).isEmpty();
    assertThat(steps("Deployment {%s, spec: {template: {spec: {}}}}".formatted(named("x"))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ResourceClaim         | ClaimStored    | kubectl -n team-a delete resourceclaim x",
        "PodSchedulingContext  | ContextStored  | kubectl -n team-a delete podschedulingcontext x",
        "ResourceClaimTemplate | TemplateStored | kubectl -n team-a delete resourceclaimtemplate x",
      })
  void oneStoredObjectOfAnyDriverBlocks(String kind, String label, String command) {
    List<UpgradeStep> steps =
        steps("%s {%s, spec: {resourceClassName: of-another-driver}}".formatted(kind, named("x")));

    assertThat(told(steps.stream())).containsExactly(SAVE, label + " " + kind + " team-a/x");
    assertThat(steps.get(1).command()).isEqualTo(command);
  }

  @Test
  void aClassOfAnotherDriverBlocks() {
    List<UpgradeStep> steps =
        steps("ResourceClass {metadata: {name: nic}, driverName: nic.example.com}");

    assertThat(told(steps.stream())).containsExactly(SAVE, "ClassStored ResourceClass nic");
    assertThat(steps.get(1).command()).isEqualTo("kubectl delete resourceclass nic");
  }

  @Test
  void onlyALeaderRemovesFinalizers() {
    String claim = "ResourceClaim {metadata: {namespace: a, name: c, finalizers: [%s]}}";
    String ours = claim.formatted(FINALIZER);
    String others = claim.formatted("nic.example.com/deletion-protection");

    assertThat(told(new UpgradeChecks(state(34, false, ours)).steps()))
        .containsExactly(SAVE, "NoLeader controller", "ClaimStored ResourceClaim a/c");
    assertThat(told(new UpgradeChecks(state(34, true, ours)).steps()))
        .doesNotContain("NoLeader controller");
    assertThat(told(new UpgradeChecks(state(34, false, others)).steps()))
        .doesNotContain("NoLeader controller");
  }

  @Test
  void aPluginThatHoldsClaimsIsWaitedFor() {
    String holds =
        "NodeInventory {metadata: {name: n}, status: {preparedClaims: [{namespace: a, name: c}]}}";

    assertThat(told(steps(holds).stream())).containsExactly("ClaimsPrepared NodeInventory n");
    assertThat(steps(holds).get(0).message()).isEqualTo("the plugin of the node holds a/c");
    assertThat(steps("NodeInventory {metadata: {name: n}, status: {}}")).isEmpty();
  }

  @Test
  void theGuardsOfTheDriverAreTold() {
    List<UpgradeStep> steps =
        steps(
            "ValidatingWebhookConfiguration {metadata: {name: gpudra-webhook, annotations:"
                + " {meta.helm.sh/release-name: gpus, meta.helm.sh/release-namespace: gpudra}}}",
            "ValidatingWebhookConfiguration {metadata: {name: others}}",
            "ValidatingAdmissionPolicy {metadata: {name: gpudra-kubeletplugin-own-inventory}}");

    assertThat(steps).allMatch(step -> !step.kind().blocking());
    assertThat(steps)
        .extracting(UpgradeStep::command)
        .containsExactly(
            "helm uninstall -n gpudra gpus",
            "kubectl delete validatingadmissionpolicy gpudra-kubeletplugin-own-inventory");
  }

  @ParameterizedTest
  @CsvSource({
    "v1.30.14, containerd://1.7.27, 34, 'StateFileStays? Node n'",
    "v1.31.0, containerd://1.7.27, 34, ''",
    "v1.31.0, containerd://1.7.27, 35, 'CgroupsUnknown? nodes'",
    "v1.31.0, containerd://1.7.27, 36, 'RuntimeTooOld? Node n,CgroupsUnknown? nodes'",
    "v1.31.0, containerd://2.0.1, 36, 'CgroupsUnknown? nodes'",
  })
  void aNodeNeedsWhatTheTargetAsksFor(String kubelet, String runtime, int target, String told) {
    String node =
        "Node {metadata: {name: n}, status: {nodeInfo: {kubeletVersion: %s, containerRuntimeVersion: '%s'}}}"
            .formatted(kubelet, runtime);

    assertThat(String.join(",", told(new UpgradeChecks(state(target, true, node)).steps())))
        .isEqualTo(told);
  }

  @Test
  void theStepsAreInTheOrderInWhichTheyAreTaken() {
    List<UpgradeStep> steps =
        new UpgradeChecks(
                state(
                    36,
                    false,
                    "Node {metadata: {name: n}, status: {nodeInfo: {kubeletVersion: v1.30.1,"
                        + " containerRuntimeVersion: 'containerd://1.7.1'}}}",
                    "ValidatingWebhookConfiguration {metadata: {name: gpudra-webhook}}",
                    "ResourceClass {metadata: {name: gpu}}",
                    "ResourceClaimTemplate {%s}".formatted(named("t")),
                    "PodSchedulingContext {%s}".formatted(named("s")),
                    "ResourceClaim {metadata: {name: c, finalizers: [%s]}}".formatted(FINALIZER),
                    "NodeInventory {metadata: {name: n}, status: {preparedClaims: [{name: c}]}}",
                    "Pod {%s, spec: {%s}}".formatted(named("p"), PODS),
                    "DaemonSet {%s, spec: {%s}}".formatted(named("d"), TEMPLATE),
                    "CronJob {%s, spec: {jobTemplate: {spec: {%s}}}}"
                        .formatted(named("j"), TEMPLATE),
                    "Deployment {%s, spec: {%s}}".formatted(named("w"), TEMPLATE)))
            .steps()
            .toList();

    assertThat(steps).extracting(UpgradeStep::kind).isSorted();
    assertThat(steps)
        .extracting(UpgradeStep::kind)
        .contains(Arrays.copyOf(UpgradeStep.StepKind.values(), 16));
  }
}
