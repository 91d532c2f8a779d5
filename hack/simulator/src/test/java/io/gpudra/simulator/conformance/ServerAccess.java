package io.gpudra.simulator.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.gpudra.simulator.api.Json;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import javax.net.ssl.SSLContext;

/** Where a server is and what opens it, from the current context of a kubeconfig. */
record ServerAccess(URI url, SSLContext tls) {

  /** Understands client certificates, in the file or beside it. */
  static ServerAccess of(Path kubeconfig) throws IOException, NoSuchAlgorithmException {
    JsonNode config = new YAMLMapper().readTree(kubeconfig.toFile());
    JsonNode context = named(config, "context", Json.text(config, "current-context"));
    JsonNode cluster = named(config, "cluster", Json.text(context, "cluster"));
    JsonNode user = named(config, "user", Json.text(context, "user"));
    URI url = URI.create(Json.text(cluster, "server"));
    if (url.getScheme().equals("http")) {
      return new ServerAccess(url, SSLContext.getDefault());
    }
    Path folder = kubeconfig.toAbsolutePath().resolveSibling("");
    try (InputStream authority = pem(folder, cluster, "certificate-authority");
        InputStream certificate = pem(folder, user, "client-certificate");
        InputStream key = pem(folder, user, "client-key")) {
      SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
      builder.trustManager(authority).keyManager(certificate, key);
      return new ServerAccess(url, ((JdkSslContext) builder.build()).context());
    }
  }

  private static JsonNode named(JsonNode config, String what, String name) {
    return Json.find(config.path(what + "s"), "name", name).path(what);
  }

  private static InputStream pem(Path folder, JsonNode owner, String field) throws IOException {
    String inline = Json.text(owner, field + "-data");
    return inline.isEmpty()
        ? Files.newInputStream(folder.resolve(Json.text(owner, field)))
        : new ByteArrayInputStream(Base64.getDecoder().decode(inline));
  }
}
