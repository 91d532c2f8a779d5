package io.gpudra.scenarios.metrics;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What is known of a metric by name.
 *
 * @param type as Prometheus calls it
 * @param labels but the bounds of buckets
 */
public record Exposed(String type, SortedSet<String> labels) {
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"(?:[^\"\\\\]|\\\\.)*\"");

  /** Whatever the virtual machine tells of itself. */
  private static final String OF_THE_MACHINE = "jvm_";

  /** All metrics of a page; those of the virtual machine, which are many, as {@code jvm_*}. */
  public static Map<String, Exposed> of(String page) {
    Map<String, Exposed> all = new TreeMap<>();
    String name = "";
    for (String line : page.lines().toList()) {
      Matcher type = TYPE.matcher(line);
      if (type.matches()) {
        name = type.group(1).startsWith(OF_THE_MACHINE) ? OF_THE_MACHINE + "*" : type.group(1);
        all.putIfAbsent(name, new Exposed(type.group(2), new TreeSet<>()));
      } else if (!line.startsWith("#")) {
        all.computeIfAbsent(name, n -> new Exposed("untyped", new TreeSet<>()))
            .labels()
            .addAll(labels(line));
      }
    }
    return all;
  }

  private static SortedSet<String> labels(String line) {
    return LABEL
        .matcher(line)
        .results()
        .map(label -> label.group(1))
        .filter(label -> !label.equals("le"))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
