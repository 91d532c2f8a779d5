package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.controller.view.whatif.BlockingClaim;
import io.gpudra.controller.view.whatif.ReleaseRemedy;
import java.time.Instant;
import java.util.Optional;

/** The text about which releases would help. */
final class RemedyText {
  private RemedyText() {}

  static String of(Help help, Instant now) {
    if (help.remedy() instanceof ReleaseRemedy.Release release) {
      return release(release, help, now);
    }
    return help.remedy() instanceof ReleaseRemedy.NotWithin limit
        ? limit.text()
        : "releasing claims would not help";
  }

  private static String release(ReleaseRemedy.Release release, Help help, Instant now) {
    ImmutableList<String> claims =
        release.blockers().stream()
            .map(blockingClaim -> claim(blockingClaim, help, now))
            .collect(toImmutableList());
    return "it can run on %s after the release of %s%s"
        .formatted(
            release.node(), listed(claims), release.exact() ? "" : "; fewer claims may be enough");
  }

  private static String claim(BlockingClaim blockingClaim, Help help, Instant now) {
    if (blockingClaim.draining()) {
      return blockingClaim.ref() + " (waiting for its node to unprepare it)";
    }
    Optional<Instant> since = Optional.ofNullable(help.since().get(blockingClaim.uid()));
    return blockingClaim.ref()
        + since.map(at -> " (held for " + AgeText.between(at, now) + ")").orElse("");
  }

  private static String listed(ImmutableList<String> parts) {
    int last = parts.size() - 1;
    return last <= 0
        ? String.join("", parts)
        : String.join(" ", parts.subList(0, last)) + " and " + parts.get(last);
  }
}
