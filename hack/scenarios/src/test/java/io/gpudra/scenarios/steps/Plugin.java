package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.simulator.kubelet.DraPlugin;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A machine's plugin as its kubelet calls it, without the socket. */
record Plugin(Machine machine, World world) implements DraPlugin {
  private static final String CUT =
      "rpc error: code = Unavailable desc = error reading from server";

  @Override
  public Reply prepare(List<ClaimCall> claims) {
    return call(claims, preparer -> prepared(preparer, claims));
  }

  @Override
  public Reply unprepare(List<ClaimCall> claims) {
    return call(claims, preparer -> unprepared(preparer, claims));
  }

  private Reply call(List<ClaimCall> claims, Function<ClaimPreparer, Reply> work) {
    if (machine.life().isEmpty()) {
      return Reply.failed(CUT);
    }
    try {
      return work.apply(machine.life().get().preparer());
    } catch (Death died) {
      world.say(
          "plugin of %s dies in a call about %s",
          machine.name(), Lists.transform(claims, Plugin::ref));
      disturbed(claims);
      return Reply.failed(CUT);
    }
  }

  private Reply prepared(ClaimPreparer preparer, List<ClaimCall> claims) {
    PrepareCall call = PrepareCall.withoutDeadline();
    Map<ClaimUid, PrepareOutcome> outcomes = new LinkedHashMap<>();
    claims.forEach(claim -> outcomes.put(uid(claim), prepare(preparer, claim, call)));
    world.say("plugin of %s prepares %s", machine.name(), outcomes);
    boolean lost = world.fates().losesAnswer(machine, "prepare");
    if (lost) {
      call.cancel();
    }
    boolean complete = outcomes.values().stream().allMatch(Ready.class::isInstance);
    if (lost || !complete) {
      preparer.abandoned(call, outcomes.keySet());
    }
    if (lost) {
      return Reply.failed("rpc error: code = DeadlineExceeded desc = context deadline exceeded");
    }
    preparer.answered(outcomes.keySet());
    return answers(outcomes, complete);
  }

  private static PrepareOutcome prepare(ClaimPreparer preparer, ClaimCall claim, PrepareCall call) {
    return HandleCodec.decode(claim.handle()) instanceof DecodedHandle.Decoded withGrant
        ? preparer.prepare(new PrepareRequest(uid(claim), ref(claim), withGrant.grant()), call)
        : new PrepareOutcome.Refused(
            new PrepareRefusal(PrepareRefusal.Kind.INVALID, "unreadable handle"));
  }

  private static Reply answers(Map<ClaimUid, PrepareOutcome> outcomes, boolean complete) {
    ImmutableMap.Builder<String, ClaimAnswer> answers = ImmutableMap.builder();
    outcomes.forEach(
        (uid, outcome) -> {
          if (outcome instanceof PrepareOutcome.Refused no) {
            answers.put(uid.value(), new ClaimAnswer(List.of(), no.refusal().text()));
          } else {
            List<String> devices = ((Ready) outcome).cdiDevices();
            answers.put(uid.value(), new ClaimAnswer(devices, complete ? "" : "given back"));
          }
        });
    return Reply.of(answers.buildOrThrow());
  }

  private Reply unprepared(ClaimPreparer preparer, List<ClaimCall> claims) {
    ImmutableMap.Builder<String, ClaimAnswer> answers = ImmutableMap.builder();
    for (ClaimCall claim : claims) {
      String problem = unprepare(preparer, claim).map(PrepareRefusal::text).orElse("");
      world.say("plugin of %s unprepares %s: %s", machine.name(), ref(claim), problem);
      answers.put(claim.uid(), new ClaimAnswer(ImmutableList.of(), problem));
    }
    if (world.fates().losesAnswer(machine, "unprepare")) {
      disturbed(claims);
      return Reply.failed(CUT);
    }
    return Reply.of(answers.buildKeepingLast());
  }

  private Optional<PrepareRefusal> unprepare(ClaimPreparer preparer, ClaimCall claim) {
    world.disturbances().takesBack(uid(claim));
    try {
      return preparer.unprepare(uid(claim), ref(claim), PrepareCall.withoutDeadline());
    } finally {
      world.disturbances().tookBack(uid(claim));
    }
  }

  private void disturbed(List<ClaimCall> claims) {
    world.disturbances().disturbed(machine, Lists.transform(claims, Plugin::ref));
  }

  private static ClaimUid uid(ClaimCall claim) {
    return new ClaimUid(claim.uid());
  }

  private static ClaimRef ref(ClaimCall claim) {
    return new ClaimRef(claim.namespace(), claim.name());
  }
}
