package io.gpudra.controller.lint.yaml;

/** A place in a text; both numbers start at 1. */
public record TextPosition(int line, int column) {}
