package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.LiveGrant;
import io.gpudra.kubeletplugin.prepare.LiveGrants;

/** Reads single claims: their identity and the allocation of this driver. */
public record ClaimReader(KubeApi api, String driverName) implements LiveGrants {

  private static final MemberFilter WANTED =
      MemberFilter.of()
          .and("metadata", MemberFilter.of("uid"))
          .and(
              "status",
              MemberFilter.of("driverName", "reservedFor")
                  .and("allocation", MemberFilter.of("resourceHandles")));

  private static final int MAX_UID = 64;

  @Override
  public LiveGrant of(ClaimRef claim) {
    KubeReply reply =
        api.get(
            "/apis/resource.k8s.io/v1alpha2/namespaces/%s/resourceclaims/%s"
                .formatted(claim.namespace(), claim.name()),
            WANTED);
    return switch (reply.kind()) {
      case OK -> read(reply.body());
      case NOT_FOUND -> new LiveGrant.Gone();
      case TOO_LARGE -> new LiveGrant.Unreadable(reply.problem());
      case CONFLICT, REFUSED, UNCLEAR -> new LiveGrant.NoAnswer(reply.problem());
    };
  }

  private LiveGrant read(JsonNode claim) {
    String uid = claim.path("metadata").path("uid").asText();
    return uid.isEmpty()
        ? new LiveGrant.NoAnswer("the API server's answer is no claim")
        : read(new ClaimUid(uid), claim.path("status"));
  }

  private LiveGrant read(ClaimUid uid, JsonNode status) {
    ImmutableList<String> handles = handles(status);
    if (handles.size() != 1) {
      return new LiveGrant.NotGranted(
          uid, "it has %d handles of this driver".formatted(handles.size()));
    }
    if (handles.get(0).length() > HandleCodec.MAX_BYTES) {
      return new LiveGrant.NotGranted(uid, "its handle is too long");
    }
    return HandleCodec.decode(handles.get(0)) instanceof DecodedHandle.Decoded withGrant
        ? new LiveGrant.Granted(uid, withGrant.grant(), users(status))
        : new LiveGrant.NotGranted(uid, "its handle is unreadable");
  }

  private static ImmutableSet<String> users(JsonNode status) {
    ImmutableSet.Builder<String> users = ImmutableSet.builder();
    for (JsonNode user : status.path("reservedFor")) {
      String uid = user.path("uid").asText();
      // No pod has a longer one.
      users.add(uid.substring(0, Math.min(uid.length(), MAX_UID)));
    }
    return users.build();
  }

  private ImmutableList<String> handles(JsonNode status) {
    ImmutableList.Builder<String> ours = ImmutableList.builder();
    String owner = status.path("driverName").asText();
    for (JsonNode handle : status.path("allocation").path("resourceHandles")) {
      // The kubelet, too, uses the claim's driver where the handle names none.
      if (handle.path("driverName").asText(owner).equals(driverName)) {
        ours.add(handle.path("data").asText());
      }
    }
    return ours.build();
  }
}
