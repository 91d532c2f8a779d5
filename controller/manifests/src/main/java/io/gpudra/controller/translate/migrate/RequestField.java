package io.gpudra.controller.translate.migrate;

import static io.gpudra.controller.translate.TranslationRemark.RowText.both;
import static io.gpudra.controller.translate.TranslationRemark.RowText.migrate;

import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationRemark.RowText;
import io.gpudra.controller.translate.migrate.ClaimTranslation.DeviceShape;
import io.gpudra.controller.translate.migrate.ClaimTranslation.ExactDraft;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.api.parameters.SharingSpec.TimeSlicingConfig;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The fields of a request, in the order of the selectors that they become. */
public enum RequestField implements Row {
  MODE(both("mode", "the attribute type in a selector")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      to.selectors.add(context.isEqual("type", to.shape.type()));
    }
  },
  COUNT(both("count", "count")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      to.count = from.countOrDefault();
    }
  },
  DEVICE_LIMIT(
      migrate("more than 32 devices of a claim", "")
          .lost(
              "%d devices",
              "a claim has at most 32 devices on this Kubernetes",
              "split it into two claims of one pod")),
  ALL(
      both("all", "allocationMode: All")
          .same("every matching GPU of a node", "the same, at most 32 GPUs of a node")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      if (from.wantsAll()) {
        to.all = true;
        context.remarkOnce("all", this);
      }
    }
  },
  MEMORY(both("memory, memoryPerGpu", "the capacity nominalMemory in a selector")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      from.nominalMemoryBytes().ifPresent(bytes -> to.selectors.add(context.isAtLeast(bytes)));
    }
  },
  CAPABILITIES(both("capabilities", "an attribute in a selector for each")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      List<String> names = from.capabilities() == null ? List.of() : from.capabilities();
      if (!names.isEmpty() && context.isForNvidia()) {
        context.refuse("capabilities", OTHER_DRIVER, "capabilities");
      }
      names.forEach(name -> to.selectors.add(context.attribute(name)));
    }
  },
  MIG_PROFILE(
      both("migProfile", "the attribute profile in a selector")
          .weaker(
              "a MIG device that is made when a pod needs it",
              "a MIG device that exists already",
              "make it with nvidia-smi, or use --to 1.36")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      String profile = from.migProfile();
      if (profile == null) {
        return;
      }
      if (INSTANCE.matcher(profile).lookingAt()) {
        context.refuse("migProfile", COMPUTE_INSTANCE, INSTANCE.matcher(profile).replaceFirst(""));
      }
      to.selectors.add(context.isEqual("profile", profile));
      if (!context.to().dividesDevices()) {
        context.remark("migProfile", this);
      }
    }
  },
  COMPUTE_INSTANCE(
      migrate("migProfile of a compute instance", "")
          .lost("a compute instance", "no equivalent", "ask for the MIG device %s")),
  CEL(both("cel", "a selector").lost("the condition", "%s", "write it in another way")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      Optional.ofNullable(from.cel())
          .flatMap(cel -> context.condition(cel, to.shape.devices()))
          .ifPresent(to.selectors::add);
    }
  },
  CEL_MAY_FAIL(
      migrate("cel that may fail on a device", "a selector")
          .weaker(
              "an error in the condition is no match",
              "an error in this condition stops the scheduling of the pod",
              "write a condition without the error")),
  NODE_CONDITION(
      migrate("device.node in cel", "node affinity of the pods")
          .weaker(
              "only devices of %s",
              "the pods of these files go there; a later pod needs the same affinity", "")),
  MEMORY_LIMIT(
      both("memoryLimit", "capacity.requests.memory")
          .lost("a share of a GPU", "granted wrongly before 1.36.3", "use --to 1.36")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      if (from.memoryLimit() == null) {
        return;
      }
      if (context.isForNvidia()) {
        context.refuse("memoryLimit", OTHER_DRIVER, "shares");
      }
      if (!context.to().dividesDevices()) {
        context.refuse("memoryLimit", this);
      }
      to.capacity.put("memory", from.memoryLimit());
    }
  },
  MILLICORES(both("millicores", "capacity.requests.millicores")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      if (from.millicores() != null) {
        to.capacity.put("millicores", from.millicores().toString());
      }
    }
  },
  SHARE_COUNT(migrate("count of shares", "count and distinctAttribute: parentUUID")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      to.apart = to.shape == DeviceShape.SHARE && from.countOrDefault() > 1;
    }
  },
  SHARING(both("sharing", "config with a GpuConfig, and for shares the attribute sharing")) {
    @Override
    void write(DeviceRequest from, ExactDraft to, ClaimContext context) {
      to.sharing = Optional.ofNullable(from.sharing());
      if (to.shape == DeviceShape.SHARE) {
        Optional<SharingSpec> both = to.sharing.or(context::sharingOfClass);
        to.selectors.add(context.isEqual("sharing", setting(both)));
      }
    }
  },
  OTHER_DRIVER(
      migrate("what gpu.nvidia.com lacks", "")
          .lost("%s", "the other driver has no such attribute", "leave --driver out"));

  /** The part of a profile that makes it a compute instance. */
  private static final Pattern INSTANCE = Pattern.compile("\\d+c\\.");

  private final RowText text;

  RequestField(RowText text) {
    this.text = text;
  }

  @Override
  public RowText text() {
    return text;
  }

  /** Writes the field into a request of v1. */
  void write(DeviceRequest from, ExactDraft to, ClaimContext context) {}

  /** The devices of each setting are published by themselves. */
  private static String setting(Optional<SharingSpec> sharing) {
    String strategy = sharing.map(SharingSpec::strategyOrDefault).orElse(SharingSpec.TIME_SLICING);
    String interval =
        sharing
            .map(SharingSpec::timeSlicingConfig)
            .map(TimeSlicingConfig::intervalOrDefault)
            .orElse(TimeSlicingConfig.DEFAULT_INTERVAL);
    return strategy.equals(SharingSpec.TIME_SLICING) ? strategy + "-" + interval : strategy;
  }
}
