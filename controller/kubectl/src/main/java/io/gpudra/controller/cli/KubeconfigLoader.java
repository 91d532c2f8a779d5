package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;
import static java.util.function.Predicate.not;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.kubernetes.client.util.KubeConfig;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** Finds and merges kubeconfig files as kubectl does; client-java only reads one file. */
final class KubeconfigLoader {
  private static final ImmutableSet<String> LISTS =
      ImmutableSet.of("clusters", "contexts", "users");
  private static final ImmutableSet<String> PATHS =
      ImmutableSet.of("certificate-authority", "client-certificate", "client-key", "tokenFile");

  private KubeconfigLoader() {}

  /**
   * The existing files to read: the file of the option, those of {@code KUBECONFIG}, or the one in
   * the home directory.
   */
  static ImmutableList<Path> files(Optional<Path> named, ImmutableMap<String, String> environment) {
    if (named.isPresent()) {
      return ImmutableList.of(named.get());
    }
    String several = environment.getOrDefault("KUBECONFIG", "");
    Iterable<String> names =
        several.isEmpty()
            ? ImmutableList.of(environment.getOrDefault("HOME", "") + "/.kube/config")
            : Splitter.on(File.pathSeparatorChar).omitEmptyStrings().split(several);
    return StreamSupport.stream(names.spliterator(), false)
        .map(Path::of)
        .filter(Files::exists)
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Merges the files; the first entry of a name and the first current context win.
   *
   * @param context if empty, the current context
   * @throws IOException when a file cannot be read, or there is no such context
   */
  static KubeConfig load(ImmutableList<Path> files, Optional<String> context) throws IOException {
    Map<String, List<Object>> merged = new LinkedHashMap<>();
    LISTS.forEach(list -> merged.put(list, new ArrayList<>()));
    Optional<String> current = context;
    for (Path file : files) {
      Map<?, ?> content = read(file);
      LISTS.forEach(list -> add(of(merged, list), content.get(list), file));
      Object its = content.get("current-context");
      current =
          current.or(
              () -> Optional.ofNullable(its).map(Object::toString).filter(not(String::isEmpty)));
    }
    KubeConfig config =
        new KubeConfig(
            new ArrayList<>(of(merged, "contexts")),
            new ArrayList<>(of(merged, "clusters")),
            new ArrayList<>(of(merged, "users")));
    String wanted = current.orElse("");
    if (!config.setContext(wanted)) {
      throw new IOException(
          "no context \"%s\" in %s; there are: %s".formatted(wanted, files, names(merged)));
    }
    config.setFile(files.get(0).toAbsolutePath().toFile());
    return config;
  }

  private static List<String> names(Map<String, List<Object>> merged) {
    return of(merged, "contexts").stream().map(KubeconfigLoader::name).toList();
  }

  private static List<Object> of(Map<String, List<Object>> merged, String list) {
    return requireNonNull(merged.get(list));
  }

  private static Map<?, ?> read(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(reader);
      if (content instanceof Map<?, ?> map) {
        return map;
      }
      throw new IOException(file + " is no kubeconfig");
    } catch (YAMLException e) {
      throw new IOException(file + " is no kubeconfig", e);
    }
  }

  private static void add(List<Object> all, @Nullable Object more, Path file) {
    if (!(more instanceof List<?> entries)) {
      return;
    }
    for (Object entry : entries) {
      if (all.stream().noneMatch(known -> name(known).equals(name(entry)))) {
        all.add(absolute(entry, file));
      }
    }
  }

  private static String name(Object entry) {
    return entry instanceof Map<?, ?> map ? String.valueOf(map.get("name")) : "";
  }

  /** Makes paths absolute, since they are relative to their own file. */
  private static Object absolute(Object value, Path file) {
    if (!(value instanceof Map<?, ?> map)) {
      return value;
    }
    Map<Object, Object> changed = new LinkedHashMap<>();
    map.forEach(
        (key, its) ->
            changed.put(
                key,
                PATHS.contains(String.valueOf(key)) && its instanceof String path
                    ? file.toAbsolutePath().resolveSibling(path).toString()
                    : absolute(its, file)));
    return changed;
  }
}
