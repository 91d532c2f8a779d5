package io.gpudra.controller.doctor.upgrade;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.doctor.upgrade.UpgradeStep.StepKind;
import io.gpudra.crds.text.ListText;
import java.util.Optional;
import java.util.stream.Stream;

/** The steps before the API server is replaced, in their order. */
record UpgradeChecks(UpgradeState state) {
  private static final int CGROUP_V2 = 35;
  private static final int CONTAINERD_2 = 36;

  Stream<UpgradeStep> steps() {
    return Stream.of(
            translation(),
            workloads(),
            jobs(),
            daemonSets(),
            pods(),
            leader(),
            prepared(),
            stored(),
            podTemplates(),
            guards(),
            stateFiles(),
            runtimes(),
            cgroups())
        .flatMap(steps -> steps);
  }

  private Stream<UpgradeStep> translation() {
    return Stream.concat(stored(), podTemplates()).findAny().isEmpty()
        ? Stream.empty()
        : Stream.of(
            new UpgradeStep(
                StepKind.OBJECTS_TO_TRANSLATE,
                "cluster",
                "classes, claims and workloads can be translated only while they can be read",
                "kubectl gpudra migrate --from-cluster -A -o new/"));
  }

  private Stream<UpgradeStep> workloads() {
    return state
        .replicated()
        .filter(one -> replicas(one) > 0)
        .map(
            one ->
                one.stepUnlessOwned(
                    StepKind.WORKLOAD_RUNS,
                    "keeps pods with claims; replicas: " + replicas(one),
                    "stop",
                    one.kubectl("scale", " --replicas=0")));
  }

  private static int replicas(StoredObject workload) {
    return workload.json().at("/spec/replicas").asInt(1);
  }

  /** Jobs of a CronJob, too: its suspension ends none. */
  private Stream<UpgradeStep> jobs() {
    return state
        .all(StoredKind.CRON_JOB, StoredKind.JOB)
        .filter(job -> !job.json().at("/spec/suspend").asBoolean())
        .filter(job -> !job.hasCondition("Complete") && !job.hasCondition("Failed"))
        .map(
            job ->
                job.stepUnlessOwned(
                    StepKind.JOB_RUNS,
                    "creates pods with claims",
                    "stop",
                    job.kubectl("patch", " --type=merge -p '{\"spec\":{\"suspend\":true}}'")));
  }

  private Stream<UpgradeStep> daemonSets() {
    return state
        .roots(StoredKind.DAEMON_SET)
        .map(one -> deletion(one, StepKind.DAEMON_SET_RUNS, "keeps pods with claims"));
  }

  private static UpgradeStep deletion(StoredObject object, StepKind step, String message) {
    return object.stepUnlessOwned(step, message, "delete", object.kubectl("delete", ""));
  }

  private Stream<UpgradeStep> pods() {
    return state
        .roots(StoredKind.POD)
        .map(
            pod ->
                pod.stepUnlessOwned(
                    StepKind.POD_HAS_CLAIMS,
                    "has claims" + gate(pod),
                    "stop",
                    pod.kubectl("delete", "")));
  }

  private static String gate(StoredObject pod) {
    return Streams.stream(pod.json().at("/spec/schedulingGates"))
        .map(gate -> "; scheduling gate %s holds it".formatted(gate.path("name").asText()))
        .findFirst()
        .orElse("");
  }

  private Stream<UpgradeStep> leader() {
    long held =
        state.all(StoredKind.CLAIM).filter(one -> one.hasFinalizer(state.finalizer())).count();
    return held == 0 || state.led()
        ? Stream.empty()
        : Stream.of(
            new UpgradeStep(
                StepKind.NO_LEADER,
                "controller",
                "none leads; claims with a finalizer that only the leader removes: " + held,
                "start the controller"));
  }

  private Stream<UpgradeStep> prepared() {
    return state
        .all(StoredKind.INVENTORY)
        .map(
            inventory ->
                inventory.step(
                    StepKind.CLAIMS_PREPARED,
                    "the plugin of the node holds " + ListText.of(held(inventory)),
                    "wait for the end of their pods"));
  }

  private static ImmutableList<String> held(StoredObject inventory) {
    return Streams.stream(inventory.json().at("/status/preparedClaims"))
        .map(claim -> claim.path("namespace").asText() + "/" + claim.path("name").asText())
        .collect(ImmutableList.toImmutableList());
  }

  private Stream<UpgradeStep> stored() {
    return Stream.of(
            stored(StoredKind.CLAIM, StepKind.CLAIM_STORED),
            stored(StoredKind.CONTEXT, StepKind.CONTEXT_STORED),
            stored(StoredKind.TEMPLATE, StepKind.TEMPLATE_STORED),
            stored(StoredKind.RESOURCE_CLASS, StepKind.CLASS_STORED))
        .flatMap(steps -> steps);
  }

  private Stream<UpgradeStep> stored(StoredKind kind, StepKind step) {
    return state
        .all(kind)
        .map(
            one ->
                one.step(
                    step,
                    "is stored in v1alpha2, which no later API server reads",
                    one.kubectl("delete", "")));
  }

  /** Without DaemonSets and pods, whose steps are deletions, too. */
  private Stream<UpgradeStep> podTemplates() {
    return Stream.concat(
            state.replicated(),
            state.roots(
                StoredKind.CRON_JOB,
                StoredKind.JOB,
                StoredKind.POD_TEMPLATE,
                StoredKind.CONTROLLER_REVISION))
        .map(
            one ->
                deletion(
                    one,
                    StepKind.REFERENCE_VANISHES,
                    "later API servers drop the claims' names from its pod template"));
  }

  private Stream<UpgradeStep> guards() {
    return state
        .all(
            StoredKind.VALIDATING_WEBHOOK,
            StoredKind.MUTATING_WEBHOOK,
            StoredKind.POLICY,
            StoredKind.BINDING)
        .map(
            guard ->
                guard.step(
                    StepKind.GUARD_INSTALLED,
                    "belongs to the driver, which does not run on later versions",
                    release(guard).orElseGet(() -> guard.kubectl("delete", ""))));
  }

  private static Optional<String> release(StoredObject guard) {
    String name = guard.text("/metadata/annotations/meta.helm.sh~1release-name");
    String namespace = guard.text("/metadata/annotations/meta.helm.sh~1release-namespace");
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of("helm uninstall -n %s %s".formatted(namespace, name));
  }

  private Stream<UpgradeStep> stateFiles() {
    return state
        .classicNodes()
        .map(
            node ->
                node.step(
                    StepKind.STATE_FILE_STAYS,
                    "later kubelets do not start on the state file of this one",
                    "with the kubelet stopped: " + LeftoverChecks.REMOVAL));
  }

  private Stream<UpgradeStep> runtimes() {
    return state
        .all(StoredKind.NODE)
        .filter(node -> state.target() >= CONTAINERD_2)
        .filter(node -> runtime(node).startsWith("containerd://1."))
        .map(
            node ->
                node.step(
                    StepKind.RUNTIME_TOO_OLD,
                    "Kubernetes 1.36 and later need containerd 2, not " + runtime(node),
                    "upgrade containerd"));
  }

  private static String runtime(StoredObject node) {
    return node.text("/status/nodeInfo/containerRuntimeVersion");
  }

  private Stream<UpgradeStep> cgroups() {
    return state.target() < CGROUP_V2 || state.objects().get(StoredKind.NODE).isEmpty()
        ? Stream.empty()
        : Stream.of(
            new UpgradeStep(
                StepKind.CGROUPS_UNKNOWN,
                "nodes",
                "kubelet 1.35 and later need cgroup v2, unless their failCgroupV1 is false",
                "on each node: stat -fc %T /sys/fs/cgroup, which prints cgroup2fs for v2"));
  }
}
