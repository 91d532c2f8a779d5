package io.gpudra.controller.loop;

import java.time.Duration;

/** A key that is being worked on, and for how long already. */
public record Running(ObjectKey key, Duration time) {}
