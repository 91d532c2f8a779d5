package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.NodeInventoryStatus.Prepared;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.wire.PartEntry;
import io.gpudra.crds.wire.SharingEntry;
import io.gpudra.crds.wire.WireDevices;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The claims for which a node holds devices.
 *
 * @param uuidByName of the node's GPUs
 */
record PreparedClaims(FieldReader fields, ImmutableMap<String, String> uuidByName) {

  /** Reads the claims; one that is listed twice holds the devices of both entries. */
  ImmutableList<PreparedClaim> read(@Nullable List<Prepared> listed) {
    Map<ClaimUid, PreparedClaim> claims = new LinkedHashMap<>();
    fields.each(
        "status.preparedClaims",
        listed,
        (path, entry) -> {
          Optional<PreparedClaim> claim = claim(path, entry);
          claim.ifPresent(c -> claims.merge(c.uid(), c, (a, b) -> merged(path, a, b)));
          return claim;
        });
    return ImmutableList.copyOf(claims.values());
  }

  /** The claims without their devices, from a list of any length. */
  static ImmutableList<PreparedClaim> names(@Nullable List<Prepared> listed) {
    return FieldReader.orEmpty(listed).stream()
        .limit(InventoryBounds.MAX_CLAIMS)
        .filter(entry -> entry != null && !Strings.isNullOrEmpty(entry.uid()))
        .map(
            entry ->
                new PreparedClaim(
                    new ClaimUid(nullToEmpty(entry.uid())),
                    new ClaimRef(nullToEmpty(entry.namespace()), nullToEmpty(entry.name())),
                    ImmutableList.of(),
                    Optional.empty()))
        .distinct()
        .collect(toImmutableList());
  }

  private PreparedClaim merged(String path, PreparedClaim first, PreparedClaim second) {
    fields.duplicate(path, second.uid().value());
    return new PreparedClaim(
        first.uid(),
        first.ref(),
        Stream.concat(first.parts().stream(), second.parts().stream())
            .distinct()
            .collect(toImmutableList()),
        first.orphanedSince().or(second::orphanedSince),
        first.waits().or(second::waits));
  }

  private Optional<PreparedClaim> claim(String path, Prepared claim) {
    return fields
        .text(path + ".uid", claim.uid())
        .map(
            uid ->
                new PreparedClaim(
                    new ClaimUid(uid),
                    new ClaimRef(
                        fields.text(path + ".namespace", claim.namespace()).orElse(""),
                        fields.text(path + ".name", claim.name()).orElse("")),
                    parts(path, claim),
                    fields.time(path + ".orphanedSince", claim.orphanedSince()),
                    Optional.ofNullable(claim.waits())));
  }

  /**
   * GPUs that are named and have no part are held whole. All GPUs are held whole when some part
   * cannot be read, since it may be more than the others.
   */
  private ImmutableList<GrantedPart> parts(String path, Prepared claim) {
    List<PartEntry> entries = FieldReader.orEmpty(claim.parts());
    List<SharingEntry> settings = FieldReader.orEmpty(claim.sharing());
    ImmutableList<GrantedPart> parts =
        fields.each(path + ".parts", entries, (at, entry) -> part(at, entry, settings));
    ImmutableSet<String> gpus = parts.stream().map(GrantedPart::gpuUuid).collect(toImmutableSet());
    Stream<String> named = FieldReader.orEmpty(claim.devices()).stream().filter(Objects::nonNull);
    Stream<String> uuids = named.map(device -> uuidByName.getOrDefault(device, device)).distinct();
    return parts.size() < entries.size()
        ? Stream.concat(uuids, gpus.stream())
            .distinct()
            .map(GrantedPart::whole)
            .collect(toImmutableList())
        : Stream.concat(
                parts.stream(), uuids.filter(uuid -> !gpus.contains(uuid)).map(GrantedPart::whole))
            .collect(toImmutableList());
  }

  private Optional<GrantedPart> part(String path, PartEntry entry, List<SharingEntry> settings) {
    try {
      return Optional.of(WireDevices.read(entry, settings).part());
    } catch (IllegalArgumentException e) {
      fields.problems().addBelow(path, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }
}
