package io.gpudra.controller.lint.text;

/** Where something stands in a text; both count from 1. */
public record Place(int line, int column) {}
