package io.gpudra.controller.client;

import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/**
 * Keeps OkHttp from silently sending a body again when a pooled connection breaks: the server may
 * have stored the first one, and then the 409 for the second one would look like a write by another
 * client. OkHttp may still try another address before anything was sent.
 */
final class NoRetryInterceptor implements Interceptor {

  @Override
  public Response intercept(Chain chain) throws IOException {
    Request request = chain.request();
    RequestBody body = request.body();
    return chain.proceed(
        body == null
            ? request
            : request.newBuilder().method(request.method(), new OneShot(body)).build());
  }

  private static final class OneShot extends RequestBody {
    private final RequestBody body;

    OneShot(RequestBody body) {
      this.body = body;
    }

    @Override
    public MediaType contentType() {
      return body.contentType();
    }

    @Override
    public long contentLength() throws IOException {
      return body.contentLength();
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      body.writeTo(sink);
    }

    @Override
    public boolean isOneShot() {
      return true;
    }
  }
}
