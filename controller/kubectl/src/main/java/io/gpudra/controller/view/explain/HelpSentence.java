package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.view.Ages;
import io.gpudra.controller.view.explain.Waiting.Help;
import io.gpudra.controller.view.whatif.Blocker;
import io.gpudra.controller.view.whatif.Remedy;
import java.time.Instant;
import java.util.Optional;

/** What would help, in words. */
final class HelpSentence {
  private HelpSentence() {}

  static String of(Help help, Instant now) {
    if (help.remedy() instanceof Remedy.Release release) {
      return release(release, help, now);
    }
    return help.remedy() instanceof Remedy.NotWithin limit
        ? notWithin(limit.most())
        : "no release of claims lets it run";
  }

  private static String notWithin(int most) {
    return most == 0
        ? "whose release would let it run is too hard to find out"
        : "no release of %d claims or fewer lets it run; more were not tried".formatted(most);
  }

  private static String release(Remedy.Release release, Help help, Instant now) {
    ImmutableList<String> claims =
        release.blockers().stream()
            .map(blocker -> claim(blocker, help, now))
            .collect(toImmutableList());
    return "release of %s lets it run on %s%s"
        .formatted(
            listed(claims),
            release.node(),
            release.exact() ? "" : "; perhaps fewer claims would do");
  }

  private static String claim(Blocker blocker, Help help, Instant now) {
    if (blocker.draining()) {
      return blocker.ref() + ", given back and not let go of by its node yet,";
    }
    Optional<Instant> since = Optional.ofNullable(help.since().get(blocker.uid()));
    return blocker.ref() + since.map(at -> ", held " + Ages.between(at, now) + ",").orElse("");
  }

  private static String listed(ImmutableList<String> parts) {
    int last = parts.size() - 1;
    return last <= 0
        ? String.join("", parts)
        : String.join(" ", parts.subList(0, last)) + " and " + parts.get(last);
  }
}
