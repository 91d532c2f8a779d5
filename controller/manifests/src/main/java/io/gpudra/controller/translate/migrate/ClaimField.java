package io.gpudra.controller.translate.migrate;

import static io.gpudra.controller.translate.TranslationRemark.RowText.both;
import static io.gpudra.controller.translate.TranslationRemark.RowText.migrate;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.translate.TargetVersion;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationRemark.RowText;
import io.gpudra.controller.translate.V1Devices.V1Constraint;
import io.gpudra.controller.translate.migrate.ClaimTranslation.ClaimDraft;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import io.gpudra.crds.api.parameters.TolerationSpec;
import java.util.List;
import java.util.Objects;

/** The fields of a claim beside those of its requests. */
public enum ClaimField implements Row {
  REQUESTS(both("requests", "requests of the same names")),
  ALTERNATIVES(
      both("alternatives", "firstAvailable of one request")
          .weaker(
              "the first alternative that fits on a node",
              "the same on each node; of several nodes kube-scheduler only prefers the first",
              "")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (from.alternatives() != null) {
        to.prioritized = true;
        context.remark("alternatives", this);
      }
    }
  },
  TOPOLOGY_NVLINK(
      both("topology: nvlink", "matchAttribute: nvlinkGroup")
          .weaker("every pair of GPUs is linked", "fewer sets are found where links overlap", "")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (!to.isOfOne() && context.topology(from).equals("nvlink")) {
        context.refuseForNvidia("topology", "nvlink");
        context.remarkIf(from.topology() != null, "topology", this);
        to.connect(context.qualified("nvlinkGroup"));
      }
    }
  },
  TOPOLOGY_PCIE(both("topology: pcie", "matchAttribute: resource.kubernetes.io/pcieRoot")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (!to.isOfOne() && context.topology(from).equals("pcie")) {
        to.connect("resource.kubernetes.io/pcieRoot");
      }
    }
  },
  TOPOLOGY_NUMA(
      both("topology: numa", "matchAttribute: resource.kubernetes.io/numaNode")
          .weaker(
              "a machine that reports no NUMA node is one",
              "such a machine fits no claim of several devices",
              "")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (!to.isOfOne() && context.topology(from).equals("numa")) {
        boolean waits = !context.prefersTopology(from);
        context.remarkIf(from.topology() != null && waits, "topology", this);
        to.connect("resource.kubernetes.io/numaNode");
      }
    }
  },
  TOPOLOGY_PREFERRED(
      both("topologyPolicy: Preferred", "firstAvailable with the constraint for its first choice")
          .weaker("close devices are preferred", "any devices are taken", "")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (!to.isOfOne() && context.prefersTopology(from) && !to.preferCloseOnes()) {
        context.remark("topologyPolicy", this);
      }
    }
  },
  SAME_ATTRIBUTE(both("sameAttribute", "matchAttribute")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (from.sameAttribute() != null && !to.isOfOne()) {
        from.sameAttribute().stream()
            .map(name -> context.sameAttribute(name))
            .distinct()
            .forEach(name -> to.constraints.add(new V1Constraint(ImmutableList.of(), false, name)));
      }
    }
  },
  INSIDE_CLAIM(
      migrate("insideClaim", "")
          .lost(
              "MIG devices on the GPU of entry %s",
              "claims do not see each other",
              "put both requests into one claim with sameAttribute: [parentUUID]")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      if (from.insideClaim() != null) {
        context.refuse("insideClaim", this, from.insideClaim());
      }
    }
  },
  PLACEMENT_PACK(
      migrate("placement: pack", "")
          .weaker("the fullest GPU first", "the first GPU with room", "")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      context.remarkIf(from.placement() == PlacementPolicy.PACK, "placement", this);
    }
  },
  PLACEMENT_SPREAD(
      migrate("placement: spread", "")
          .lost("the emptiest GPU first", "the first GPU with room", "nothing replaces it")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      context.remarkIf(from.placement() == PlacementPolicy.SPREAD, "placement", this);
    }
  },
  TOLERATIONS(
      both("tolerations", "tolerations of each request")
          .weaker(
              "pods on a tainted GPU are evicted within disruption budgets",
              "they are deleted without",
              "")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      List<TolerationSpec> all = tolerations(from);
      if (all.isEmpty()) {
        return;
      }
      to.exacts.forEach(exact -> exact.tolerations = ImmutableList.copyOf(all));
      context.gateUnless(context.to().dividesDevices(), TargetVersion.TAINTS);
      context.remarkIf(all.stream().anyMatch(ClaimField::mayEvict), "tolerations", this);
    }
  },
  SHAREABLE(
      migrate("shareable: false", "")
          .lost(
              "one pod uses the claim",
              "any pod of the namespace that names the claim uses it, up to 256",
              "use a ResourceClaimTemplate")) {
    @Override
    void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {
      context.remarkIf(!from.shareableOrDefault() && !context.isTemplate(), "shareable", this);
    }
  },
  IMMEDIATE(
      migrate("allocationMode: Immediate", "")
          .lost(
              "allocated when the claim is created",
              "allocated when the first pod comes",
              "nothing replaces it")),
  PARAMETERS_REF(
      migrate("parametersRef", "the fields themselves")
          .same(
              "an edit of parameters reaches every claim that waits",
              "each claim has its own copy")),
  PARAMETERS_UNUSED(
      migrate("parameters without a claim or class", "")
          .lost(
              "no object of these files names them",
              "nothing comes of them",
              "give the file of the claim or class, too")),
  PARAMETERS_MISSING(
      migrate("parametersRef of an object elsewhere", "")
          .lost("%s \"%s\"", "it is not among the files", "give its file, too")),
  PARAMETERS_INVALID(
      migrate("invalid objects", "").lost("%s", "this driver does not accept it", "mend it first"));

  private final RowText text;

  ClaimField(RowText text) {
    this.text = text;
  }

  @Override
  public RowText text() {
    return text;
  }

  /** Writes the field into a claim of v1. */
  void write(GpuClaimParametersSpec from, ClaimDraft to, ClaimContext context) {}

  private static List<TolerationSpec> tolerations(GpuClaimParametersSpec from) {
    return from.tolerations() == null
        ? List.of()
        : from.tolerations().stream().filter(Objects::nonNull).map(one -> one).toList();
  }

  private static boolean mayEvict(TolerationSpec toleration) {
    return toleration.effect() == null || toleration.effect().equals(TolerationSpec.NO_EXECUTE);
  }
}
