package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.simulator.api.ApiError;
import java.util.Optional;
import java.util.function.Supplier;

/** Between one controller and the server: writes and their answers, or not. */
record Wire(Controller process, World world) {

  /** An answer; {@code object} is there when the write was stored. */
  record Answer(Kind kind, Optional<ObjectNode> object) {
    static final Answer NONE = new Answer(Kind.UNCLEAR, Optional.empty());
  }

  Answer send(String write, Supplier<ObjectNode> effect) {
    process.breathe();
    Fates.Fate fate = world.fates().ofWrite(process, write);
    Answer answer =
        switch (fate) {
          case REQUEST_LOST, DIES_BEFORE -> Answer.NONE;
          case REFUSED -> new Answer(Kind.REJECTED, Optional.empty());
          case LATE, DIES_LATE -> late(write, effect);
          case ANSWERED, REPLY_LOST, DIES_AFTER -> perform(effect);
        };
    world.say("%s %s: %s, %s", process.name(), write, fate, answer.kind());
    if (fate.dies()) {
      process.die();
    }
    process.breathe();
    return fate == Fates.Fate.ANSWERED || fate == Fates.Fate.REFUSED ? answer : Answer.NONE;
  }

  private Answer late(String write, Supplier<ObjectNode> effect) {
    world
        .late()
        .add(
            () ->
                world.say(
                    "a late write of %s lands, %s: %s",
                    process.name(), write, perform(effect).kind()));
    return Answer.NONE;
  }

  private static Answer perform(Supplier<ObjectNode> effect) {
    try {
      return new Answer(Kind.DONE, Optional.of(effect.get()));
    } catch (ApiError e) {
      return new Answer(kind(e), Optional.empty());
    }
  }

  private static Kind kind(ApiError refusal) {
    return switch (refusal.code()) {
      case 409 -> Kind.CONFLICT;
      case 404 -> Kind.GONE;
      default -> Kind.REJECTED;
    };
  }
}
