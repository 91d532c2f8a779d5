package io.gpudra.controller.translate;

import com.google.common.base.Ascii;
import com.google.errorprone.annotations.Immutable;
import io.gpudra.controller.lint.yaml.TextPosition;

/**
 * A change of meaning.
 *
 * @param position in the file that was read
 * @param object kind, namespace and name
 * @param path of the field, empty for the whole object
 * @param before the meaning so far
 * @param after the meaning now
 * @param remedy what to do, empty if there is nothing to do
 */
public record TranslationRemark(
    String file,
    TextPosition position,
    String object,
    String path,
    Row row,
    String before,
    String after,
    String remedy) {

  /** How much of the meaning is left. */
  public enum Weight {
    /** The same meaning, in a way that may surprise. */
    SAME,
    /** Nearly the same meaning. */
    WEAKER,
    /** No longer there. */
    LOST;

    /** The word in remarks. */
    public String text() {
      return Ascii.toLowerCase(name());
    }
  }

  /** The directions in which a row is read. */
  public enum Direction {
    CONVERT,
    MIGRATE,
    BOTH
  }

  /**
   * The texts of a row. The last three may have places for values; they are empty where nothing is
   * remarked.
   *
   * @param subject the field here
   * @param becomes the field of {@code resource.k8s.io/v1}
   */
  @Immutable
  public record RowText(
      Direction direction,
      String subject,
      String becomes,
      Weight weight,
      String before,
      String after,
      String remedy) {

    /** A row of both directions. */
    public static RowText both(String subject, String becomes) {
      return new RowText(Direction.BOTH, subject, becomes, Weight.SAME, "", "", "");
    }

    /** A row for migrate. */
    public static RowText migrate(String subject, String becomes) {
      return new RowText(Direction.MIGRATE, subject, becomes, Weight.SAME, "", "", "");
    }

    /** A row for convert. */
    public static RowText convert(String subject, String becomes) {
      return new RowText(Direction.CONVERT, subject, becomes, Weight.SAME, "", "", "");
    }

    /** The reason why an object is not translated. */
    public String reason(Object... values) {
      return "%s; %s".formatted(before, after).formatted(values);
    }

    /** The row with a remark of this weight. */
    public RowText same(String meant, String means) {
      return new RowText(direction, subject, becomes, Weight.SAME, meant, means, "");
    }

    /** The row with a remark of this weight. */
    public RowText weaker(String meant, String means, String toDo) {
      return new RowText(direction, subject, becomes, Weight.WEAKER, meant, means, toDo);
    }

    /** The row with a remark of this weight. */
    public RowText lost(String meant, String means, String toDo) {
      return new RowText(direction, subject, becomes, Weight.LOST, meant, means, toDo);
    }
  }

  /** A row of the table of fields. */
  public interface Row {

    /** The name of the constant. */
    String name();

    RowText text();

    default Weight weight() {
      return text().weight();
    }
  }

  /** The weight of the row. */
  public Weight weight() {
    return row.weight();
  }

  /** The remark on one line. */
  public String text() {
    String where = path.isEmpty() ? object : object + ": " + path;
    String toDo = remedy.isEmpty() ? "" : "; to do: " + remedy;
    return "%s: %s: before: %s; now: %s%s".formatted(weight().text(), where, before, after, toDo);
  }
}
