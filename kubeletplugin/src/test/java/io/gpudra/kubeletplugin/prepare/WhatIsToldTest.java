package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who shows what the node holds hears of each change, once it can be seen. */
class WhatIsToldTest {

  private static final ClaimUid U1 = new ClaimUid("u1");

  @TempDir Path directory = Path.of("");
  private final Faults faults = new Faults();

  /** How many claims and names were listed each time. */
  private final List<Integer> told = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // set before each test
  private FakeNode node;

  @BeforeEach
  void install() {
    node = new FakeNode(directory, Parts.gpus(3));
  }

  private ClaimPreparer start() throws IOException {
    ClaimPreparer preparer = node.start(faults, HASTY);
    preparer.onChange(() -> told.add(preparer.listed().size()));
    return preparer;
  }

  private void prepare(ClaimPreparer preparer) {
    assertThat(preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline()))
        .isInstanceOf(Ready.class);
  }

  private static void unprepare(ClaimPreparer preparer) {
    assertThat(preparer.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
  }

  private ClaimPreparer booted() throws IOException {
    prepare(start());
    node.bootId = "boot-2";
    ClaimPreparer preparer = start();
    told.clear();
    return preparer;
  }

  @Test
  void thatAClaimIsIntendedBeforeItsDevicesAreTouched() throws IOException {
    List<Integer> before = new ArrayList<>();
    faults.on("setUp", () -> before.addAll(told));

    prepare(start());

    assertThat(before).containsExactly(1);
  }

  @Test
  void thatAClaimIsGone() throws IOException {
    ClaimPreparer preparer = start();
    prepare(preparer);
    unprepare(preparer);

    assertThat(told).last().isEqualTo(0);
  }

  @Test
  void thatTheKubeletHasForgottenAName() throws IOException {
    unprepare(booted());

    assertThat(told).last().isEqualTo(0);
  }

  @Test
  void thatTheKubeletAsksAgain() throws IOException {
    booted().kubeletAsksAgain();

    assertThat(told).containsExactly(0);
  }

  @Test
  void whichGpusAreHeldWholeOrInPart() throws IOException {
    ClaimPreparer preparer = start();
    preparer.prepare(node.request("u1", whole(2), share(0, 4)), PrepareCall.withoutDeadline());

    assertThat(preparer.heldGpus()).containsExactlyInAnyOrder("GPU-0", "GPU-2");
  }
}
