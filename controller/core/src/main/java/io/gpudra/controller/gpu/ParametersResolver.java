package io.gpudra.controller.gpu;

import com.google.common.base.Strings;
import com.google.common.cache.Cache;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.ConditionTexts.ForbiddenReads;
import io.gpudra.controller.gpu.LiveRequests.Question;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.NamespaceSelector;
import io.gpudra.crds.api.parameters.ParametersReference;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import io.gpudra.crds.api.parameters.TolerationSpec;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.DeviceToleration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the request of class and claim: first the class, then the claim, then both together. */
final class ParametersResolver {

  private final String driver;
  private final ParametersObjects objects;
  private final ConditionCompiler conditionCompiler;
  private final ConditionTexts conditionTexts;
  private final ConditionResultCache conditionResultCache;
  private final Cache<GpuCondition.Terms, GpuCondition> conditions;
  private final LiveRequests requests = new LiveRequests();

  ParametersResolver(
      String driver, ParametersObjects objects, ConditionCompiler conditionCompiler) {
    this(driver, objects, conditionCompiler, MemoryBudget.ALL);
  }

  /** With this share of the {@link MemoryBudget}. */
  ParametersResolver(
      String driver, ParametersObjects objects, ConditionCompiler conditionCompiler, int share) {
    this.driver = driver;
    this.objects = objects;
    this.conditionCompiler = conditionCompiler;
    this.conditionTexts = new ConditionTexts(conditionCompiler);
    this.conditionResultCache = new ConditionResultCache(share);
    this.conditions =
        MemoryBudget.CONDITIONS
            .<GpuCondition.Terms, GpuCondition>cache(share, (terms, condition) -> terms.bytes())
            .build();
  }

  private record OfClass(GpuClassParametersSpec spec, Optional<DeviceExpression> condition) {}

  private record OfClaim(GpuClaimParametersSpec spec, OptionalLong generation) {}

  DriverParameters<GpuRequest> read(ClassFacts resourceClass, ClaimFacts claim) {
    return then(
        ofClass(resourceClass),
        ofClass ->
            serves(ofClass.spec(), claim.ref().namespace())
                ? both(resourceClass.name(), ofClass, claim)
                : DriverParameters.refused(
                    Kind.NAMESPACE_NOT_ALLOWED,
                    ImmutableList.of(
                        "class \"%s\" is not for namespace \"%s\""
                            .formatted(resourceClass.name(), claim.ref().namespace()))));
  }

  private DriverParameters<GpuRequest> both(String className, OfClass ofClass, ClaimFacts claim) {
    Question question = new Question(className, ofClass.spec(), claim.mode());
    Optional<GpuClaimParameters> object = object(claim);
    Optional<GpuRequest> known = object.flatMap(stored -> requests.of(stored, question));
    if (known.isPresent()) {
      return new DriverParameters.Ready<>(known.get());
    }
    DriverParameters<GpuRequest> read =
        then(ofClaim(claim), ofClaim -> both(className, ofClass, ofClaim, claim.mode()));
    if (object.isPresent() && read instanceof DriverParameters.Ready<GpuRequest> ready) {
      requests.put(object.get(), question, ready.value());
    }
    return read;
  }

  private Optional<GpuClaimParameters> object(ClaimFacts claim) {
    return claim
        .parameters()
        .filter(ref -> reference(ref).problemsOfClaim().isEmpty())
        .flatMap(ref -> objects.ofClaim(claim.ref().namespace(), ref.name()));
  }

  private boolean serves(GpuClassParametersSpec ofClass, String namespace) {
    NamespaceSelector selector = ofClass.namespaceSelector();
    return selector == null
        || objects.labelsOfNamespace(namespace).filter(selector::matches).isPresent();
  }

  ImmutableList<String> unsatisfiable(
      ClassFacts resourceClass, ClaimFacts claim, ClusterCapacity cluster) {
    return ofClass(resourceClass) instanceof DriverParameters.Ready<OfClass> ofClass
            && ofClaim(claim) instanceof DriverParameters.Ready<OfClaim> ofClaim
        ? new SatisfiabilityCheck(
                conditionCompiler, cluster, !ofClass.value().spec().handsOutMigOnly())
            .problems(ofClaim.value().spec())
        : ImmutableList.of();
  }

  /** The request of a claim of a class without their names; their fields have been checked. */
  DriverParameters<GpuRequest> read(GpuClassParametersSpec ofClass, GpuClaimParametersSpec claim) {
    List<String> problems = new ArrayList<>();
    Optional<DeviceExpression> condition = conditionTexts.read("spec.cel", ofClass.cel(), problems);
    return problems.isEmpty()
        ? both(
            "",
            new OfClass(ofClass, condition),
            new OfClaim(claim, OptionalLong.empty()),
            Mode.DELAYED)
        : DriverParameters.refused(Kind.INVALID_PARAMETERS, ImmutableList.copyOf(problems));
  }

  /** The problems of a claim's conditions, regardless of its other fields. */
  ImmutableList<String> conditionProblems(GpuClaimParametersSpec claim) {
    List<String> problems = new ArrayList<>();
    ImmutableList<Optional<DeviceExpression>> unused = conditionTexts.read(claim, problems);
    return ImmutableList.copyOf(problems);
  }

  /** The conditions of a claim that read forbidden attributes; the claim has been checked. */
  ImmutableList<String> forbidden(
      GpuClaimParametersSpec claim, ImmutableSet<String> attributes, String by) {
    return attributes.isEmpty()
        ? ImmutableList.of()
        : new ForbiddenReads(attributes, by)
            .problems(claim.entries(), conditionTexts.read(claim, new ArrayList<>()));
  }

  private static <A, B> DriverParameters<B> then(
      DriverParameters<A> first, Function<A, DriverParameters<B>> next) {
    if (first instanceof DriverParameters.Ready<A> ready) {
      return next.apply(ready.value());
    }
    return new DriverParameters.Refused<>(((DriverParameters.Refused<A>) first).reason());
  }

  /** The problems of the parameters of a claim, regardless of their class. */
  ImmutableList<String> problems(GpuClaimParametersSpec spec) {
    List<String> problems = new ArrayList<>(spec.problems());
    if (problems.isEmpty()) {
      problems.addAll(
          new RequestBuilder(GpuClassParametersSpec.EMPTY, Optional.empty(), this::condition)
              .problems(spec));
    }
    conditionTexts.read(spec, problems);
    return ImmutableList.copyOf(problems);
  }

  /** The problems of the parameters of a class. */
  ImmutableList<String> problems(GpuClassParametersSpec spec) {
    List<String> problems = new ArrayList<>(spec.problems());
    conditionTexts.read("spec.cel", spec.cel(), problems);
    return ImmutableList.copyOf(problems);
  }

  private DriverParameters<OfClass> ofClass(ClassFacts resourceClass) {
    if (resourceClass.parameters().isEmpty()) {
      return new DriverParameters.Ready<>(
          new OfClass(GpuClassParametersSpec.EMPTY, Optional.empty()));
    }
    ParametersRef ref = resourceClass.parameters().get();
    ImmutableList<String> problems = reference(ref).problemsOfClass();
    if (!problems.isEmpty()) {
      return DriverParameters.refused(
          Kind.INVALID_PARAMETERS, named("ResourceClass", resourceClass.name(), problems));
    }
    Optional<GpuClassParameters> object = objects.ofClass(ref.name());
    return object.isPresent()
        ? ofClass(ref, object.get())
        : objects
            .problemOfClass(ref.name())
            .map(
                problem ->
                    ParametersResolver.<OfClass>unreadable(GpuClassParameters.KIND, ref, problem))
            .orElseGet(
                () ->
                    missing("%s \"%s\" not found".formatted(GpuClassParameters.KIND, ref.name())));
  }

  private DriverParameters<OfClass> ofClass(ParametersRef ref, GpuClassParameters object) {
    GpuClassParametersSpec spec = object.specOrDefault();
    List<String> problems = new ArrayList<>(object.problems());
    Optional<DeviceExpression> condition = conditionTexts.read("spec.cel", spec.cel(), problems);
    return problems.isEmpty()
        ? new DriverParameters.Ready<>(new OfClass(spec, condition))
        : DriverParameters.refused(
            Kind.INVALID_PARAMETERS, named(GpuClassParameters.KIND, ref.name(), problems));
  }

  /** The class is named, since the claim's user did not write it. */
  private static ImmutableList<String> named(String kind, String name, List<String> problems) {
    return problems.stream()
        .map(problem -> "%s \"%s\": %s".formatted(kind, name, problem))
        .collect(ImmutableList.toImmutableList());
  }

  private DriverParameters<OfClaim> ofClaim(ClaimFacts claim) {
    if (claim.parameters().isEmpty()) {
      return new DriverParameters.Ready<>(
          new OfClaim(GpuClaimParametersSpec.EMPTY, OptionalLong.empty()));
    }
    ParametersRef ref = claim.parameters().get();
    ImmutableList<String> problems = reference(ref).problemsOfClaim();
    if (!problems.isEmpty()) {
      return DriverParameters.refused(Kind.INVALID_PARAMETERS, problems);
    }
    String namespace = claim.ref().namespace();
    Optional<GpuClaimParameters> object = objects.ofClaim(namespace, ref.name());
    return object.isPresent()
        ? ofClaim(object.get())
        : objects
            .problemOfClaim(namespace, ref.name())
            .map(
                problem ->
                    ParametersResolver.<OfClaim>unreadable(GpuClaimParameters.KIND, ref, problem))
            .orElseGet(
                () ->
                    missing(
                        "%s \"%s\" not found in namespace \"%s\""
                            .formatted(GpuClaimParameters.KIND, ref.name(), namespace)));
  }

  private static <A> DriverParameters<A> missing(String text) {
    return DriverParameters.refused(Kind.PARAMETERS_NOT_FOUND, ImmutableList.of(text));
  }

  private static <A> DriverParameters<A> unreadable(
      String kind, ParametersRef ref, String problem) {
    return DriverParameters.refused(
        Kind.INVALID_PARAMETERS,
        named(kind, ref.name(), List.of("the stored object is malformed: " + problem)));
  }

  private DriverParameters<OfClaim> ofClaim(GpuClaimParameters object) {
    ImmutableList<String> problems = object.problems();
    return problems.isEmpty()
        ? new DriverParameters.Ready<>(new OfClaim(object.specOrDefault(), object.generation()))
        : DriverParameters.refused(Kind.INVALID_PARAMETERS, problems);
  }

  private static ParametersReference reference(ParametersRef ref) {
    return new ParametersReference(
        ref.apiGroup(), ref.kind(), ref.namespace().orElse(null), ref.name());
  }

  /** Reports all problems together, those of the class and those of the claim. */
  private DriverParameters<GpuRequest> both(
      String className, OfClass ofClass, OfClaim ofClaim, Mode mode) {
    GpuClaimParametersSpec claim = ofClaim.spec();
    RequestBuilder requestBuilder =
        new RequestBuilder(ofClass.spec(), ofClass.condition(), this::condition);
    ImmutableList<String> notGiven = ofClass.spec().notGivenTo(claim, className);
    List<String> problems = new ArrayList<>(ofClass.spec().problemsOf(claim, className));
    problems.addAll(requestBuilder.problems(claim));
    if (claim.insideClaim() != null && mode == Mode.IMMEDIATE) {
      problems.add(
          "spec.insideClaim: needs allocationMode WaitForFirstConsumer; an Immediate claim has no"
              + " pod");
    }
    ImmutableList<Optional<DeviceExpression>> expressions = conditionTexts.read(claim, problems);
    ImmutableList<String> forbidden =
        new ForbiddenReads(ofClass.spec().forbids(), "class \"%s\"".formatted(className))
            .problems(claim.entries(), expressions);
    ImmutableList<String> wrong =
        ImmutableList.<String>builder().addAll(notGiven).addAll(problems).addAll(forbidden).build();
    if (!problems.isEmpty()) {
      return DriverParameters.refused(Kind.INVALID_PARAMETERS, wrong);
    }
    if (!forbidden.isEmpty()) {
      return DriverParameters.refused(Kind.ATTRIBUTE_FORBIDDEN, wrong);
    }
    return notGiven.isEmpty()
        ? new DriverParameters.Ready<>(
            requests.same(
                request(ofClass.spec(), requestBuilder.alternatives(claim, expressions), ofClaim)))
        : DriverParameters.refused(Kind.CLASS_LIMIT, notGiven);
  }

  private static GpuRequest request(
      GpuClassParametersSpec ofClass,
      ImmutableList<RequestAlternative> alternatives,
      OfClaim ofClaim) {
    GpuClaimParametersSpec claim = ofClaim.spec();
    PlacementPolicy placement =
        claim.placement() == null ? ofClass.placementOrDefault() : claim.placement();
    return new GpuRequest(
        alternatives,
        Optional.ofNullable(claim.insideClaim()),
        policy(placement),
        // Monitoring must also see tainted GPUs, which other claims avoid.
        ofClass.monitors()
            ? ImmutableList.of(DeviceToleration.ALL)
            : tolerations(claim.tolerations()),
        ofClass.shareableOrDefault() && claim.shareableOrDefault(),
        ofClaim.generation());
  }

  private static ImmutableList<DeviceToleration> tolerations(
      @Nullable List<@Nullable TolerationSpec> specs) {
    return specs == null
        ? ImmutableList.of()
        : specs.stream()
            .flatMap(Stream::ofNullable)
            .map(ParametersResolver::toleration)
            .collect(ImmutableList.toImmutableList());
  }

  private static DeviceToleration toleration(TolerationSpec spec) {
    boolean any = spec.operatorOrDefault().equals(TolerationSpec.EXISTS);
    return new DeviceToleration(
        Strings.nullToEmpty(spec.key()),
        any ? Optional.empty() : Optional.of(Strings.nullToEmpty(spec.value())),
        Optional.ofNullable(spec.effect()).map(ParametersResolver::effect),
        Optional.ofNullable(spec.tolerationSeconds()).map(Duration::ofSeconds));
  }

  private static Effect effect(String text) {
    return text.equals(TolerationSpec.NO_EXECUTE) ? Effect.NO_EXECUTE : Effect.NO_SCHEDULE;
  }

  private static AllocationPolicy policy(PlacementPolicy placement) {
    return switch (placement) {
      case PACK -> AllocationPolicy.PACK;
      case SPREAD -> AllocationPolicy.SPREAD;
    };
  }

  private GpuCondition condition(GpuCondition.Terms terms) {
    try {
      return conditions.get(
          terms, () -> new GpuCondition(driver, terms, conditionCompiler, conditionResultCache));
    } catch (ExecutionException e) {
      throw new IllegalStateException("making a condition throws nothing checked", e);
    }
  }
}
