package io.gpudra.bench.sample;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.kubeletplugin.device.FakeNodeProfile;

/**
 * A node of fake GPUs as the plugin knows them.
 *
 * @param profile such as {@code a100-40}
 */
public record ProfileNode(String name, String profile) {
  private static final int PARTS_FORMAT = 2;

  /** What it has, when nothing is prepared. */
  public Inventory inventory() {
    FakeNodeProfile made = FakeNodeProfile.parse(profile);
    return new Inventory(
        NodeState.ready(name),
        made.driverVersion(),
        made.cudaDriverVersion(),
        made.gpus(name),
        made.links(name),
        ImmutableList.of(),
        PARTS_FORMAT,
        new Inventory.Service.Serving());
  }

  /** One of its GPUs, as a grant names it. */
  public GrantedDevice device(int index) {
    var gpu = FakeNodeProfile.parse(profile).gpus(name).get(index);
    return new GrantedDevice(gpu.name(), gpu.uuid());
  }
}
