package io.gpudra.controller.translate.migrate;

import static io.gpudra.controller.translate.TranslationRemark.RowText.both;
import static io.gpudra.controller.translate.TranslationRemark.RowText.migrate;

import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationRemark.RowText;
import io.gpudra.controller.translate.cel.V1ConditionWriter;
import io.gpudra.controller.translate.migrate.ClassTranslation.ClassDraft;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import java.util.Optional;

/** The fields of a class, and of the objects beside claims and classes. */
public enum ClassField implements Row {
  RESOURCE_CLASS(
      both("ResourceClass, driverName", "DeviceClass with a selector on device.driver")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      to.selectors.add("device.driver == \"%s\"".formatted(context.driver()));
    }
  },
  CLASS_UNKNOWN(
      migrate("resourceClassName of a class elsewhere", "deviceClassName")
          .weaker(
              "class %s has its defaults and limits",
              "it is not among the files; they are unknown", "give its file, too")),
  SUITABLE_NODES(
      migrate("suitableNodes", "node affinity of the pods")
          .weaker(
              "only suitable nodes for every pod",
              "the pods of these files have the node affinity; a later pod needs it, too",
              "")),
  DEVICE_SELECTOR(both("deviceSelector", "one selector")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (from.deviceSelector() != null) {
        to.selectors.add(ClassTranslation.anyOf(from.deviceSelector(), context));
      }
    }
  },
  CLASS_CEL(both("cel", "a selector")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      Optional.ofNullable(from.cel())
          .flatMap(cel -> context.condition(cel, V1ConditionWriter.Devices.ALL))
          .ifPresent(to.selectors::add);
      if (!context.nodes().isEmpty()) {
        context.refuse("cel", RequestField.CEL, "a class has no nodes there");
      }
    }
  },
  CLASS_MODE(both("mode", "the attribute type in a selector")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (from.mode() != null) {
        boolean shared = from.mode().equals(DeviceRequest.SHARED);
        if (shared) {
          context.refuseForNvidia("mode", "shares");
        }
        to.selectors.add(
            "%s %s \"share\"".formatted(context.attribute("type"), shared ? "==" : "!="));
      }
    }
  },
  FORBIDDEN_ATTRIBUTES(
      migrate("forbiddenAttributes", "a ValidatingAdmissionPolicy")
          .weaker(
              "conditions that read the attributes are refused",
              "conditions whose text has the words are refused",
              "")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (!from.forbids().isEmpty()) {
        to.policies.addAll(
            AdmissionPolicies.attributes(
                to.policyName("attributes", context), to.name, from.forbids()));
        context.remark("forbiddenAttributes", this);
      }
    }
  },
  NAMESPACE_SELECTOR(
      migrate("namespaceSelector", "a ValidatingAdmissionPolicy with a binding for each term")
          .weaker("read at each allocation", "read when the claim is created", "")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (from.namespaceSelector() != null) {
        to.policies.addAll(
            AdmissionPolicies.namespaces(
                to.policyName("namespaces", context), to.name, from.namespaceSelector()));
        context.remark("namespaceSelector", this);
      }
    }
  },
  CLASS_SHAREABLE(
      migrate("shareable: false of a class", "")
          .lost(
              "one pod uses a claim",
              "any pod of the namespace that names a claim uses it, up to 256",
              "use ResourceClaimTemplates")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      context.remarkIf(!from.shareableOrDefault(), "shareable", this);
    }
  },
  MONITOR(
      migrate("monitor", "adminAccess and allocationMode: All in each claim")
          .same(
              "claims see every GPU of a node",
              "the same, in namespaces with the label resource.kubernetes.io/admin-access")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      context.remarkIf(from.monitors(), "monitor", this);
    }
  },
  MONITOR_NAMESPACE(
      migrate("the namespace of a monitoring claim", "a label of the Namespace")
          .weaker(
              "claims of namespace %1$s see every GPU of a node",
              "Kubernetes refuses them without a label of the Namespace",
              "kubectl label namespace %1$s resource.kubernetes.io/admin-access=true")),
  CLASS_SHARING(both("sharing", "config of the DeviceClass")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      to.sharing = Optional.ofNullable(from.sharing());
    }
  },
  CLASS_PLACEMENT_PACK(
      migrate("placement: pack of a class", "")
          .weaker("the fullest GPU first", "the first GPU with room", "")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      context.remarkIf(from.placement() == PlacementPolicy.PACK, "placement", this);
    }
  },
  CLASS_PLACEMENT_SPREAD(
      migrate("placement: spread of a class", "")
          .lost("the emptiest GPU first", "the first GPU with room", "nothing replaces it")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      context.remarkIf(from.placement() == PlacementPolicy.SPREAD, "placement", this);
    }
  },
  CLASS_TOPOLOGY(
      migrate("topology, topologyPolicy of a class", "a constraint in each claim")
          .weaker(
              "every claim of the class",
              "the claims of these files have the constraint; a later claim needs it, too",
              "")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      context.remarkIf(from.topology() != null, "topology", this);
    }
  },
  OVERCOMMIT(
      migrate("memoryOvercommitPercent", "")
          .weaker(
              "%d %% of the memory of a shared GPU is granted in this class",
              "all of it, in every class", "set --share-memory-percent of the plugin of a node")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (from.memoryOvercommitPercent() != null) {
        context.remark("memoryOvercommitPercent", this, from.memoryOvercommitPercent());
      }
    }
  },
  ENFORCE_LIMITS(both("enforceLimits", "the attribute sharing in a selector")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (Boolean.TRUE.equals(from.enforceLimits())) {
        to.selectors.add(
            "%s != \"share\" || %s"
                .formatted(context.attribute("type"), context.isEqual("sharing", "MPS")));
      }
    }
  },
  DEVICES_PER_CLAIM(
      migrate("limits.devicesPerClaim", "a ValidatingAdmissionPolicy")
          .weaker("checked at each allocation", "checked when the claim is created", "")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (from.limits() != null && from.limits().devicesPerClaim() != null) {
        to.policies.addAll(
            AdmissionPolicies.limits(
                to.policyName("limits", context), to.name, from.limits().devicesPerClaim()));
        context.remark("limits.devicesPerClaim", this);
      }
    }
  },
  POLICY_NAME(
      migrate("a class with a long name", "policies whose names are cut")
          .same("a policy %1$s", "%2$s, since a name has 253 characters")),
  CLAIM_DURATION(
      migrate("limits.claimDuration", "")
          .lost("an event after %s", "no event", "nothing replaces it")) {
    @Override
    void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {
      if (from.limits() != null && from.limits().claimDuration() != null) {
        context.remark("limits.claimDuration", this, from.limits().claimDuration());
      }
    }
  },
  POD_SOURCE(
      both(
          "source of an entry of resourceClaims",
          "resourceClaimName or resourceClaimTemplateName beside name")),
  AFFINITY_LIMIT(
      migrate("suitableNodes with many terms", "")
          .lost("only suitable nodes", "any node; the affinity would have %d terms", "write it")),
  GRANTED_GATE(
      migrate("the scheduling gate granted", "")
          .same("the pod is held back until its claim is granted", "kube-scheduler waits itself")),
  GROUP_LABELS(
      migrate("the labels group and group-size", "the same labels")
          .lost(
              "all pods of the group are scheduled, or none",
              "each pod is scheduled by itself",
              "nothing replaces it")),
  GPU_QUOTA(
      migrate("GpuQuota", "ResourceQuota of the devices of each class")
          .weaker(
              "%1$s GPUs of the classes together, shares by their part",
              "%2$d devices of each class, shares like whole GPUs", "")),
  GPU_QUOTA_MEMORY(
      migrate("memory of a GpuQuota", "")
          .lost("%s of memory", "any memory", "nothing replaces it")),
  GPU_QUOTA_REFUSED(
      migrate("GpuQuota of every class, or of memory alone", "")
          .lost(
              "a quota %s",
              "a ResourceQuota counts the devices of a class with a short name",
              "name the classes and a number of GPUs"));

  private final RowText text;

  ClassField(RowText text) {
    this.text = text;
  }

  @Override
  public RowText text() {
    return text;
  }

  /** Writes the field into a class of v1. */
  void write(GpuClassParametersSpec from, ClassDraft to, ClaimContext context) {}
}
