package io.gpudra.controller.lint.text;

/** A place in a text; both numbers start at 1. */
public record TextPosition(int line, int column) {}
