package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.Policy;
import io.gpudra.controller.dra.ClaimFacts;
import io.gpudra.controller.dra.ClassFacts;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.ParametersRef;
import io.gpudra.controller.gpu.cel.Compilation;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.gpu.cel.Expressions;
import io.gpudra.controller.gpu.cel.MemoBudget;
import io.gpudra.crds.api.GpuClaimParameters;
import io.gpudra.crds.api.GpuClaimParametersSpec;
import io.gpudra.crds.api.GpuClassParameters;
import io.gpudra.crds.api.GpuClassParametersSpec;
import io.gpudra.crds.api.ParametersReference;
import io.gpudra.crds.api.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what class and claim ask for: first the class, then the claim, then both together. */
final class Requests {

  private final String driver;
  private final ParametersObjects objects;
  private final Expressions expressions;
  private final Answers answers = new Answers();
  private final AtomicInteger conditionsMade = new AtomicInteger();
  private final Cache<GpuCondition.Terms, GpuCondition> conditions =
      MemoBudget.CONDITIONS
          .<GpuCondition.Terms, GpuCondition>cache((terms, condition) -> terms.bytes())
          .build();

  Requests(String driver, ParametersObjects objects, Expressions expressions) {
    this.driver = driver;
    this.objects = objects;
    this.expressions = expressions;
  }

  private record OfClass(GpuClassParametersSpec spec, Optional<DeviceExpression> condition) {}

  private record OfClaim(
      GpuClaimParametersSpec spec, Optional<DeviceExpression> condition, OptionalLong generation) {}

  Parameters<GpuRequest> read(ClassFacts resourceClass, ClaimFacts claim) {
    return then(
        ofClass(resourceClass),
        ofClass ->
            then(ofClaim(claim), ofClaim -> new Parameters.Ready<>(request(ofClass, ofClaim))));
  }

  private static <A, B> Parameters<B> then(Parameters<A> first, Function<A, Parameters<B>> next) {
    if (first instanceof Parameters.Ready<A> ready) {
      return next.apply(ready.value());
    }
    if (first instanceof Parameters.Missing<A> missing) {
      return new Parameters.Missing<>(missing.ref(), missing.text());
    }
    return new Parameters.Invalid<>(((Parameters.Invalid<A>) first).problems());
  }

  private Parameters<OfClass> ofClass(ClassFacts resourceClass) {
    if (resourceClass.parameters().isEmpty()) {
      return new Parameters.Ready<>(
          new OfClass(GpuClassParametersSpec.NOTHING_SAID, Optional.empty()));
    }
    ParametersRef ref = resourceClass.parameters().get();
    ImmutableList<String> problems = reference(ref).problemsOfClass();
    if (!problems.isEmpty()) {
      return new Parameters.Invalid<>(named("ResourceClass", resourceClass.name(), problems));
    }
    Optional<GpuClassParameters> object = objects.ofClass(ref.name());
    return object.isPresent()
        ? ofClass(ref, object.get())
        : objects
            .problemOfClass(ref.name())
            .map(problem -> Requests.<OfClass>unreadable(GpuClassParameters.KIND, ref, problem))
            .orElseGet(
                () ->
                    new Parameters.Missing<>(
                        ref, "%s \"%s\" not found".formatted(GpuClassParameters.KIND, ref.name())));
  }

  private Parameters<OfClass> ofClass(ParametersRef ref, GpuClassParameters object) {
    GpuClassParametersSpec spec = object.specOrDefault();
    List<String> problems = new ArrayList<>(object.problems());
    Optional<DeviceExpression> condition = condition(spec.cel(), problems);
    return problems.isEmpty()
        ? new Parameters.Ready<>(new OfClass(spec, condition))
        : new Parameters.Invalid<>(named(GpuClassParameters.KIND, ref.name(), problems));
  }

  /** The claim's user did not write it, so the class is named. */
  private static ImmutableList<String> named(String kind, String name, List<String> problems) {
    return problems.stream()
        .map(problem -> "%s \"%s\": %s".formatted(kind, name, problem))
        .collect(ImmutableList.toImmutableList());
  }

  private Parameters<OfClaim> ofClaim(ClaimFacts claim) {
    if (claim.parameters().isEmpty()) {
      return new Parameters.Ready<>(
          new OfClaim(GpuClaimParametersSpec.NOTHING_SAID, Optional.empty(), OptionalLong.empty()));
    }
    ParametersRef ref = claim.parameters().get();
    ImmutableList<String> problems = reference(ref).problemsOfClaim();
    if (!problems.isEmpty()) {
      return new Parameters.Invalid<>(problems);
    }
    String namespace = claim.ref().namespace();
    Optional<GpuClaimParameters> object = objects.ofClaim(namespace, ref.name());
    return object.isPresent()
        ? ofClaim(object.get())
        : objects
            .problemOfClaim(namespace, ref.name())
            .map(problem -> Requests.<OfClaim>unreadable(GpuClaimParameters.KIND, ref, problem))
            .orElseGet(() -> missing(ref, namespace));
  }

  private static Parameters<OfClaim> missing(ParametersRef ref, String namespace) {
    return new Parameters.Missing<>(
        ref,
        "%s \"%s\" not found in namespace \"%s\""
            .formatted(GpuClaimParameters.KIND, ref.name(), namespace));
  }

  private static <A> Parameters<A> unreadable(String kind, ParametersRef ref, String problem) {
    return new Parameters.Invalid<>(
        named(kind, ref.name(), List.of("the stored object is malformed: " + problem)));
  }

  private Parameters<OfClaim> ofClaim(GpuClaimParameters object) {
    GpuClaimParametersSpec spec = object.specOrDefault();
    List<String> problems = new ArrayList<>(object.problems());
    Optional<DeviceExpression> condition = condition(spec.cel(), problems);
    return problems.isEmpty()
        ? new Parameters.Ready<>(new OfClaim(spec, condition, object.generation()))
        : new Parameters.Invalid<>(ImmutableList.copyOf(problems));
  }

  private static ParametersReference reference(ParametersRef ref) {
    return new ParametersReference(
        ref.apiGroup(), ref.kind(), ref.namespace().orElse(null), ref.name());
  }

  /** Adds to the problems unless they are about the same text already. */
  private Optional<DeviceExpression> condition(@Nullable String cel, List<String> problems) {
    if (cel == null || !problems.isEmpty()) {
      return Optional.empty();
    }
    Compilation compilation = expressions.compile(cel);
    if (compilation instanceof Compilation.Compiled compiled) {
      return Optional.of(compiled.expression());
    }
    ((Compilation.Faulty) compilation)
        .problems()
        .forEach(problem -> problems.add("spec.cel: " + problem));
    return Optional.empty();
  }

  private GpuRequest request(OfClass ofClass, OfClaim ofClaim) {
    Placement placement =
        ofClaim.spec().placement() == null
            ? ofClass.spec().placementOrDefault()
            : ofClaim.spec().placement();
    return new GpuRequest(
        ofClaim.spec().countOrDefault(),
        condition(terms(ofClass, ofClaim)),
        policy(placement),
        ofClass.spec().shareableOrDefault() && ofClaim.spec().shareableOrDefault(),
        ofClaim.generation());
  }

  private static Policy policy(Placement placement) {
    return switch (placement) {
      case PACK -> Policy.PACK;
      case SPREAD -> Policy.SPREAD;
    };
  }

  private static GpuCondition.Terms terms(OfClass ofClass, OfClaim ofClaim) {
    String memory = ofClaim.spec().memory();
    List<GpuClassParametersSpec.DeviceSelector> selectors = ofClass.spec().deviceSelector();
    return new GpuCondition.Terms(
        Optional.empty(),
        selectors == null ? ImmutableList.of() : products(selectors),
        ofClaim.spec().nominalMemoryBytes(),
        memory == null ? "" : memory,
        ImmutableSet.of(),
        Stream.of(ofClass.condition(), ofClaim.condition())
            .flatMap(Optional::stream)
            .collect(ImmutableList.toImmutableList()));
  }

  /** Every allowed type takes whole GPUs, so names alone decide. */
  private static ImmutableList<Glob> products(
      List<GpuClassParametersSpec.DeviceSelector> selectors) {
    return selectors.stream()
        .map(selector -> new Glob(selector.name() == null ? "*" : selector.name()))
        .collect(ImmutableList.toImmutableList());
  }

  private GpuCondition condition(GpuCondition.Terms terms) {
    try {
      return conditions.get(terms, () -> newCondition(terms));
    } catch (ExecutionException e) {
      throw new IllegalStateException("making a condition throws nothing checked", e);
    }
  }

  private GpuCondition newCondition(GpuCondition.Terms terms) {
    int place = Math.floorMod(conditionsMade.getAndIncrement(), Answers.PLACES);
    return new GpuCondition(driver, terms, place, expressions, answers);
  }
}
