package io.gpudra.controller.translate.migrate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.V1Devices.V1Config;
import io.gpudra.controller.translate.V1Devices.V1Constraint;
import io.gpudra.controller.translate.V1Devices.V1Exact;
import io.gpudra.controller.translate.V1Devices.V1Request;
import io.gpudra.controller.translate.cel.V1ConditionWriter;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.api.parameters.TolerationSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Claims and templates in the making, as the rows of the table write them. */
final class ClaimTranslation {

  /** The request of claims without requests of their own. */
  static final String REQUEST = "gpu";

  private static final String CLOSE = "close";
  private static final String ANY = "any";

  private ClaimTranslation() {}

  /** The kinds of devices that a driver of v1 publishes. */
  enum DeviceShape {
    WHOLE("gpu", V1ConditionWriter.Devices.WHOLE),
    MIG("mig", V1ConditionWriter.Devices.MIG),
    SHARE("share", V1ConditionWriter.Devices.SHARES);

    private final String type;
    private final V1ConditionWriter.Devices devices;

    DeviceShape(String type, V1ConditionWriter.Devices devices) {
      this.type = type;
      this.devices = devices;
    }

    /** What conditions about them are about. */
    V1ConditionWriter.Devices devices() {
      return devices;
    }

    /** The value of the attribute {@code type}. */
    String type() {
      return type;
    }

    static DeviceShape of(DeviceRequest request, GpuClassParametersSpec ofClass) {
      if (request.migProfile() != null) {
        return MIG;
      }
      if (request.memoryLimit() != null) {
        return SHARE;
      }
      return ofClass.handsOutMigOnly() && !ofClass.monitors() ? MIG : WHOLE;
    }
  }

  /** A request of v1, or one of its choices. */
  static final class ExactDraft {
    final String name;
    final DeviceShape shape;
    final List<String> selectors = new ArrayList<>();
    final Map<String, String> capacity = new LinkedHashMap<>();
    boolean all;
    long count = 1;
    boolean adminAccess;

    /** Whether no two devices are of one GPU. */
    boolean apart;

    Optional<SharingSpec> sharing = Optional.empty();
    ImmutableList<TolerationSpec> tolerations = ImmutableList.of();

    ExactDraft(String name, DeviceShape shape) {
      this.name = name;
      this.shape = shape;
    }

    V1Exact exact(String choice, String className) {
      return new V1Exact(
          choice,
          className,
          ImmutableList.copyOf(selectors),
          all,
          count,
          adminAccess,
          tolerations,
          ImmutableMap.copyOf(capacity));
    }
  }

  /** The devices of a claim of v1. */
  static final class ClaimDraft {
    final List<ExactDraft> exacts = new ArrayList<>();
    final List<V1Constraint> constraints = new ArrayList<>();
    boolean prioritized;
    private boolean preferred;

    /** Whether there is nothing that a constraint could compare. */
    boolean isOfOne() {
      return exacts.stream()
          .allMatch(exact -> (prioritized || exacts.size() == 1) && exact.count == 1 && !exact.all);
    }

    /** The devices have equal values of an attribute. */
    void connect(String attribute) {
      constraints.add(new V1Constraint(ImmutableList.of(), /* distinct= */ false, attribute));
    }

    /**
     * Makes the last constraint one of a first choice; it is gone if there are several requests.
     */
    boolean preferCloseOnes() {
      V1Constraint wanted = constraints.remove(constraints.size() - 1);
      preferred = exacts.size() == 1 && !prioritized;
      if (preferred) {
        String close = exacts.get(0).name + "/" + CLOSE;
        constraints.add(new V1Constraint(ImmutableList.of(close), false, wanted.attribute()));
      }
      return preferred;
    }

    V1Devices devices(ClaimContext context) {
      exacts.stream()
          .filter(exact -> exact.apart)
          .map(exact -> ImmutableList.of(reference(exact)))
          .map(names -> new V1Constraint(names, true, context.qualified("parentUUID")))
          .forEach(constraints::add);
      return new V1Devices(
          requests(context.className()), ImmutableList.copyOf(constraints), config(context));
    }

    private ImmutableList<V1Request> requests(String className) {
      if (preferred) {
        ExactDraft exact = exacts.get(0);
        return ImmutableList.of(
            new V1Request(
                exact.name,
                ImmutableList.of(exact.exact(CLOSE, className), exact.exact(ANY, className)),
                /* prioritized= */ true));
      }
      return prioritized
          ? ImmutableList.of(
              new V1Request(
                  REQUEST,
                  exacts.stream()
                      .map(exact -> exact.exact(exact.name, className))
                      .collect(toImmutableList()),
                  /* prioritized= */ true))
          : exacts.stream()
              .map(exact -> V1Request.exactly(exact.name, exact.exact("", className)))
              .collect(toImmutableList());
    }

    private ImmutableList<V1Config> config(ClaimContext context) {
      return exacts.stream()
          .flatMap(
              exact ->
                  exact.sharing.stream()
                      .map(one -> context.config(one))
                      .map(
                          one ->
                              new V1Config(
                                  ImmutableList.of(reference(exact)), context.driver(), one)))
          .collect(toImmutableList());
    }

    private String reference(ExactDraft exact) {
      return prioritized ? REQUEST + "/" + exact.name : exact.name;
    }
  }
}
