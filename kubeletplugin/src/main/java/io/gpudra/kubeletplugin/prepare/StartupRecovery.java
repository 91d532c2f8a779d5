package io.gpudra.kubeletplugin.prepare;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import java.io.IOException;
import java.util.Optional;

/**
 * Restores a consistent state after an earlier process, before the first call.
 *
 * @param unrepaired claims that keep their devices although some of them are broken
 */
public record StartupRecovery(
    ClaimPreparer preparer, ImmutableMap<ClaimUid, PrepareRefusal> unrepaired) {

  /**
   * Reads the checkpoint and makes the node agree with it: after another boot nothing is held,
   * intended claims are undone, prepared claims are repaired.
   *
   * @param grants read only when a handle of the kubelet may be from an earlier boot
   * @throws IOException when the devices in use are unknown; then nothing was changed
   */
  public static StartupRecovery start(LocalNode node, LiveGrants grants, WaitTimeout waitTimeout)
      throws IOException {
    Checkpoint checkpoint = load(node);
    removeUnknownSpecs(node, checkpoint);
    ClaimPreparer preparer =
        new ClaimPreparer(
            node,
            new NodeClaims(new CheckpointCache(checkpoint, node.checkpoint(), node.devices())),
            grants,
            waitTimeout);
    node.devices().hold(preparer.heldGpus());
    preparer.sweep();
    return new StartupRecovery(preparer, preparer.verify());
  }

  private static Checkpoint load(LocalNode node) throws IOException {
    Optional<Checkpoint> found = node.checkpoint().load();
    if (found.isEmpty()) {
      refuseWithSpecs(node.specs().present());
      return startFresh(node, ImmutableList.of());
    }
    return found.get().bootId().equals(node.bootId())
        ? found.get()
        : startFresh(node, KubeletMemory.of(found.get()).claims());
  }

  private static void refuseWithSpecs(ImmutableSet<ClaimUid> present) throws IOException {
    if (!present.isEmpty()) {
      throw new IOException(
          "the checkpoint is missing, but CDI files of this driver exist for the claims %s: containers may use their GPUs; restore the checkpoint, or drain the node and remove the files"
              .formatted(present.stream().map(ClaimUid::value).sorted().collect(joining(", "))));
    }
  }

  /**
   * No container survives a boot, so claims of an earlier boot hold nothing; the kubelet still
   * knows them.
   */
  private static Checkpoint startFresh(LocalNode node, ImmutableList<Remembered> remembered)
      throws IOException {
    Checkpoint empty = new Checkpoint(node.bootId(), ImmutableMap.of(), remembered);
    node.devices().reset();
    node.checkpoint().save(empty);
    return empty;
  }

  private static void removeUnknownSpecs(LocalNode node, Checkpoint checkpoint) throws IOException {
    for (ClaimUid uid : Sets.difference(node.specs().present(), checkpoint.claims().keySet())) {
      node.specs().remove(uid);
    }
  }
}
