package io.gpudra.controller.translate;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.lint.yaml.TextPosition;
import io.gpudra.controller.lint.yaml.ValueBudget;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import io.gpudra.controller.lint.yaml.YamlDocuments.ParseProblem;
import io.gpudra.controller.lint.yaml.YamlPrinter;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Translates the objects of texts, in either direction. */
public final class ManifestTranslator {

  /** The version that this driver serves. */
  public static final String V1ALPHA2 = "resource.k8s.io/v1alpha2";

  /** What takes time between the objects, for the progress. */
  private static final String REFERENCES = "references between objects";

  private static final String CHANGES = "changes of the texts";

  private final ImmutableMap<String, KindTranslator> kinds;
  private final Options options;

  /** A translator of the objects of these kinds, by group and kind. */
  public ManifestTranslator(ImmutableMap<String, KindTranslator> kinds, Options options) {
    this.kinds = kinds;
    this.options = options;
  }

  /**
   * The choices of a user.
   *
   * @param driver the name of this driver
   * @param toDriver the driver whose devices the migrated objects ask for
   * @param to the Kubernetes version of migrated objects
   * @param className the class of converted limits
   * @param shareMemory the memory of a converted {@code nvidia.com/gpu.shared}
   */
  public record Options(
      String driver, String toDriver, TargetVersion to, String className, String shareMemory) {}

  /** Translates objects of a kind. */
  public interface KindTranslator {
    /** Translates one object. */
    void translate(SourceObject object, TranslationSession session);

    /** The same for every kind with pods. */
    static ImmutableMap<String, KindTranslator> ofPods(KindTranslator kind) {
      return LintKind.ofPods().collect(ImmutableMap.toImmutableMap(name -> name, name -> kind));
    }
  }

  /** Translates the texts, which may refer to each other. */
  public TranslationResult translate(List<ManifestText> texts) {
    return translate(texts, unused -> {});
  }

  /**
   * The same.
   *
   * @param progress receives what is translated next
   */
  public TranslationResult translate(List<ManifestText> texts, Consumer<String> progress) {
    Reading read = Reading.of(texts, progress);
    if (!read.problems().isEmpty()) {
      return new TranslationResult(
          ImmutableMap.of(), read.problems(), ImmutableList.of(), ImmutableSortedSet.of(), 0, 0);
    }
    TranslationSession session = run(read.objects(), progress);
    return session.printedAnew().isEmpty()
        ? result(session, texts, progress)
        : anew(texts, read.objects(), session.printedAnew(), progress);
  }

  /** Edits need values at known places, so these documents are printed before. */
  private TranslationResult anew(
      List<ManifestText> texts,
      ImmutableList<SourceObject> placed,
      Set<Document> documents,
      Consumer<String> progress) {
    progress.accept(CHANGES);
    ImmutableList<ManifestText> printed =
        texts.stream().map(text -> printed(text, placed, documents)).collect(toList());
    TranslationSession session = run(at(Reading.of(printed, progress).objects(), placed), progress);
    placed.stream()
        .filter(object -> documents.remove(object.document()))
        .forEach(object -> session.remark(object, "", ObjectField.LAYOUT));
    return result(session, printed, progress);
  }

  private static TranslationResult result(
      TranslationSession session, List<ManifestText> texts, Consumer<String> progress) {
    progress.accept(CHANGES);
    return session.result(texts);
  }

  private static ManifestText printed(
      ManifestText text, ImmutableList<SourceObject> objects, Set<Document> documents) {
    TextEdits edits = new TextEdits(text.text());
    objects.stream()
        .filter(object -> object.source().equals(text))
        .map(SourceObject::document)
        .filter(documents::contains)
        .distinct()
        .forEach(document -> edits.replaceDocument(document, printed(document)));
    return new ManifestText(text.name(), edits.result());
  }

  private static String printed(Document document) {
    return Reading.roots(document.root())
        .map(root -> print(root.value(), document))
        .collect(Collectors.joining("\n---\n"));
  }

  static String print(JsonNode object, Document beside) {
    return beside.span().flow() ? object.toPrettyString() : YamlPrinter.block(object, 0);
  }

  private static ImmutableList<SourceObject> at(
      ImmutableList<SourceObject> objects, ImmutableList<SourceObject> placed) {
    ImmutableList.Builder<SourceObject> moved = ImmutableList.builder();
    for (int i = 0; i < objects.size(); i++) {
      moved.add(objects.get(i).placedAs(placed.get(i)));
    }
    return moved.build();
  }

  private TranslationSession run(ImmutableList<SourceObject> objects, Consumer<String> progress) {
    progress.accept(REFERENCES);
    TranslationSession session = new TranslationSession(new SourceObjects(objects), options);
    for (SourceObject object : objects) {
      KindTranslator kind = kinds.get(object.groupKind());
      if (kind != null) {
        progress.accept(object.source().name() + ": " + object.title());
        attempt(kind, object, session);
      }
    }
    return session;
  }

  /** An object of a shape that no check knows ends its own file only. */
  private static void attempt(
      KindTranslator kind, SourceObject object, TranslationSession session) {
    try {
      kind.translate(object, session);
    } catch (RuntimeException | StackOverflowError e) {
      session.fail(object, e);
    }
  }

  private static <T> Collector<T, ?, ImmutableList<T>> toList() {
    return ImmutableList.toImmutableList();
  }

  /** The objects of all texts, and the problems of those that cannot be read. */
  private record Reading(ImmutableList<SourceObject> objects, ImmutableList<String> problems) {

    private static final String LIST = "List";

    static Reading of(List<ManifestText> texts, Consumer<String> progress) {
      ImmutableList.Builder<SourceObject> objects = ImmutableList.builder();
      ImmutableList.Builder<String> problems = ImmutableList.builder();
      ValueBudget budget = new ValueBudget();
      for (ManifestText text : texts) {
        progress.accept(text.name());
        YamlDocuments read = YamlDocuments.of(text.text(), budget);
        Stream.concat(
                read.broken().stream(),
                read.documents().stream().flatMap(document -> document.doubles().stream()))
            .forEach(problem -> problems.add(sentence(text, problem)));
        read.documents().stream()
            .flatMap(document -> objects(text, document))
            .forEach(objects::add);
      }
      return new Reading(objects.build(), problems.build());
    }

    private static String sentence(ManifestText text, ParseProblem problem) {
      TextPosition at = problem.textPosition();
      String hint =
          text.text().contains("{{")
              ? "; if it is a template of Helm, translate the output of helm template"
              : "";
      return "%s:%d:%d: %s%s".formatted(text.name(), at.line(), at.column(), problem.text(), hint);
    }

    private static Stream<SourceObject> objects(ManifestText text, Document document) {
      return roots(document.root()).map(root -> SourceObject.of(text, document, root));
    }

    /** The objects of a document: one, or those of a list. */
    static Stream<LocatedValue> roots(LocatedValue root) {
      Optional<LocatedValue> items =
          root.field("items").filter(any -> root.value().path("kind").asText().endsWith(LIST));
      return items.isPresent()
          ? items.get().items().stream().flatMap(Reading::roots)
          : Stream.of(root).filter(object -> object.value().isObject());
    }
  }
}
