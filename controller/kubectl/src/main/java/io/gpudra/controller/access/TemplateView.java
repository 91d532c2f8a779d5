package io.gpudra.controller.access;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.KindLister;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.kube.source.ObjectSource;
import io.gpudra.controller.manifest.ClaimTemplate;
import java.io.IOException;
import java.util.Optional;

/**
 * The templates of claims that a caller may read.
 *
 * @param templates by {@code namespace/name}
 */
public record TemplateView(
    ImmutableMap<String, ClaimTemplate> templates, ImmutableList<ForbiddenKind> withheld) {

  /**
   * Lists the templates.
   *
   * @param namespace that is read if the caller may not list all namespaces
   * @throws IOException when the list is not complete for another reason than a missing permission
   */
  public static TemplateView of(HttpClients http, KubeSettings settings, String namespace)
      throws IOException {
    KindLister kindLister =
        new KindLister(
            ObjectSource.listing(http), Optional.of(new KindLister.ForbiddenPolicy(namespace)));
    ClaimMapping mapping = new ClaimMapping(settings.driverName(), settings.finalizer());
    ImmutableMap<String, ClaimTemplate> templates =
        kindLister.ofNamespaces(ResourceKinds.templates(one -> ClaimTemplate.of(mapping, one)));
    return new TemplateView(templates, ImmutableList.copyOf(kindLister.withheld()));
  }
}
