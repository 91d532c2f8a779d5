package io.gpudra.simulator.cluster;

import io.gpudra.simulator.kubelet.DraPlugin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Prepares every claim as one CDI device, unless told otherwise; remembers what it was asked. */
final class ScriptedPlugin implements DraPlugin {
  final List<String> calls = new ArrayList<>();

  /** UIDs of claims. */
  final List<String> unprepared = new ArrayList<>();

  Function<List<ClaimCall>, Reply> onPrepare = ScriptedPlugin::success;
  Function<List<ClaimCall>, Reply> onUnprepare = ScriptedPlugin::success;

  static Reply success(List<ClaimCall> claims) {
    Map<String, ClaimAnswer> answers = new TreeMap<>();
    for (ClaimCall claim : claims) {
      answers.put(claim.uid(), new ClaimAnswer(List.of("example.com/gpu=" + claim.handle()), ""));
    }
    return Reply.of(answers);
  }

  static Reply error(List<ClaimCall> claims) {
    Map<String, ClaimAnswer> answers = new TreeMap<>();
    claims.forEach(claim -> answers.put(claim.uid(), new ClaimAnswer(List.of(), "busy")));
    return Reply.of(answers);
  }

  @Override
  public Reply prepare(List<ClaimCall> claims) {
    calls.add("prepare " + names(claims));
    return onPrepare.apply(claims);
  }

  @Override
  public Reply unprepare(List<ClaimCall> claims) {
    calls.add("unprepare " + names(claims));
    claims.forEach(claim -> unprepared.add(claim.uid()));
    return onUnprepare.apply(claims);
  }

  private static String names(List<ClaimCall> claims) {
    return String.join(
        ",", claims.stream().map(claim -> claim.name() + "=" + claim.handle()).toList());
  }
}
