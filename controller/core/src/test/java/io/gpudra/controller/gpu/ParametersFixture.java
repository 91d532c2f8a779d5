package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.GpuSamples.claim;
import static io.gpudra.controller.gpu.GpuSamples.immediate;
import static io.gpudra.controller.gpu.GpuSamples.ofClaim;
import static io.gpudra.controller.gpu.GpuSamples.ofClass;
import static io.gpudra.controller.gpu.GpuSamples.resourceClass;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;

/** What is made of specs that are written as JSON, in single quotes. */
final class ParametersFixture {

  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final ParametersResolver parametersResolver;

  ParametersFixture() {
    this.parametersResolver =
        new ParametersResolver(
            DeviceSamples.DRIVER,
            objects,
            new ConditionCompiler(DeviceSamples.DRIVER, new GpuSamples.Alerts()));
  }

  /** The claim's namespace has this label. */
  void label(String key, String value) {
    objects.namespaces.put(GpuSamples.NAMESPACE, ImmutableMap.of(key, value));
  }

  DriverParameters<GpuRequest> read(String ofClass, String ofClaim) {
    objects
        .put("k", new Gson().fromJson(ofClass, GpuClassParametersSpec.class))
        .put("c", new Gson().fromJson(ofClaim, GpuClaimParametersSpec.class));
    return parametersResolver.read(resourceClass(ofClass("k")), claim("c", ofClaim("c")));
  }

  GpuRequest ready(String ofClass, String ofClaim) {
    DriverParameters<GpuRequest> read = read(ofClass, ofClaim);
    assertThat(read).isInstanceOf(DriverParameters.Ready.class);
    return ((DriverParameters.Ready<GpuRequest>) read).value();
  }

  ImmutableList<String> problems(String ofClass, String ofClaim) {
    return problems(read(ofClass, ofClaim));
  }

  /** Of parameters that are invalid. */
  static ImmutableList<String> problems(DriverParameters<GpuRequest> read) {
    return read instanceof DriverParameters.Refused<GpuRequest> refused
            && refused.reason().kind() == Kind.INVALID_PARAMETERS
        ? refused.reason().sentences(NamespaceAudience.READER_OF_ALL)
        : ImmutableList.of();
  }

  static Kind refusal(DriverParameters<GpuRequest> read) {
    return ((DriverParameters.Refused<GpuRequest>) read).reason().kind();
  }

  /** Of a claim that is allocated at once. */
  ImmutableList<String> problemsAtOnce(String ofClaim) {
    objects.put("c", new Gson().fromJson(ofClaim, GpuClaimParametersSpec.class));
    DriverParameters<GpuRequest> read =
        parametersResolver.read(
            resourceClass(Optional.empty()), immediate(claim("c", ofClaim("c"))));
    return problems(read);
  }

  RequestAlternative only(String ofClass, String ofClaim) {
    ImmutableList<RequestAlternative> alternatives = ready(ofClass, ofClaim).alternatives();
    assertThat(alternatives).hasSize(1);
    return alternatives.get(0);
  }

  DeviceSubRequest wish(String ofClass, String ofClaim) {
    ImmutableList<DeviceSubRequest> subRequests = only(ofClass, ofClaim).subRequests();
    assertThat(subRequests).hasSize(1);
    return subRequests.get(0);
  }
}
