package io.gpudra.controller.status;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Parameters and their status, as a server and the cache of it. */
final class StatusStore implements StatusObjects {
  final Map<ObjectKey, StatusTarget> objects = new LinkedHashMap<>();
  final Map<ObjectKey, ParametersStatus> statuses = new LinkedHashMap<>();
  final List<ObjectKey> writes = new ArrayList<>();
  final Map<ObjectKey, Kind> answers = new LinkedHashMap<>();
  final Set<ObjectKey> poisoned = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));

  void put(ObjectKey key, String spec) {
    long generation = objects.containsKey(key) ? objects.get(key).generation() + 1 : 1;
    StatusTarget.Spec parsed =
        key.namespace().isEmpty()
            ? new StatusTarget.OfClass(new Gson().fromJson(spec, GpuClassParametersSpec.class))
            : new StatusTarget.OfClaim(new Gson().fromJson(spec, GpuClaimParametersSpec.class));
    StoredStatus stored = StoredStatus.of(statuses.get(key));
    objects.put(key, new StatusTarget(key, "uid", generation, parsed, stored));
  }

  @Override
  public Optional<StatusTarget> find(ObjectKey key) {
    if (poisoned.contains(key)) {
      throw new IllegalStateException("poisoned");
    }
    return Optional.ofNullable(objects.get(key));
  }

  @Override
  public ImmutableList<ObjectKey> keys() {
    return ImmutableList.copyOf(objects.keySet());
  }

  @Override
  public ImmutableSet<String> forbiddenAttributes() {
    return objects.values().stream()
        .map(StatusTarget::spec)
        .filter(StatusTarget.OfClass.class::isInstance)
        .flatMap(spec -> ((StatusTarget.OfClass) spec).spec().forbids().stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  @Override
  public Kind write(StatusTarget seen, ParametersStatus status) {
    writes.add(seen.key());
    Kind answer = answers.getOrDefault(seen.key(), Kind.DONE);
    if (answer == Kind.DONE) {
      statuses.put(seen.key(), status);
      StoredStatus stored = StoredStatus.of(status);
      objects.computeIfPresent(
          seen.key(),
          (key, now) -> new StatusTarget(key, now.uid(), now.generation(), now.spec(), stored));
    }
    return answer;
  }

  ParametersStatus status(ObjectKey key) {
    return Objects.requireNonNull(statuses.get(key), "a status of " + key);
  }

  Condition condition(ObjectKey key, String type) {
    return Objects.requireNonNull(status(key).conditions()).stream()
        .filter(one -> type.equals(one.type()))
        .findFirst()
        .orElseThrow();
  }
}
