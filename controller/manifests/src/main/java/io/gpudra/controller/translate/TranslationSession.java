package io.gpudra.controller.translate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ObjectCheck;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import io.gpudra.controller.lint.yaml.YamlPrinter;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.cel.V1ConditionReader;
import io.gpudra.controller.translate.cel.V1ConditionWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One run over all objects: what it remarks, and how it changes the texts. */
public final class TranslationSession {

  /** Every line end of YAML. */
  private static final Pattern LINE_END = Pattern.compile("\\R");

  private final SourceObjects objects;
  private final Options options;
  private final Map<ManifestText, TextEdits> edits = new LinkedHashMap<>();
  private final Set<SourceObject> changed = Sets.newIdentityHashSet();
  private final Set<Document> printedAnew = Sets.newIdentityHashSet();
  private final List<TranslationRemark> remarks = new ArrayList<>();
  private final Set<String> told = new HashSet<>();
  private final Set<String> gates = new TreeSet<>();
  private final Map<ManifestText, String> failures = new HashMap<>();
  private final Map<Class<?>, Map<Object, Object>> found = new HashMap<>();
  private final IdentityHashMap<SourceObject, List<SourceObject>> users = new IdentityHashMap<>();
  private final IdentityHashMap<SourceObject, ImmutableList<String>> problems =
      new IdentityHashMap<>();
  private final ObjectCheck check;
  private final Supplier<V1ConditionWriter> conditions;
  private final Supplier<V1ConditionReader> conditionReader;

  TranslationSession(SourceObjects objects, Options options) {
    this.objects = objects;
    this.options = options;
    this.check = new ObjectCheck(options.driver(), new GpuChecks(options.driver()));
    this.conditions = Suppliers.memoize(() -> conditionWriter(options));
    this.conditionReader = Suppliers.memoize(() -> conditionReader(options));
    objects.all().stream()
        .filter(object -> object.apiVersion().equals(ManifestTranslator.V1ALPHA2))
        .forEach(
            object ->
                objects
                    .parameters(object)
                    .ifPresent(
                        named ->
                            users.computeIfAbsent(named, any -> new ArrayList<>()).add(object)));
  }

  private static V1ConditionWriter conditionWriter(Options options) {
    ConditionCompiler compiler = new ConditionCompiler(options.driver(), new NoDevice());
    return new V1ConditionWriter(options.driver(), options.toDriver(), compiler);
  }

  private static V1ConditionReader conditionReader(Options options) {
    ConditionCompiler compiler = new ConditionCompiler(options.driver(), new NoDevice());
    return new V1ConditionReader(options.driver(), compiler);
  }

  /** Reads conditions of later versions. */
  public V1ConditionReader conditionReader() {
    return conditionReader.get();
  }

  /** Writes conditions for later versions. */
  public V1ConditionWriter conditions() {
    return conditions.get();
  }

  /** The claims and templates of the version that this driver serves. */
  public Stream<SourceObject> claims() {
    return Stream.of("ResourceClaim", "ResourceClaimTemplate")
        .flatMap(kind -> objects.of("resource.k8s.io/" + kind))
        .filter(object -> object.apiVersion().equals(ManifestTranslator.V1ALPHA2));
  }

  /** Conditions are only translated: there is no device on which one could fail. */
  private record NoDevice() implements ConditionAlerts {

    @Override
    public void conditionFailed(String expression, String problem) {}

    @Override
    public void conditionBroken(String expression, String result) {}
  }

  /** The objects of all texts. */
  public SourceObjects objects() {
    return objects;
  }

  /** The choices of the user. */
  public Options options() {
    return options;
  }

  /** The edits of the object's text; the object counts as changed. */
  public TextEdits edits(SourceObject object) {
    changed.add(object);
    if (!object.isEditable()) {
      printedAnew.add(object.document());
      return new TextEdits(object.source().text());
    }
    return edits.computeIfAbsent(object.source(), text -> new TextEdits(text.text()));
  }

  /** Remarks a row, with the values for its texts; the same only once. */
  public void remark(SourceObject object, String path, Row row, Object... values) {
    String key = String.join(" ", object.source().name(), object.title(), path, row.name());
    if (!told.add(key + List.of(values))) {
      return;
    }
    remarks.add(
        new TranslationRemark(
            object.source().name(),
            object.places().at(path),
            object.title(),
            path,
            row,
            row.text().before().formatted(values),
            row.text().after().formatted(values),
            row.text().remedy().formatted(values)));
  }

  /** Remarks a row with these values once a run. */
  public void remarkOnce(SourceObject object, String path, Row row, Object... values) {
    if (told.add(row.name() + List.of(values))) {
      remark(object, path, row, values);
    }
  }

  /** Whether this was not asked before. */
  public boolean isFirst(String name) {
    return told.add(name);
  }

  /** The problems of an object by itself, as lint says them. */
  public ImmutableList<String> problems(LintKind kind, SourceObject object) {
    return problems.computeIfAbsent(object, any -> problems(kind, any.json()));
  }

  /** The same of an object that is made. */
  public ImmutableList<String> problems(LintKind kind, JsonNode object) {
    return check.problems(kind, object).stream()
        .map(ObjectProblem::text)
        .collect(ImmutableList.toImmutableList());
  }

  /** The documents that are printed anew before they are edited. */
  Set<Document> printedAnew() {
    return printedAnew;
  }

  /** What is found out of an object, once. */
  public <T> T once(Class<T> type, Object of, Supplier<T> find) {
    Map<Object, Object> known = found.computeIfAbsent(type, unused -> new IdentityHashMap<>());
    Object value = known.get(of);
    if (value == null) {
      value = find.get();
      known.put(of, value);
    }
    return type.cast(value);
  }

  /** The objects that name others, by the others. */
  public ImmutableList<SourceObject> users(SourceObject object) {
    return ImmutableList.copyOf(users.getOrDefault(object, List.of()));
  }

  /** A feature gate that an object needs and that is off by default. */
  public void gate(String name) {
    gates.add(name);
  }

  /** Puts a comment in the place of the object. */
  public void omit(SourceObject object, String sentence) {
    String line = comment("%s \"%s\": %s".formatted(object.kind(), object.name(), sentence));
    edits(object).replaceDocument(object.document(), line);
  }

  /** Leaves the whole file as a comment, and remarks it. */
  void fail(SourceObject object, Throwable why) {
    String cause = why.toString();
    remark(object, "", ObjectField.FAILED, cause);
    failures.put(object.source(), ObjectField.FAILED.text().reason(cause));
  }

  /** Puts objects in the place of one. */
  public void replace(SourceObject object, Stream<ObjectNode> objects) {
    edits(object)
        .replaceDocument(
            object.document(),
            objects
                .map(one -> YamlPrinter.block(one, 0).stripTrailing())
                .collect(Collectors.joining("\n---\n")));
  }

  /** Leaves the object as a comment with the reason, and remarks it. */
  public void refuse(SourceObject object, String path, Row row, Object... values) {
    remark(object, path, row, values);
    comment(object, row.text().reason(values));
  }

  /** Leaves the object as a comment. */
  public void comment(SourceObject object, String reason) {
    TextEdits changes = edits(object);
    String lines = commented(reason, changes.document(object.document()));
    changes.replaceDocument(object.document(), lines);
  }

  private static String commented(String reason, String text) {
    return LINE_END
        .splitAsStream(text)
        .map(line -> ("# " + line).stripTrailing())
        .collect(Collectors.joining("\n", comment("not translated: " + reason) + "\n", ""));
  }

  /** On one line, also if names or values have several. */
  private static String comment(String text) {
    return "# " + LINE_END.matcher(text).replaceAll(" ");
  }

  /** Adds an object before another. */
  public void before(SourceObject object, JsonNode added) {
    edits(object)
        .insertBefore(object.document(), ManifestTranslator.print(added, object.document()));
  }

  /** Adds an object behind another. */
  public void after(SourceObject object, JsonNode added) {
    edits(object)
        .insertAfter(object.document(), ManifestTranslator.print(added, object.document()));
  }

  /** The texts with all changes. */
  TranslationResult result(List<ManifestText> texts) {
    ImmutableMap.Builder<String, String> files = ImmutableMap.builder();
    texts.forEach(text -> files.put(text.name(), result(text)));
    Map<String, Integer> order = new HashMap<>();
    texts.forEach(text -> order.put(text.name(), order.size()));
    return new TranslationResult(
        files.buildKeepingLast(),
        ImmutableList.of(),
        remarks.stream().sorted(byPlace(order)).collect(ImmutableList.toImmutableList()),
        ImmutableSortedSet.copyOf(gates),
        changed.size(),
        objects.all().size() - changed.size());
  }

  private String result(ManifestText text) {
    TextEdits changes = edits.get(text);
    String failure = failures.get(text);
    if (failure != null) {
      return commented(failure, text.text()) + "\n";
    }
    return changes == null ? text.text() : result(text, changes);
  }

  private String result(ManifestText text, TextEdits changes) {
    try {
      return changes.result();
    } catch (RuntimeException e) {
      fail(changed.stream().filter(one -> one.source().equals(text)).findFirst().orElseThrow(), e);
      return result(text);
    }
  }

  private static Comparator<TranslationRemark> byPlace(Map<String, Integer> order) {
    return Comparator.<TranslationRemark>comparingInt(remark -> order.get(remark.file()))
        .thenComparingInt(remark -> remark.position().line())
        .thenComparingInt(remark -> remark.position().column());
  }
}
