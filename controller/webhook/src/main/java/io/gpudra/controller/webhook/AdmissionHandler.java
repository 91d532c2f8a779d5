package io.gpudra.controller.webhook;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.webhook.server.ReviewHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers AdmissionReviews. Each kind has its validator; other kinds are allowed. */
public final class AdmissionHandler implements ReviewHandler {
  private static final Logger log = LoggerFactory.getLogger(AdmissionHandler.class);

  /** The time for the caches to catch up; the API server waits ten times as long. */
  private static final Duration RETRY_DELAY = Duration.ofMillis(200);

  private final ImmutableMap<String, Validator> validators;
  private final ScheduledExecutorService later;
  private final Consumer<String> outcomes;

  private final DoubtfulReviews waiting = new DoubtfulReviews(Ticker.systemTicker());

  /** The lock under which one review at a time is parsed, the longest waiting first. */
  private final Lock reading = new ReentrantLock(/* fair= */ true);

  /** Validates objects of one kind. */
  interface Validator {
    AdmissionDecision decide(InetAddress client, ReviewRequest review);
  }

  /**
   * Answers by these validators.
   *
   * @param validators by {@code group/Kind}
   * @param later schedules the second evaluation after a refusal that caches may have caused
   * @param outcomes receives {@code allowed}, {@code warned}, {@code changed}, {@code refused} or
   *     {@code failed}
   */
  public AdmissionHandler(
      ImmutableMap<String, Validator> validators,
      ScheduledExecutorService later,
      Consumer<String> outcomes) {
    this.validators = validators;
    this.later = later;
    this.outcomes = outcomes;
  }

  @Override
  public void review(InetAddress client, byte[] body, Answer answer) throws IOException {
    ReviewRequest review = read(body);
    AdmissionDecision first = decide(client, review);
    boolean doubtful = first instanceof AdmissionDecision.Refused refused && refused.doubtful();
    if (!doubtful || !waits(client, body, answer)) {
      answer.accept(respond(review, first));
    }
  }

  /**
   * Whether the review waits for the second evaluation; false if there is no room. Only the body is
   * kept, since the parsed review takes more memory.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the callback sends the answer
  private boolean waits(InetAddress client, byte[] body, Answer answer) {
    boolean fits = waiting.take(client, body.length);
    if (fits) {
      later.schedule(
          () -> reviewAgain(client, body, answer), RETRY_DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }
    return fits;
  }

  private void reviewAgain(InetAddress client, byte[] body, Answer answer) {
    try {
      if (answer.isExpected()) {
        ReviewRequest review = read(body);
        answer.accept(respond(review, decide(client, review)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("it was read before", e);
    } finally {
      waiting.leave(client, body.length);
    }
  }

  private ReviewRequest read(byte[] body) throws IOException {
    reading.lock();
    try {
      return ReviewRequest.read(body);
    } finally {
      reading.unlock();
    }
  }

  /** An internal error allows the request with a warning. */
  private AdmissionDecision decide(InetAddress client, ReviewRequest review) {
    try {
      Validator validator = validators.get(review.groupKind());
      return validator == null ? AdmissionDecision.allowed() : validator.decide(client, review);
    } catch (RuntimeException e) {
      log.error("judging failed kind={} uid={}", review.groupKind(), review.uid(), e);
      outcomes.accept("failed");
      return AdmissionDecision.warned("could not be checked: " + e.getClass().getSimpleName());
    }
  }

  private byte[] respond(ReviewRequest review, AdmissionDecision decision) {
    if (decision instanceof AdmissionDecision.Refused refused) {
      outcomes.accept("refused");
      log.debug("refused kind={} why={}", review.groupKind(), refused.message());
    } else if (decision instanceof AdmissionDecision.Allowed allowed) {
      outcomes.accept(allowed.warnings().isEmpty() ? "allowed" : "warned");
    } else {
      outcomes.accept("changed");
    }
    return review.answer(decision);
  }
}
