package io.gpudra.controller.client;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.gpudra.process.BucketTimer;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/**
 * Times unary calls, including failed ones, as {@code api.time.<method>}, until the answer begins.
 * Streams are not timed.
 */
final class CallTimer implements Interceptor {
  private final MetricRegistry metrics;

  CallTimer(MetricRegistry metrics) {
    this.metrics = metrics;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    String name = "api.time." + chain.request().method();
    Timer.Context timing = metrics.timer(name, BucketTimer::ofWork).time();
    try {
      return chain.proceed(chain.request());
    } finally {
      timing.stop();
    }
  }
}
