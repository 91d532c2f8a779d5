package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableMap;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.snapshot.NoOpAlerts;
import io.gpudra.controller.webhook.AdmissionHandler.Validator;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What the caches hold; specs are JSON in single quotes. */
public final class KnownObjects implements ParametersObjects, ClassStore {
  static final String DRIVER = "gpu.resource.example.com";

  private final Map<String, ClassFacts> classes = new ConcurrentHashMap<>();
  private final Map<String, GpuClaimParameters> ofClaims = new ConcurrentHashMap<>();
  private final Map<String, GpuClassParameters> ofClasses = new ConcurrentHashMap<>();
  private final Map<String, ImmutableMap<String, String>> namespaces = new ConcurrentHashMap<>();

  /** Refers to class parameters of the same name. */
  public KnownObjects ourClass(String name, String spec) {
    ofClasses.put(
        name,
        new GpuClassParameters(
            null, null, null, new Gson().fromJson(spec, GpuClassParametersSpec.class)));
    ParametersRef ref =
        new ParametersRef(GpuApi.GROUP, GpuClassParameters.KIND, Optional.empty(), name);
    classes.put(name, new ClassFacts(name, DRIVER, false, Optional.of(ref), Optional.empty()));
    return this;
  }

  public KnownObjects classOf(String driver, String name) {
    classes.put(name, new ClassFacts(name, driver, false, Optional.empty(), Optional.empty()));
    return this;
  }

  public KnownObjects parameters(String namespace, String name, String spec) {
    ofClaims.put(
        namespace + "/" + name,
        new GpuClaimParameters(
            null, null, null, new Gson().fromJson(spec, GpuClaimParametersSpec.class)));
    return this;
  }

  public KnownObjects namespace(String name, String label, String value) {
    namespaces.put(name, ImmutableMap.of(label, value));
    return this;
  }

  /** Validators over these; no webhook adds gates. */
  ImmutableMap<String, Validator> validators(GpuDriver driver) {
    return AdmissionValidators.of(
        driver,
        this,
        this,
        new InventoryAdmission((namespace, pod, uid) -> Optional.empty()),
        /* gates= */ Optional.empty());
  }

  /** Over these. */
  public GpuDriver driver() {
    return new GpuDriver(
        DRIVER,
        this,
        new Ledgers(),
        () -> {
          throw new IllegalStateException("nothing is granted here");
        },
        new NoOpAlerts());
  }

  @Override
  public Optional<ClassFacts> get(String name) {
    return Optional.ofNullable(classes.get(name));
  }

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return Optional.ofNullable(ofClaims.get(namespace + "/" + name));
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    return Optional.ofNullable(ofClasses.get(name));
  }

  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
    return Optional.ofNullable(namespaces.get(namespace));
  }
}
