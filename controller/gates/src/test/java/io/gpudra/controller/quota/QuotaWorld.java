package io.gpudra.controller.quota;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import io.gpudra.crds.api.quota.GpuQuotaSpec.Hard;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Ledgers of nodes with A100 of 40 GiB, and a book of the quotas of {@code team}. */
final class QuotaWorld {
  static final String TEAM = "team";
  static final String CLASS = "gpu";
  static final HoldOwner OWNER = new HoldOwner("pass");
  static final GrantAudit AUDIT = new GrantAudit(3, Instant.EPOCH);
  static final long GIB = GpuModels.GIB;

  final Map<ClaimUid, Optional<String>> classes = new HashMap<>();
  final QuotaBook book =
      new QuotaBook((ref, claim) -> classes.getOrDefault(claim, Optional.of(CLASS)));
  final Ledgers ledgers = new Ledgers(book);

  QuotaWorld(String... nodes) {
    Arrays.stream(nodes).map(node -> inventory(node, 4)).forEach(ledgers::observe);
  }

  static Inventory inventory(String node, int gpus) {
    return NodeFixture.node(node).gpus(gpus, GpuModels.A100).inventory();
  }

  static ClaimUid uid(String claim) {
    return new ClaimUid("uid-of-" + claim);
  }

  /** The namespace comes before a slash, if it is another one. */
  static ClaimRef ref(String claim) {
    int slash = claim.indexOf('/');
    return slash < 0
        ? new ClaimRef(TEAM, claim)
        : new ClaimRef(claim.substring(0, slash), claim.substring(slash + 1));
  }

  static String gpu(String node, int index) {
    return "GPU-" + node + "-" + index;
  }

  static Grant grant(String claim, String node, GrantedPart... parts) {
    return GrantFixture.grant(
        uid(claim),
        node,
        Arrays.stream(parts)
            .map(part -> GrantFixture.device("gpu-0", part))
            .toArray(GrantedDevice[]::new));
  }

  /** The API shows that the claim has these GPUs. */
  void hold(String claim, String node, int... gpus) {
    observe(
        claim,
        grant(
            claim,
            node,
            IntStream.of(gpus)
                .mapToObj(i -> GrantedPart.whole(gpu(node, i)))
                .toArray(GrantedPart[]::new)));
  }

  void observe(String claim, Grant grant) {
    ledgers.observe(ref(claim), uid(claim), Optional.of(grant));
  }

  void gone(String claim) {
    ledgers.observe(ref(claim), uid(claim), Optional.empty());
  }

  static QuotaLimit limit(
      String name, @Nullable String gpus, @Nullable String memory, String... classes) {
    GpuQuotaSpec spec = new GpuQuotaSpec(List.of(classes), new Hard(gpus, memory));
    return QuotaLimit.of(name, "uid-of-" + name, spec);
  }

  void quotas(QuotaLimit... limits) {
    ledgers.withAll(all -> book.limits(TEAM, ImmutableList.copyOf(limits), all));
  }

  /** The alternatives in their order, of so many whole GPUs each. */
  static ClaimRequest wants(String claim, int... counts) {
    return wants(
        claim,
        IntStream.of(counts)
            .mapToObj(count -> DeviceSubRequest.whole(count, Among.EVERY))
            .toArray(DeviceSubRequest[]::new));
  }

  static ClaimRequest wants(String claim, DeviceKind kind) {
    return wants(claim, devices(kind, 1, /* all= */ false));
  }

  static DeviceSubRequest devices(DeviceKind kind, int count, boolean all) {
    return new DeviceSubRequest(
        Optional.empty(), count, all, kind, Among.EVERY, SharingStrategy.NONE);
  }

  static ClaimRequest wants(String claim, DeviceSubRequest... alternatives) {
    return new RequestFixture(
            ref(claim),
            Arrays.stream(alternatives)
                .map(one -> new RequestAlternative(ImmutableList.of(one), DeviceConstraints.ANYHOW))
                .collect(toImmutableList()))
        .uid(uid(claim).value())
        .build();
  }

  static PodRequest pod(ClaimRequest... claims) {
    return new PodRequest(ImmutableList.copyOf(claims));
  }

  CommitResult commit(ClaimRequest... claims) {
    return ledgers.commitBest(pod(claims), OWNER, AUDIT);
  }

  boolean grants(ClaimRequest... claims) {
    return commit(claims) instanceof CommitResult.Committed;
  }

  /** The names of the quotas that keep the claims from devices. */
  ImmutableSet<String> limits(ClaimRequest... claims) {
    return ((CommitResult.Limited) commit(claims)).limits();
  }

  /** What is used of the quota. */
  QuotaCharge used(String quota) {
    return book.uses(TEAM).stream()
        .filter(use -> use.limit().name().equals(quota))
        .map(QuotaUse::used)
        .findFirst()
        .orElseThrow();
  }
}
