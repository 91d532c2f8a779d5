package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Markdown.prose;
import static io.gpudra.scenarios.reference.Markdown.table;

import io.gpudra.controller.translate.ObjectField;
import io.gpudra.controller.translate.TranslationRemark.Direction;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationRemark.RowText;
import io.gpudra.controller.translate.convert.ConversionField;
import io.gpudra.controller.translate.migrate.ClaimField;
import io.gpudra.controller.translate.migrate.ClassField;
import io.gpudra.controller.translate.migrate.RequestField;
import java.util.List;
import java.util.stream.Stream;

/** What becomes of each field in the other API. */
final class TranslationPage {

  private TranslationPage() {}

  static String of(String intro) {
    return Markdown.page(
        "Translation",
        intro,
        table(
            List.of("row", "this driver", "`resource.k8s.io/v1`", "command", "before; now; to do"),
            rows().map(TranslationPage::row).toList()));
  }

  static Stream<Row> rows() {
    return Stream.<Row[]>of(
            RequestField.values(),
            ClaimField.values(),
            ClassField.values(),
            ConversionField.values(),
            ObjectField.values())
        .flatMap(Stream::of);
  }

  private static List<String> row(Row row) {
    RowText text = row.text();
    return List.of(
        "`" + row.name() + "`",
        prose(text.subject()),
        prose(text.becomes()),
        command(text.direction()),
        text.before().isEmpty() ? "" : row.weight().text() + ": " + meaning(text));
  }

  private static String command(Direction direction) {
    return switch (direction) {
      case BOTH -> "both";
      case MIGRATE -> "`migrate`";
      case CONVERT -> "`convert`";
    };
  }

  /** Places for values are shown as dots. */
  private static String meaning(RowText text) {
    String remedy = text.remedy().isEmpty() ? "" : "; " + text.remedy();
    return prose(text.before() + "; " + text.after() + remedy)
        .replaceAll("%(\\d\\$)?[sd]", "…")
        .replace("%%", "%");
  }
}
