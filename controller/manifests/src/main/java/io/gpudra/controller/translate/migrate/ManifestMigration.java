package io.gpudra.controller.translate.migrate;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.ManifestTranslator.KindTranslator;
import io.gpudra.controller.translate.ManifestTranslator.Options;

/** From this driver's objects to {@code resource.k8s.io/v1}. */
public final class ManifestMigration {
  private static final ImmutableMap<String, KindTranslator> KINDS =
      ImmutableMap.<String, KindTranslator>builder()
          .put("resource.k8s.io/ResourceClaim", served(ClaimMigration::migrate))
          .put("resource.k8s.io/ResourceClaimTemplate", served(ClaimMigration::migrate))
          .put(ClassTranslation.GROUP_KIND, served(ClassTranslation::migrate))
          .put("gpu.resource.example.com/GpuClaimParameters", ClaimMigration::migrateParameters)
          .put("gpu.resource.example.com/GpuClassParameters", ClaimMigration::migrateParameters)
          .put("gpu.resource.example.com/GpuQuota", AdmissionPolicies::migrateQuota)
          .put("gpu.resource.example.com/NodeInventory", TaintMigration::migrate)
          .put("/Namespace", ClassTranslation::migrateNamespace)
          .putAll(KindTranslator.ofPods(PodTranslation::migrate))
          .buildOrThrow();

  private ManifestMigration() {}

  /** Only objects of the version that this driver serves. */
  private static KindTranslator served(KindTranslator kind) {
    return (object, session) -> {
      if (object.apiVersion().equals(ManifestTranslator.V1ALPHA2)) {
        kind.translate(object, session);
      }
    };
  }

  /** Translates this driver's objects. */
  public static ManifestTranslator translator(Options options) {
    return new ManifestTranslator(KINDS, options);
  }
}
