package io.gpudra.controller.gate.group;

import com.google.common.collect.ImmutableCollection;
import io.gpudra.crds.text.ListText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The event on members of a group for which nodes are kept, from which commands learn of it.
 *
 * @param until at most, in seconds
 * @param nodes the names of the first few
 */
public record KeptNodesNotice(Instant until, String nodes) {
  /** The reason of the event. */
  public static final String REASON = "NodesKept";

  /** The message of the event when nodes are not kept any more. */
  public static final String ENDED = "nodes are kept for the group no longer";

  private static final Pattern TEXT =
      Pattern.compile("nodes are kept for the group until (\\S{20,40}): (.{1,1024})");

  /** A notice about these nodes. */
  public static KeptNodesNotice of(ImmutableCollection<String> nodes, Instant until) {
    return new KeptNodesNotice(until.truncatedTo(ChronoUnit.SECONDS), ListText.of(nodes));
  }

  /** The notice with this text; empty if it is another text. */
  public static Optional<KeptNodesNotice> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    return matcher.matches() ? parse(matcher.group(1), matcher.group(2)) : Optional.empty();
  }

  private static Optional<KeptNodesNotice> parse(String until, String nodes) {
    try {
      return Optional.of(new KeptNodesNotice(Instant.parse(until), nodes));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** The message of the event. */
  public String text() {
    return "nodes are kept for the group until %s: %s".formatted(until, nodes);
  }
}
