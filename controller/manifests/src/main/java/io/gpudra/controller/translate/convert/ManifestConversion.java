package io.gpudra.controller.translate.convert;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.translate.ManifestTranslator;
import io.gpudra.controller.translate.ManifestTranslator.KindTranslator;
import io.gpudra.controller.translate.ManifestTranslator.Options;

/** From later versions and from device plugins to this driver's objects. */
public final class ManifestConversion {
  private static final ImmutableMap<String, KindTranslator> KINDS =
      ImmutableMap.<String, KindTranslator>builder()
          .put("resource.k8s.io/ResourceClaim", LaterClaims::convert)
          .put("resource.k8s.io/ResourceClaimTemplate", LaterClaims::convert)
          .put(ClassConversion.GROUP_KIND, ClassConversion::convert)
          .put("resource.k8s.io/ResourceSlice", LaterClaims::omitSlice)
          .put(TaintConversion.RULE, TaintConversion::convert)
          .put("/ResourceQuota", DevicePluginPods::remarkQuota)
          .putAll(KindTranslator.ofPods(PodConversion::convert))
          .buildOrThrow();

  private ManifestConversion() {}

  /** Translates objects of later versions and of device plugins. */
  public static ManifestTranslator translator(Options options) {
    return new ManifestTranslator(KINDS, options);
  }
}
