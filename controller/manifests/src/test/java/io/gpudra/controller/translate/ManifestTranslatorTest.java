package io.gpudra.controller.translate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.lint.ManifestText;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.lint.yaml.YamlDocuments;
import io.gpudra.controller.lint.yaml.YamlDocuments.Document;
import io.gpudra.controller.translate.ManifestTranslator.Options;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a translation does besides the objects, and what it costs. */
class ManifestTranslatorTest {
  private static final String POD = "kind: Pod\nmetadata: {name: p, namespace: n}\n";
  private static final Options OPTIONS = new Options("d", "d", TargetVersion.V1_36, "c", "4Gi");

  /** A value whose hashes are counted. */
  @SuppressWarnings("unchecked") // A superclass overrides a method so.
  private static final class Counted extends ObjectNode {
    private static final long serialVersionUID = 1;
    private final transient AtomicInteger hashes;

    Counted(ObjectNode value, AtomicInteger hashes) {
      super(JsonNodeFactory.instance);
      setAll(value);
      this.hashes = hashes;
    }

    @Override
    public int hashCode() {
      hashes.incrementAndGet();
      return super.hashCode();
    }

    @Override
    public boolean equals(Object other) {
      return super.equals(other);
    }
  }

  private static List<String> progress(String text) {
    ManifestTranslator translator =
        new ManifestTranslator(
            ImmutableMap.of("/Pod", (object, session) -> session.omit(object, "gone.")), OPTIONS);
    List<String> progress = new ArrayList<>();
    translator.translate(ImmutableList.of(new ManifestText("a", text)), progress::add);
    return progress;
  }

  @Test
  void whatFollowsTheLastObjectIsNotCountedAgainstIt() {
    assertThat(progress(POD))
        .containsExactly("a", "references between objects", "a: Pod n/p", "changes of the texts");
  }

  @Test
  void whatIsPrintedAnewIsNotCountedAgainstAnObject() {
    assertThat(progress("kind: List\napiVersion: v1\nitems:\n- {kind: Pod, metadata: {name: p}}\n"))
        .containsExactly(
            "a",
            "references between objects",
            "a: Pod p",
            "changes of the texts",
            "a",
            "references between objects",
            "a: Pod p",
            "changes of the texts");
  }

  @Test
  void theObjectsOfOtherTextsAreNotComparedWhereTheSameTextHasOne() {
    AtomicInteger hashes = new AtomicInteger();
    ImmutableList<SourceObject> twins =
        ImmutableList.of(object("a", hashes), object("b", hashes), object("c", hashes));
    SourceObjects objects = new SourceObjects(twins);

    assertThat(objects.find("/Pod", "n", "p", new ManifestText("b", POD)))
        .containsSame(twins.get(1));
    assertThat(hashes).hasValue(0);
    assertThat(objects.find("/Pod", "n", "p", new ManifestText("d", POD)))
        .containsSame(twins.get(0));
    assertThat(hashes).hasPositiveValue();
  }

  private static SourceObject object(String text, AtomicInteger hashes) {
    Document document = YamlDocuments.of(POD).documents().get(0);
    LocatedValue read = document.root();
    LocatedValue root =
        new LocatedValue(
            new Counted((ObjectNode) read.value(), hashes),
            read.place(),
            read.span(),
            read.fields(),
            read.items(),
            read.size());
    return SourceObject.of(new ManifestText(text, POD), document, root);
  }
}
