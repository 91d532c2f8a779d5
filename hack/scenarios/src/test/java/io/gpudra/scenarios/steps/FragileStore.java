package io.gpudra.scenarios.steps;

import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.CheckpointStore;
import java.io.IOException;
import java.util.Optional;

/** The checkpoint in the hands of a process that can die. */
record FragileStore(Machine machine, Machine.Life life) implements CheckpointStore {

  @Override
  public Optional<Checkpoint> load() {
    return machine.checkpoint();
  }

  @Override
  public void save(Checkpoint checkpoint) throws IOException {
    machine.around(life, "save", () -> machine.save(checkpoint));
  }

  @Override
  public boolean lost() {
    return machine.checkpoint().isEmpty();
  }
}
