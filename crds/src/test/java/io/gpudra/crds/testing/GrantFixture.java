package io.gpudra.crds.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** What claims have. */
public final class GrantFixture {

  private GrantFixture() {}

  public static GrantedPart part(String gpuUuid, Part part) {
    return part(gpuUuid, part, SharingStrategy.NONE);
  }

  public static GrantedPart part(String gpuUuid, Part part, SharingStrategy sharing) {
    return new GrantedPart(gpuUuid, part, sharing, 100, false, Optional.empty(), Optional.empty());
  }

  public static GrantedPart share(String gpuUuid, long gib) {
    return part(gpuUuid, new Part.Share(gib << 30, 0));
  }

  /** A static MIG device, granted as it is. */
  public static GrantedPart existing(GrantedPart part) {
    return new GrantedPart(
        part.gpuUuid(), part.part(), part.sharing(), 100, true, part.inside(), part.request());
  }

  public static GrantedPart inside(ClaimUid claim, GrantedPart part) {
    return new GrantedPart(
        part.gpuUuid(),
        part.part(),
        part.sharing(),
        100,
        part.existing(),
        Optional.of(claim),
        part.request());
  }

  public static GrantedDevice device(String name, GrantedPart part) {
    return new GrantedDevice(name, part, /* parent= */ false);
  }

  /** Granted at the beginning of time, without parameters. */
  public static Grant grant(ClaimUid claim, String node, GrantedDevice... devices) {
    return granted(Instant.EPOCH, claim, node, devices);
  }

  public static Grant granted(Instant at, ClaimUid claim, String node, GrantedDevice... devices) {
    return new Grant(claim, node, 1, OptionalLong.empty(), at, ImmutableList.copyOf(devices));
  }

  public static Grant grant(ClaimUid claim, String node, ImmutableList<GrantedDevice> devices) {
    return grant(claim, node, devices.toArray(GrantedDevice[]::new));
  }

  public static PreparedClaim prepared(ClaimUid uid, ClaimRef ref, GrantedPart... parts) {
    return new PreparedClaim(uid, ref, ImmutableList.copyOf(parts), Optional.empty());
  }

  public static PreparedClaim preparedWhole(ClaimUid uid, ClaimRef ref, String... gpuUuids) {
    return new PreparedClaim(uid, ref, ImmutableSet.copyOf(gpuUuids), Optional.empty());
  }

  /** A static one. */
  public static MigState.Device migDevice(String uuid, Slice slice) {
    return migDevice(uuid, slice, /* foreign= */ false);
  }

  /** One that was created for a claim. */
  public static MigState.Device migDevice(String uuid, Slice slice, ClaimUid claim) {
    return new MigState.Device(uuid, slice, Optional.of(claim), /* foreign= */ false);
  }

  /** One that was created for no claim, and which other software may use. */
  public static MigState.Device migDevice(String uuid, Slice slice, boolean foreign) {
    return new MigState.Device(uuid, slice, Optional.empty(), foreign);
  }
}
