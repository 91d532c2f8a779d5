package io.gpudra.controller.loop;

import java.time.Duration;

/** A running key, and its duration so far. */
public record KeyInProgress(ObjectKey key, Duration time) {}
