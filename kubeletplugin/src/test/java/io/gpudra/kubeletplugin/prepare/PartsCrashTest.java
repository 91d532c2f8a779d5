package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.prepare.call.PrepareCall.withoutDeadline;
import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.inside;
import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.parent;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.slice;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static io.gpudra.kubeletplugin.testing.Parts.within;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The process dies at each point of each step of a part, beside a claim that needs the same. */
class PartsCrashTest {

  static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty());

  /** What two claims have at the same time. */
  record Pair(String what, ImmutableList<GrantedDevice> first, GrantedDevice other) {
    Pair(String what, GrantedDevice first, GrantedDevice other) {
      this(what, ImmutableList.of(first), other);
    }

    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Pair> pairs() {
    GrantedDevice left = inside("p", Parts.of(0, within(slice("2g.10gb", 2), 0, 1)));
    GrantedDevice right = inside("p", Parts.of(0, within(slice("2g.10gb", 2), 1, 1)));
    return Stream.of(
        new Pair("slices", mig(0, "1g.5gb", 0), mig(0, "3g.20gb", 4)),
        new Pair(
            "slices of two GPUs",
            ImmutableList.of(mig(0, "1g.5gb", 0), mig(1, "7g.40gb", 0)),
            mig(0, "1g.5gb", 1)),
        new Pair("compute instances", left, right),
        new Pair("slice in a GPU", parent(whole(0)), inside("u1", mig(0, "1g.5gb", 6))),
        new Pair("turns", with(Parts.LONG, share(0, 4)), with(Parts.LONG, share(0, 8))),
        new Pair("shares with a server", with(MPS, share(0, 4)), with(MPS, share(0, 8))),
        new Pair("server of one's own", with(MPS, mig(0, "1g.5gb", 0)), mig(0, "1g.5gb", 1)),
        new Pair(
            "equal parts",
            with(new SharingStrategy.SpacePartitioning(4), whole(1)),
            with(MPS, share(0, 8))));
  }

  @TempDir Path directory = Path.of("");

  /** With two GPUs. */
  FakeNode node(Path place) throws IOException {
    return new FakeNode(place, Parts.gpus(2));
  }

  /** What else happens to a node when the process on it dies. */
  void died(FakeNode node) {}

  private final Map<List<String>, Object> expected = new HashMap<>();

  private final class Scene {
    final FakeNode node;
    final Pair pair;

    Scene(String name, Pair pair) throws IOException {
      this.node = node(directory.resolve(name));
      this.pair = pair;
      Files.createDirectories(node.cdi);
    }

    ClaimPreparer start() throws IOException {
      return node.start(new Faults(), HASTY);
    }

    boolean prepareFirst(ClaimPreparer preparer) {
      return preparer.prepare(
              node.request("u1", pair.first.toArray(GrantedDevice[]::new)), withoutDeadline())
          instanceof Ready;
    }

    boolean prepareOther(ClaimPreparer preparer) {
      return preparer.prepare(node.request("u2", pair.other), withoutDeadline()) instanceof Ready;
    }

    boolean unprepare(ClaimPreparer preparer, String uid) {
      return preparer.unprepare(new ClaimUid(uid), ref(uid), withoutDeadline()).isEmpty();
    }

    /** Whether it came to that; a process that starts may die too. */
    boolean dies(int point, Consumer<ClaimPreparer> work) throws IOException {
      Faults faults = new Faults();
      ClaimPreparer preparer = node.start(faults, HASTY);
      faults.dieAt(point);
      try {
        work.accept(preparer);
      } catch (Faults.Death e) {
        died(node);
        return true;
      }
      return faults.dead();
    }

    /** What is on the GPUs is what the claims hold, no more and no less. */
    void assertWhole(ClaimPreparer preparer) throws IOException {
      ImmutableList<PreparedClaim> held = preparer.held();
      assertThat(node.specs())
          .containsExactlyInAnyOrderElementsOf(held.stream().map(PreparedClaim::uid).toList());
      Map<String, GrantedDevice[]> all =
          ImmutableMap.of(
              "u1",
              pair.first.toArray(GrantedDevice[]::new),
              "u2",
              new GrantedDevice[] {pair.other});
      assertThat(facts(node)).isEqualTo(expected(held, all));
    }

    /** What a node has that these claims came to in peace. */
    private Object expected(ImmutableList<PreparedClaim> held, Map<String, GrantedDevice[]> all)
        throws IOException {
      List<String> uids = held.stream().map(claim -> claim.uid().value()).toList();
      Object known = expected.get(uids);
      if (known == null) {
        known = facts(peaceful(uids, all));
        expected.put(uids, known);
      }
      return known;
    }

    private FakeNode peaceful(List<String> uids, Map<String, GrantedDevice[]> all)
        throws IOException {
      FakeNode twin = node(directory.resolve("peaceful-" + expected.size()));
      twin.checkpoint.toFile().getParentFile().mkdirs();
      ClaimPreparer preparer = twin.start();
      uids.forEach(uid -> preparer.prepare(twin.request(uid, all.get(uid)), withoutDeadline()));
      assertThat(preparer.held()).hasSameSizeAs(uids);
      return twin;
    }
  }

  /** Without what differs each time. */
  private static Object facts(FakeNode node) throws IOException {
    return ImmutableList.of(
        node.ready(),
        node.settings(),
        node.servers(),
        node.devices.gpus().stream()
            .map(
                gpu ->
                    ImmutableSet.copyOf(
                        gpu.mig().devices().stream().map(device -> device.slice()).toList()))
            .toList());
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aPrepareThatDiesLeavesNothingHalfDone(Pair pair) throws IOException {
    for (int point = 0; ; point++) {
      Scene scene = new Scene("prepare-" + point, pair);
      assertThat(scene.prepareOther(scene.start())).isTrue();
      boolean died = scene.dies(point, scene::prepareFirst);
      ClaimPreparer next = scene.start();
      scene.assertWhole(next);
      assertThat(scene.prepareFirst(next)).isTrue();
      scene.assertWhole(next);
      assertThat(scene.unprepare(next, "u1")).isTrue();
      scene.assertWhole(next);
      assertThat(scene.unprepare(next, "u2")).isTrue();
      scene.assertWhole(next);
      if (!died) {
        assertThat(point).isGreaterThanOrEqualTo(6);
        return;
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void anUnprepareThatDiesIsFinishedByItsRepetition(Pair pair) throws IOException {
    for (int point = 0; ; point++) {
      Scene scene = new Scene("unprepare-" + point, pair);
      ClaimPreparer first = scene.start();
      assertThat(scene.prepareOther(first) && scene.prepareFirst(first)).isTrue();
      boolean died =
          scene.dies(
              point,
              preparer -> {
                scene.unprepare(preparer, "u1");
                scene.unprepare(preparer, "u2");
              });
      ClaimPreparer next = scene.start();
      scene.assertWhole(next);
      assertThat(scene.unprepare(next, "u2")).isTrue();
      scene.assertWhole(next);
      assertThat(scene.unprepare(next, "u1")).isTrue();
      assertThat(next.held()).isEmpty();
      scene.assertWhole(next);
      if (!died) {
        return;
      }
    }
  }

  /** Of a GPU in MIG mode no setting can be taken back, and none need be. */
  @Test
  void aShareThatDiesBeforeTheModeIsSwitchedIsUndone() throws IOException {
    Pair pair = new Pair("share", with(MPS, share(0, 4)), with(Parts.LONG, share(1, 4)));
    Scene scene = new Scene("mode", pair);
    scene.node.devices.setMigMode("GPU-0", MigMode.ENABLED);
    assertThat(scene.dies(1, scene::prepareFirst)).isTrue();
    assertThat(scene.start().held()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void anUndoThatDiesIsFinishedByTheNextStart(Pair pair) throws IOException {
    for (int point = 0; ; point++) {
      Scene scene = new Scene("undo-" + point, pair);
      Faults failing = new Faults();
      ClaimPreparer first = scene.node.start(failing, HASTY);
      assertThat(scene.prepareOther(first)).isTrue();
      failing.fail("write");
      failing.dieAt(point);
      boolean died;
      try {
        scene.prepareFirst(first);
        died = failing.dead();
      } catch (Faults.Death e) {
        died(scene.node);
        died = true;
      }
      ClaimPreparer next = scene.start();
      assertThat(next.held()).extracting(claim -> claim.uid().value()).containsExactly("u2");
      scene.assertWhole(next);
      if (!died) {
        return;
      }
    }
  }

  /** Makes MIG devices on the node beside the plugin. */
  GpuDevices stranger(FakeNode node) throws IOException {
    return node.devices;
  }

  private static final Pair ALONE = new Pair("slice", mig(0, "2g.10gb", 2), mig(0, "1g.5gb", 0));

  /** Whether the place was free. */
  private static boolean take(GpuDevices stranger) throws IOException {
    Slice place = slice("2g.10gb", 2);
    stranger.poll(ImmutableSet.of());
    boolean free = at(stranger, place).isEmpty();
    if (free) {
      stranger.setMigMode("GPU-0", MigMode.ENABLED);
      stranger.makeGpuInstance("GPU-0", place);
      stranger.makeComputeInstance("GPU-0", place);
    }
    return free;
  }

  private static List<String> at(GpuDevices devices, Slice place) {
    return devices.find("GPU-0").orElseThrow().mig().devices().stream()
        .filter(device -> device.slice().sameInstance(place))
        .map(MigState.Device::uuid)
        .toList();
  }

  private static void give(GpuDevices stranger, Slice place) throws IOException {
    stranger.destroyComputeInstance("GPU-0", place);
    stranger.destroyGpuInstance("GPU-0", place);
  }

  @Test
  void whatSomebodyMakesInThePlaceOfAPrepareThatDiedIsNotTouched() throws IOException {
    int taken = 0;
    for (int point = 0; ; point++) {
      Scene scene = new Scene("foreign-" + point, ALONE);
      boolean died = scene.dies(point, scene::prepareFirst);
      GpuDevices stranger = stranger(scene.node);
      boolean foreign = take(stranger);
      List<String> there = at(stranger, slice("2g.10gb", 2));
      ClaimPreparer next = scene.start();
      if (foreign) {
        taken++;
        assertThat(scene.prepareFirst(next)).isFalse();
        assertThat(scene.unprepare(next, "u1")).isTrue();
        assertThat(at(scene.node.devices, slice("2g.10gb", 2))).isEqualTo(there);
      } else {
        assertThat(scene.prepareFirst(next)).isTrue();
        assertThat(scene.unprepare(next, "u1")).isTrue();
        scene.assertWhole(next);
      }
      if (!died) {
        assertThat(taken).isBetween(3, point - 3);
        return;
      }
    }
  }

  @Test
  void whatSomebodyMadeAMomentAgoIsNeitherUsedNorTouched() throws IOException {
    Scene scene = new Scene("moment", ALONE);
    scene.node.devices.setMigMode("GPU-0", MigMode.ENABLED);
    ClaimPreparer preparer = scene.start();
    GpuDevices stranger = stranger(scene.node);
    take(stranger);
    List<String> there = at(stranger, slice("2g.10gb", 2));

    assertThat(scene.prepareFirst(preparer)).isFalse();
    assertThat(scene.unprepare(preparer, "u1")).isTrue();

    assertThat(scene.start().held()).isEmpty();
    assertThat(at(scene.node.devices, slice("2g.10gb", 2))).isEqualTo(there);
  }

  @Test
  void halfOfOneThatSomebodyMadeAMomentAgoIsNotTouchedEither() throws IOException {
    Scene scene = new Scene("half", ALONE);
    scene.node.devices.setMigMode("GPU-0", MigMode.ENABLED);
    ClaimPreparer preparer = scene.start();
    stranger(scene.node).makeGpuInstance("GPU-0", slice("2g.10gb", 2));

    assertThat(scene.prepareFirst(preparer)).isFalse();
    assertThat(scene.unprepare(preparer, "u1")).isTrue();
    scene.start();
    assertThat(at(scene.node.devices, slice("2g.10gb", 2))).hasSize(1);
  }

  @Test
  void whatSomebodyMadeInPlaceOfWhatAClaimHasIsNotTouched() throws IOException {
    for (boolean restart : new boolean[] {false, true}) {
      Scene scene = new Scene("instead-" + restart, ALONE);
      ClaimPreparer preparer = scene.start();
      assertThat(scene.prepareFirst(preparer)).isTrue();
      GpuDevices stranger = stranger(scene.node);
      stranger.poll(ImmutableSet.of());
      give(stranger, slice("2g.10gb", 2));
      take(stranger);
      List<String> there = at(stranger, slice("2g.10gb", 2));
      preparer = restart ? scene.start() : preparer;

      assertThat(scene.prepareFirst(preparer)).as("it is not the claim's").isFalse();
      assertThat(scene.unprepare(preparer, "u1")).isTrue();

      scene.start();
      assertThat(at(scene.node.devices, slice("2g.10gb", 2))).isEqualTo(there);
    }
  }

  @Test
  void whatIsMadeAnewForAClaimIsTheClaims() throws IOException {
    Scene scene = new Scene("anew", ALONE);
    ClaimPreparer preparer = scene.start();
    assertThat(scene.prepareFirst(preparer)).isTrue();
    GpuDevices stranger = stranger(scene.node);
    stranger.poll(ImmutableSet.of());
    give(stranger, slice("2g.10gb", 2));

    assertThat(scene.prepareFirst(preparer)).isTrue();
    assertThat(scene.prepareFirst(scene.start())).isTrue();
    ClaimPreparer next = scene.start();
    assertThat(scene.unprepare(next, "u1")).isTrue();
    scene.assertWhole(next);
  }
}
