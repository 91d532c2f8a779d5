package io.gpudra.controller.client;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Response;

/** Counts every call as {@code api.calls.<method>.<HTTP code, or "none" without an answer>}. */
final class CallCounter implements Interceptor {
  private final MetricRegistry metrics;

  CallCounter(MetricRegistry metrics) {
    this.metrics = metrics;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    String code = "none";
    try {
      Response response = chain.proceed(chain.request());
      code = String.valueOf(response.code());
      return response;
    } finally {
      metrics.counter("api.calls." + chain.request().method() + "." + code).inc();
    }
  }
}
