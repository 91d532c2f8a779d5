package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.LiftReason;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Json;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Objects of the server as the ports of the controller tell of them. */
final class Facts {
  static final String DRIVER = "gpu.resource.example.com";
  static final String GATE = DRIVER + "/granted";
  static final String GROUP = DRIVER + "/group";
  static final String GROUP_SIZE = DRIVER + "/group-size";
  static final String KUEUES_GROUP = "kueue.x-k8s.io/pod-group-name";
  static final String KUEUES_SIZE = "kueue.x-k8s.io/pod-group-total-count";

  private static final String FINALIZER = new ClaimEdits(DRIVER).finalizer();

  private Facts() {}

  static ClaimFacts claim(JsonNode claim) {
    ClaimRef ref = new ClaimRef(Meta.namespace(claim), Meta.name(claim));
    JsonNode owner = Meta.controller(claim);
    return new ClaimFacts(
        ref,
        new ClaimUid(Meta.uid(claim)),
        Json.text(claim, "metadata.resourceVersion"),
        created(claim),
        Json.text(claim, "spec.resourceClassName"),
        parameters(ref, Json.at(claim, "spec.parametersRef")),
        Json.text(claim, "spec.allocationMode").equals("Immediate") ? Mode.IMMEDIATE : Mode.DELAYED,
        Meta.deleting(claim),
        Json.at(claim, "status.deallocationRequested").asBoolean(),
        hasFinalizer(claim),
        /* hasBuiltinFinalizer= */ false,
        granted(claim.path("status")),
        mayStillBePrepared(claim.path("status")),
        uids(Json.at(claim, "status.reservedFor")),
        owner.isMissingNode() ? Optional.empty() : Optional.of(owner.path("uid").asText()));
  }

  /** Whose claims a class makes. */
  static String driver(JsonNode resourceClass) {
    return resourceClass.path("driverName").asText();
  }

  private static Instant created(JsonNode object) {
    return Instant.parse(Json.text(object, "metadata.creationTimestamp"));
  }

  private static Optional<ParametersRef> parameters(ClaimRef claim, JsonNode ref) {
    return ref.isObject()
        ? Optional.of(
            new ParametersRef(
                ref.path("apiGroup").asText(),
                ref.path("kind").asText(),
                Optional.of(claim.namespace()),
                ref.path("name").asText()))
        : Optional.empty();
  }

  private static boolean hasFinalizer(JsonNode claim) {
    for (JsonNode finalizer : Json.at(claim, "metadata.finalizers")) {
      if (finalizer.asText().equals(FINALIZER)) {
        return true;
      }
    }
    return false;
  }

  private static Optional<Granted> granted(JsonNode status) {
    JsonNode allocation = status.path("allocation");
    if (!allocation.isObject()) {
      return Optional.empty();
    }
    String driver = status.path("driverName").asText();
    return Optional.of(
        new Granted(driver, Optional.of(handle(allocation)).filter(h -> driver.equals(DRIVER))));
  }

  private static boolean mayStillBePrepared(JsonNode status) {
    return !status.path("allocation").isObject()
        && status.path("driverName").asText().equals(DRIVER);
  }

  private static ResourceHandle handle(JsonNode allocation) {
    return new ResourceHandle(
        allocation.path("resourceHandles").path(0).path("data").asText(),
        Optional.of(
            allocation.at("/availableOnNodes/nodeSelectorTerms/0/matchFields/0/values/0").asText()),
        allocation.path("shareable").asBoolean());
  }

  private static ImmutableSet<String> uids(JsonNode consumers) {
    ImmutableSet.Builder<String> uids = ImmutableSet.builder();
    consumers.forEach(consumer -> uids.add(consumer.path("uid").asText()));
    return uids.build();
  }

  static ContextFacts context(JsonNode context) {
    ImmutableMap.Builder<String, ImmutableSet<String>> unsuitable = ImmutableMap.builder();
    Json.at(context, "status.resourceClaims")
        .forEach(
            entry ->
                unsuitable.put(
                    entry.path("name").asText(),
                    ImmutableSet.copyOf(Json.texts(entry, "unsuitableNodes"))));
    return new ContextFacts(
        new PodRef(
            Meta.namespace(context),
            Meta.name(context),
            Meta.controller(context).path("uid").asText()),
        Meta.uid(context),
        Json.text(context, "metadata.resourceVersion"),
        created(context),
        Meta.deleting(context),
        Optional.of(Json.text(context, "spec.selectedNode")).filter(node -> !node.isEmpty()),
        ImmutableSet.copyOf(Json.texts(context, "spec.potentialNodes")),
        unsuitable.buildKeepingLast());
  }

  static PodFacts pod(Pod pod) {
    ImmutableList<PodClaim> claims =
        pod.claims(Profile.V1_30).stream()
            .map(entry -> new PodClaim(entry.entry(), resolution(pod, entry)))
            .collect(ImmutableList.toImmutableList());
    return new PodFacts(
        ref(pod),
        new WaitRank(Json.at(pod.json(), "spec.priority").asInt(), created(pod.json())),
        group(pod),
        pod.deleting(),
        pod.terminal(),
        claims,
        containers(pod, claims));
  }

  private static PodRef ref(Pod pod) {
    return new PodRef(pod.namespace(), pod.name(), pod.uid());
  }

  /** By our own labels, which Kueue's may contradict, or by Kueue's. */
  private static Optional<GroupLabel> group(Pod pod) {
    JsonNode labels = Json.at(pod.json(), "metadata.labels");
    JsonNode annotations = Json.at(pod.json(), "metadata.annotations");
    GroupLabel kueues =
        new GroupLabel(
            GroupLabel.Kind.KUEUE,
            labels.path(KUEUES_GROUP).asText(),
            annotations.path(KUEUES_SIZE).asText(),
            /* disputed= */ false);
    if (labels.has(GROUP)) {
      String name = labels.path(GROUP).asText();
      String size = labels.path(GROUP_SIZE).asText();
      boolean same = name.equals(kueues.name()) && size.equals(kueues.size());
      boolean disputed = labels.has(KUEUES_GROUP) && !same;
      return Optional.of(new GroupLabel(GroupLabel.Kind.OWN, name, size, disputed));
    }
    return labels.has(KUEUES_GROUP) ? Optional.of(kueues) : Optional.empty();
  }

  static ImmutableSet<String> gates(Pod pod) {
    return ImmutableSet.copyOf(
        Json.at(pod.json(), "spec.schedulingGates").findValuesAsText("name"));
  }

  static GatedPod gatedPod(Pod pod) {
    ImmutableSet<String> gates = gates(pod);
    return new GatedPod(
        pod(pod),
        gates.contains(GATE),
        !gates.stream().allMatch(gate -> gate.endsWith("/granted")),
        new NodeDemand(Optional.empty(), ImmutableList.of(), Size.of(pod).thousandths()),
        Json.at(pod.json(), "spec.containers").findValues("hostPort").isEmpty()
            ? Optional.empty()
            : Optional.of(LiftReason.HOST_PORTS),
        refusal(pod),
        Optional.empty());
  }

  private static Optional<String> refusal(Pod pod) {
    JsonNode scheduled =
        Json.find(Json.at(pod.json(), "status.conditions"), "type", "PodScheduled");
    return scheduled.path("reason").asText().equals("Unschedulable")
        ? Optional.of(scheduled.path("message").asText())
        : Optional.empty();
  }

  /** A pod of a group. */
  static MemberFacts member(Pod pod) {
    MemberFacts member =
        new MemberFacts(
            ref(pod),
            Optional.empty(),
            !pod.node().isEmpty(),
            pod.deleting(),
            switch (Json.text(pod.json(), "status.phase")) {
              case "Succeeded" -> MemberFacts.Phase.SUCCEEDED;
              case "Failed" -> MemberFacts.Phase.FAILED;
              default -> MemberFacts.Phase.ALIVE;
            });
    return member.runs() ? member.with(pod(pod).claimRefs()) : member;
  }

  private static ImmutableList<Container> containers(Pod pod, ImmutableList<PodClaim> claims) {
    ImmutableList.Builder<Container> containers = ImmutableList.builder();
    for (JsonNode container : Json.at(pod.json(), "spec.containers")) {
      Set<String> used =
          new HashSet<>(Json.at(container, "resources.claims").findValuesAsText("name"));
      long mask = 0;
      for (int i = 0; i < claims.size(); i++) {
        mask |= used.contains(claims.get(i).name()) ? 1L << i : 0;
      }
      containers.add(new Container(container.path("name").asText(), mask));
    }
    return containers.build();
  }

  private static Resolution resolution(Pod pod, Pod.ClaimEntry entry) {
    return switch (entry.binding()) {
      case NOT_CREATED -> new Resolution.NotYet();
      case NOT_NEEDED -> new Resolution.None();
      case NAMED ->
          new Resolution.ResolvedTo(
              new ClaimRef(pod.namespace(), entry.claim()), entry.generated());
    };
  }

  static NodeState node(JsonNode node) {
    boolean ready =
        Json.find(Json.at(node, "status.conditions"), "type", "Ready")
            .path("status")
            .asText()
            .equals("True");
    return new NodeState(
        Meta.name(node),
        ready,
        Json.at(node, "spec.unschedulable").asBoolean(),
        ImmutableSet.of(),
        ImmutableMap.of(),
        Size.ofNode(node).thousandths());
  }
}
