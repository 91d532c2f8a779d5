package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.Gpu;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** GPUs that exist only on paper, for nodes without hardware; remembers which are set up. */
public final class FakeDevices implements Devices {

  private final Profile profile;
  private final ImmutableList<Gpu> gpus;
  private final Set<String> ready = ConcurrentHashMap.newKeySet();

  /** The GPUs of a profile; their UUIDs follow from the node's name. */
  public FakeDevices(Profile profile, String node) {
    this.profile = profile;
    this.gpus = profile.gpus(node);
  }

  @Override
  public ImmutableList<Gpu> gpus() {
    return gpus;
  }

  @Override
  public String driverVersion() {
    return profile.driverVersion();
  }

  @Override
  public String cudaDriverVersion() {
    return profile.cudaDriverVersion();
  }

  @Override
  public void setUp(String uuid) throws IOException {
    if (find(uuid).isEmpty()) {
      throw new IOException("no GPU " + uuid + " on this node");
    }
    ready.add(uuid);
  }

  @Override
  public void tearDown(String uuid) {
    ready.remove(uuid);
  }

  @Override
  public void reset() {
    ready.clear();
  }

  /** UUIDs of the GPUs that are set up at the moment. */
  public ImmutableSet<String> ready() {
    return ImmutableSet.copyOf(ready);
  }
}
