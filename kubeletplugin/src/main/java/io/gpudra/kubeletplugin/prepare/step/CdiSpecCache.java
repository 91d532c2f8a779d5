package io.gpudra.kubeletplugin.prepare.step;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.cdi.CdiSpec;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.cdi.ContainerEdits;
import io.gpudra.kubeletplugin.device.GpuDevices;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spec files as this process wrote them. They are restored without a call to any GPU: a file
 * must not be missing only because a GPU does not answer.
 */
public final class CdiSpecCache {

  private static final Logger log = LoggerFactory.getLogger(CdiSpecCache.class);

  private final CdiSpecs files;
  private final GpuDevices devices;
  private volatile ContainerEdits ofDriver = ContainerEdits.NONE;

  /** Specs without the edits of the driver, which may be replaced. */
  private final Map<ClaimUid, CdiSpec> kept = new ConcurrentHashMap<>();

  /** No file is written yet. */
  public CdiSpecCache(LocalNode node) {
    this.files = node.specs();
    this.devices = node.devices();
  }

  void write(ClaimUid claim, CdiSpec spec) throws IOException {
    ofDriver = devices.driverEdits();
    kept.put(claim, spec);
    putBack(claim);
  }

  void remove(ClaimUid claim) throws IOException {
    kept.remove(claim);
    files.remove(claim);
  }

  /** Files that are restored from now on are for the current driver. */
  public void followDriver() {
    try {
      ofDriver = devices.driverEdits();
    } catch (IOException e) {
      log.debug("keeping spec files of the previous driver reason=\"{}\"", e.getMessage());
    }
  }

  /** Restores the claim's file if it was written. */
  public void putBack(ClaimUid claim) throws IOException {
    CdiSpec spec = kept.get(claim);
    if (spec != null) {
      files.write(claim, spec.with(ofDriver));
    }
  }
}
