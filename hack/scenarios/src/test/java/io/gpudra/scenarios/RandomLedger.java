package io.gpudra.scenarios;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.ledger.NodeLedger.Unreadable;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** A node in any state, whose GPUs are held, prepared, tainted, cut and lost as chance has it. */
final class RandomLedger {
  private static final MigProfile SMALL = profile("1g.10gb", 1, 1, 0, 1, 2, 3, 4, 5, 6);
  private static final MigProfile HALF = profile("3g.40gb", 3, 4, 0, 4);
  private static final MigProfile ALL = profile("7g.80gb", 7, 8, 0);
  private static final int LISTED = 3;

  static final GpuModel MODEL = GpuModels.model("A100", 80, SMALL, HALF, ALL);

  private final String node;
  private final Random random;

  private RandomLedger(String node, Random random) {
    this.node = node;
    this.random = random;
  }

  static NodeLedger of(String node, Random random) {
    return new RandomLedger(node, random).ledger();
  }

  private static MigProfile profile(String name, int compute, int size, Integer... starts) {
    return GpuModels.sized(
        size * (10L << 30), GpuModels.profile(name, compute, size, starts.length, starts));
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private <T> ImmutableList<T> some(int most, IntFunction<T> make) {
    return IntStream.range(0, random.nextInt(most + 1))
        .mapToObj(make)
        .collect(ImmutableList.toImmutableList());
  }

  private NodeLedger ledger() {
    NodeLedger ledger = NodeLedger.of(inventory());
    for (Grant grant : some(3, this::grant)) {
      ledger = ledger.observed(grant.claim(), ref(grant.claim()), Optional.of(grant));
    }
    ClaimUid odd = new ClaimUid("odd");
    return oneIn(8) ? ledger.observed(odd, new Unreadable(ref(odd), "version 9")) : ledger;
  }

  private Inventory inventory() {
    NodeFixture made = NodeFixture.node(node).driver("", "");
    Service service = service();
    if (!(service instanceof Service.Absent)) {
      made.gpus(some(LISTED, this::gpu));
      made.prepared(some(2, this::prepared).toArray(PreparedClaim[]::new));
    }
    return made.service(service).inventory();
  }

  private Service service() {
    return switch (random.nextInt(10)) {
      case 0 -> new Service.Absent();
      case 1 -> new Service.Stale(Instant.EPOCH);
      case 2 -> new Service.NotReady("Stopped");
      case 3 -> new Service.Implausible("devices: too many");
      default -> new Service.Serving();
    };
  }

  private Gpu gpu(int index) {
    return GpuModels.gpu(uuid(index), index, MODEL)
        .with(GpuModels.enabled().with(oneIn(3) ? ImmutableList.of(device()) : ImmutableList.of()))
        .with(taints("xid", "lost"));
  }

  private ImmutableList<DeviceTaint> taints(String... kinds) {
    return oneIn(4)
        ? ImmutableList.of(
            Taints.noSchedule("gpu.resource.example.com/" + kinds[random.nextInt(kinds.length)]))
        : ImmutableList.of();
  }

  private MigState.Device device() {
    return new MigState.Device(
            "MIG-" + random.nextInt(), slice(), Optional.empty(), random.nextBoolean())
        .with(taints("xid"));
  }

  private Part.Slice slice() {
    MigProfile profile = ImmutableList.of(SMALL, HALF, ALL).get(random.nextInt(3));
    ImmutableList<Integer> starts = profile.starts().asList();
    return GpuModels.slice(profile, starts.get(random.nextInt(starts.size())));
  }

  private GrantedPart part() {
    Part part =
        switch (random.nextInt(4)) {
          case 0, 1 -> new Part.Whole();
          case 2 -> new Part.Share((1L + random.nextInt(80)) << 30, 0);
          default -> slice();
        };
    return GrantFixture.part(uuid(random.nextInt(LISTED + 1)), part);
  }

  private PreparedClaim prepared(int claim) {
    return new PreparedClaim(uid(claim), ref(uid(claim)), some(2, i -> part()), Optional.empty());
  }

  private Grant grant(int claim) {
    return GrantFixture.grant(uid(claim), node, new GrantedDevice("gpu", part(), false));
  }

  private String uuid(int gpu) {
    return "GPU-" + node + "-" + gpu;
  }

  private static ClaimUid uid(int claim) {
    return new ClaimUid("uid-" + claim);
  }

  private static ClaimRef ref(ClaimUid claim) {
    return new ClaimRef("team-a", claim.value());
  }
}
