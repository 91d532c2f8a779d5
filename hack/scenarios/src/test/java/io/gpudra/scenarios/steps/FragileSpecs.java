package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.cdi.CdiSpec;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import java.io.IOException;

/** The CDI directory in the hands of a process that can die. */
record FragileSpecs(Machine machine, Machine.Life life, CdiSpecs files) implements CdiSpecs {

  @Override
  public CdiNames names() {
    return files.names();
  }

  @Override
  public void write(ClaimUid claim, CdiSpec spec) throws IOException {
    machine.around(life, "write", () -> files.write(claim, spec));
  }

  @Override
  public void remove(ClaimUid claim) throws IOException {
    machine.around(life, "remove", () -> files.remove(claim));
  }

  @Override
  public ImmutableSet<ClaimUid> present() throws IOException {
    return files.present();
  }
}
