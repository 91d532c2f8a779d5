package io.gpudra.controller.client.watch;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.util.List;

/**
 * A list for client-java's reflector.
 *
 * @param items emptied once they are passed on
 */
record IncomingList<V>(List<DecodedObject<V>> items, String resourceVersion)
    implements KubernetesListObject {

  @Override
  public V1ListMeta getMetadata() {
    return new V1ListMeta().resourceVersion(resourceVersion);
  }

  @Override
  public List<DecodedObject<V>> getItems() {
    return items;
  }

  @Override
  public String getApiVersion() {
    return "";
  }

  @Override
  public String getKind() {
    return "";
  }
}
