package io.gpudra.bench.process;

import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ResourceV1alpha2Api;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.util.Collection;

/** Sees by a watch which claims are granted. */
final class Grants implements AutoCloseable {
  private final Watch<V1alpha2ResourceClaim> watch;

  private Grants(Watch<V1alpha2ResourceClaim> watch) {
    this.watch = watch;
  }

  /** Those after the version; an answer that is awaited longer than the client allows fails. */
  static Grants after(String resourceVersion, ApiClient client) throws IOException {
    try {
      return new Grants(
          Watch.createWatch(
              client,
              new ResourceV1alpha2Api(client)
                  .listResourceClaimForAllNamespaces()
                  .resourceVersion(resourceVersion)
                  .watch(true)
                  .buildCall(null),
              new TypeToken<Watch.Response<V1alpha2ResourceClaim>>() {}.getType()));
    } catch (ApiException e) {
      throw new IOException("watching the claims", e);
    }
  }

  /** The first of these UIDs that is granted something. */
  String nextOf(Collection<String> waiting) {
    while (true) {
      V1alpha2ResourceClaim claim = watch.next().object;
      String uid = claim.getMetadata().getUid();
      if (waiting.contains(uid)
          && claim.getStatus() != null
          && claim.getStatus().getAllocation() != null) {
        return uid;
      }
    }
  }

  @Override
  public void close() throws IOException {
    watch.close();
  }
}
