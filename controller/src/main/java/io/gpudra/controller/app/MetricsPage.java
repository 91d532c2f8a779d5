package io.gpudra.controller.app;

/** What Prometheus reads. */
record MetricsPage(String contentType, String text) {}
