package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.actor.Claim;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.ClaimInfo.ClaimKey;
import io.gpudra.simulator.kubelet.ClaimInfo.DriverCall;
import io.gpudra.simulator.kubelet.DraPlugin.ClaimAnswer;
import io.gpudra.simulator.kubelet.DraPlugin.ClaimCall;
import io.gpudra.simulator.kubelet.DraPlugin.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * Prepares and unprepares the claims of a pod as the kubelet of a release does (protocol.md 3.5,
 * 4.6), including its bugs. Both return an error; empty is success.
 *
 * @param profile how the cluster names claims
 */
record ClaimPreparation(
    Api api, Profile profile, Profile kubelet, ClaimCache cache, DraPlugin.Finder plugins) {

  Optional<String> prepare(Pod pod) {
    Map<String, ClaimInfo> started = new HashMap<>();
    Map<String, List<ClaimCall>> batches = new TreeMap<>();
    for (Pod.ClaimEntry entry : pod.claims(profile)) {
      if (entry.binding() == Pod.Binding.NOT_NEEDED || isKnownToOneOf127(pod, entry)) {
        continue;
      }
      Optional<Claim> claim = live(pod, entry);
      Optional<String> refusal = refusal(pod, entry, claim);
      if (refusal.isPresent()) {
        return refusal;
      }
      if (claim.isPresent() && usedByContainer(pod, entry.entry())) {
        plan(pod, claim.get(), started, batches);
      }
    }
    for (Map.Entry<String, List<ClaimCall>> batch : batches.entrySet()) {
      Optional<String> failure = prepare(batch.getKey(), batch.getValue(), started);
      if (failure.isPresent()) {
        return failure;
      }
    }
    cache.save();
    return Optional.empty();
  }

  private Optional<Claim> live(Pod pod, Pod.ClaimEntry entry) {
    return api.get(Resource.CLAIMS, pod.namespace(), entry.claim()).map(Claim::new);
  }

  /** It then calls neither the API server, to check the pod's reservation, nor the plugin. */
  private boolean isKnownToOneOf127(Pod pod, Pod.ClaimEntry entry) {
    if (kubelet != Profile.V1_27) {
      return false;
    }
    ClaimKey key = ClaimKey.of(entry.claim(), pod.namespace());
    cache.change(key, info -> info.withPods(Set.of(pod.uid())));
    return cache.get(key).isPresent();
  }

  private static Optional<String> refusal(Pod pod, Pod.ClaimEntry entry, Optional<Claim> claim) {
    if (entry.binding() == Pod.Binding.NOT_CREATED) {
      return Optional.of(
          "prepare resource claim: pod claim %s: claim not created yet".formatted(entry.entry()));
    }
    if (claim.isEmpty()) {
      return Optional.of(notFound(pod, entry));
    }
    if (entry.generated() && !Meta.controlledBy(claim.get().json(), pod.uid())) {
      return Optional.of(
          "ResourceClaim %s was not created for pod %s"
              .formatted(entry.claim(), Meta.key(pod.json())));
    }
    return claim.get().reservedFor(pod.uid())
        ? Optional.empty()
        : Optional.of(
            "pod %s(%s) is not allowed to use resource claim %s(%s)"
                .formatted(pod.name(), pod.uid(), entry.claim(), claim.get().uid()));
  }

  private static String notFound(Pod pod, Pod.ClaimEntry entry) {
    return "failed to fetch ResourceClaim %s referenced by pod %s: resourceclaims.resource.k8s.io"
            .formatted(entry.claim(), pod.name())
        + " \"%s\" not found".formatted(entry.claim());
  }

  private static boolean usedByContainer(Pod pod, String entry) {
    return ContainerRuntime.containers(pod).stream()
        .anyMatch(container -> ContainerRuntime.claims(container).contains(entry));
  }

  private void plan(
      Pod pod, Claim claim, Map<String, ClaimInfo> started, Map<String, List<ClaimCall>> batches) {
    ClaimKey key = ClaimKey.of(claim.name(), claim.namespace());
    cache.change(key, info -> info.withPods(Set.of(pod.uid())));
    ClaimInfo info = cache.get(key).orElseGet(() -> fresh(claim).withPods(Set.of(pod.uid())));
    if (info.prepared()) {
      return;
    }
    for (DriverCall old : info.calls()) {
      // The live claim's UID with the cached handle, which a re-created claim of this name gets.
      batches
          .computeIfAbsent(old.driver(), driver -> new ArrayList<>())
          .add(call(claim, old.call().handle()));
    }
    started.put(claim.uid(), info);
  }

  private static ClaimInfo fresh(Claim claim) {
    ImmutableList.Builder<DriverCall> calls = ImmutableList.builder();
    String owner = Json.text(claim.json(), "status.driverName");
    JsonNode handles = claim.allocation().path("resourceHandles");
    if (handles.isEmpty()) {
      calls.add(new DriverCall(owner, call(claim, "")));
    }
    for (JsonNode handle : handles) {
      String driver = handle.path("driverName").asText(owner);
      calls.add(new DriverCall(driver, call(claim, handle.path("data").asText())));
    }
    return new ClaimInfo(
        ClaimKey.of(claim.name(), claim.namespace()),
        claim.uid(),
        calls.build(),
        ImmutableMap.of(),
        ImmutableSet.of(),
        false);
  }

  private static ClaimCall call(Claim claim, String handle) {
    return new ClaimCall(claim.namespace(), claim.uid(), claim.name(), handle);
  }

  private Optional<String> prepare(
      String driver, List<ClaimCall> claims, Map<String, ClaimInfo> started) {
    Optional<DraPlugin> plugin = plugins.find(driver);
    if (plugin.isEmpty()) {
      String text = "failed to get DRA Plugin client for plugin name %s: %s";
      return Optional.of(text.formatted(driver, unknown(driver)));
    }
    Reply reply = plugin.get().prepare(claims);
    return check(
        "NodePrepareResources",
        claims,
        reply,
        (uid, answer) -> store(uid, driver, answer, started));
  }

  private Optional<String> store(
      String uid, String driver, ClaimAnswer answer, Map<String, ClaimInfo> started) {
    List<String> devices = answer.cdiDevices();
    Optional<String> badName = devices.stream().filter(d -> !CdiSpec.isQualified(d)).findFirst();
    if (badName.isPresent()) {
      // Too late to undo: the plugin has prepared the claim, and the kubelet never unprepares it.
      return Optional.of(
          "failed to add CDIDevices to claimInfo: can't generate CDI annotations: invalid device"
              + " \"%s\"".formatted(badName.get()));
    }
    ImmutableList<String> names = ImmutableList.copyOf(devices);
    started.computeIfPresent(
        uid,
        (same, info) -> {
          ClaimInfo prepared = info.withDevices(driver, names);
          cache.put(prepared);
          return prepared;
        });
    cache.save();
    return Optional.empty();
  }

  /** Since 1.28 in one call for all claims of a plugin, in 1.27 claim by claim. */
  Optional<String> unprepare(Pod pod) {
    List<Pod.ClaimEntry> entries = pod.claims(profile);
    return kubelet == Profile.V1_27
        ? entries.stream().flatMap(entry -> unprepare(pod, List.of(entry)).stream()).findFirst()
        : unprepare(pod, entries);
  }

  private Optional<String> unprepare(Pod pod, List<Pod.ClaimEntry> entries) {
    Map<String, List<ClaimCall>> batches = new TreeMap<>();
    Map<String, ClaimKey> keys = new HashMap<>();
    for (Pod.ClaimEntry entry : entries) {
      ClaimKey key = ClaimKey.of(entry.claim(), pod.namespace());
      Optional<ClaimInfo> info = cache.lastUse(key, pod.uid());
      if (info.isEmpty()) {
        continue;
      }
      List<DriverCall> calls = info.get().calls();
      if (kubelet == Profile.V1_27) {
        Optional<Claim> live = live(pod, entry);
        Optional<String> crash = crash(pod, entry, live);
        if (crash.isPresent()) {
          return crash;
        }
        calls = callsOfNow(info.get(), live.orElseThrow());
      }
      keys.put(info.get().uid(), key);
      for (DriverCall old : calls) {
        batches.computeIfAbsent(old.driver(), driver -> new ArrayList<>()).add(old.call());
      }
    }
    for (Map.Entry<String, List<ClaimCall>> batch : batches.entrySet()) {
      Optional<String> failure = unprepare(batch.getKey(), batch.getValue());
      if (failure.isPresent()) {
        return failure;
      }
    }
    keys.values().forEach(cache::remove);
    cache.save();
    return Optional.empty();
  }

  /** A kubelet 1.27 then crashes, again after each restart, while the pod exists. */
  private static Optional<String> crash(Pod pod, Pod.ClaimEntry entry, Optional<Claim> live) {
    if (live.isEmpty()) {
      return Optional.of(notFound(pod, entry));
    }
    return live.get().allocated()
        ? Optional.empty()
        : Optional.of("panic: runtime error: invalid memory address or nil pointer dereference");
  }

  private static List<DriverCall> callsOfNow(ClaimInfo info, Claim live) {
    return fresh(live).calls().stream().map(now -> now.of(info.uid())).toList();
  }

  private Optional<String> unprepare(String driver, List<ClaimCall> claims) {
    Optional<DraPlugin> plugin = plugins.find(driver);
    if (plugin.isEmpty()) {
      return Optional.of(unknown(driver));
    }
    Reply reply = plugin.get().unprepare(claims);
    return check("NodeUnprepareResources", claims, reply, (uid, answer) -> Optional.empty());
  }

  /** The first error of a reply, or of a claim's result in it. */
  private static Optional<String> check(
      String call,
      List<ClaimCall> claims,
      Reply reply,
      BiFunction<String, ClaimAnswer, Optional<String>> next) {
    if (reply.failure().isPresent()) {
      return Optional.of(call + " failed: " + reply.failure().get());
    }
    for (Map.Entry<String, ClaimAnswer> answer : new TreeMap<>(reply.claims()).entrySet()) {
      Optional<ClaimCall> asked =
          claims.stream().filter(claim -> claim.uid().equals(answer.getKey())).findFirst();
      if (asked.isEmpty()) {
        return Optional.of(call + " returned result for unknown claim UID " + answer.getKey());
      }
      if (!answer.getValue().error().isEmpty()) {
        String claim = asked.get().namespace() + "/" + asked.get().name();
        return Optional.of(call + " failed for claim " + claim + ": " + answer.getValue().error());
      }
      Optional<String> problem = next.apply(answer.getKey(), answer.getValue());
      if (problem.isPresent()) {
        return problem;
      }
    }
    int missing = claims.size() - reply.claims().size();
    return missing == 0
        ? Optional.empty()
        : Optional.of(call + " left out %d claims".formatted(missing));
  }

  private static String unknown(String driver) {
    return "plugin name %s not found in the list of registered DRA plugins".formatted(driver);
  }

  /** The CDI devices of one of the pod's claims, from the cache entry of its name. */
  List<String> devices(Pod pod, String entryName) {
    List<String> devices = new ArrayList<>();
    for (Pod.ClaimEntry entry : pod.claims(profile)) {
      if (entry.entry().equals(entryName)) {
        cache
            .get(ClaimKey.of(entry.claim(), pod.namespace()))
            .ifPresent(info -> info.cdiDevices().values().forEach(devices::addAll));
      }
    }
    return devices;
  }
}
