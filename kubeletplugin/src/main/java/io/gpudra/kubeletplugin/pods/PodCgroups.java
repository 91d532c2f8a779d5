package io.gpudra.kubeletplugin.pods;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the node's cgroups, of version 1 or 2 and of either cgroup driver of the kubelet. Only the
 * hierarchies with the plugin's own pod count: they are those of its kubelet.
 *
 * @param root the node's {@code /sys/fs/cgroup}
 * @param own UID of the plugin's own pod
 * @param maxDirectories the maximum number of directories that are read
 */
public record PodCgroups(Path root, String own, int maxDirectories) implements NodePods {

  private static final Logger log = LoggerFactory.getLogger(PodCgroups.class);

  /** Many times the directories of a full node, in a dozen hierarchies. */
  private static final int MAX_DIRECTORIES = 50_000;

  /** The depth of a hierarchy, the cgroup of the kubelet itself, and its {@code cgroupRoot}. */
  private static final int DEEPEST = 6;

  /** A name such as {@code kubepods}, {@code kubepods.slice} or {@code kubelet-kubepods.slice}. */
  private static final Pattern ALL_PODS = Pattern.compile("(?:.*-)?kubepods(?:\\.slice)?");

  /** A name such as {@code burstable} or {@code kubepods-burstable.slice}. */
  private static final Pattern CLASS_OF_PODS =
      Pattern.compile("(?:.*-)?(?:burstable|besteffort)(?:\\.slice)?");

  /** Such as {@code pod1-2} or {@code kubepods-pod1_2.slice}: systemd's dashes have a meaning. */
  private static final Pattern POD =
      Pattern.compile("(?:pod([0-9A-Za-z-]{1,64})|(?:.*-)?pod([0-9A-Za-z_]{1,64})\\.slice)");

  /** Cgroups for a node of any size. */
  public PodCgroups(Path root, String own) {
    this(root, own, MAX_DIRECTORIES);
  }

  @Override
  public Optional<PodSet> list() {
    try {
      Walk walk = new Walk(own, maxDirectories);
      walk.search(root, DEEPEST);
      return walk.seen();
    } catch (IOException | DirectoryIteratorException e) {
      log.warn("cannot read the pods of the node root={} reason=\"{}\"", root, e.toString());
      return Optional.empty();
    }
  }

  private static final class Walk {
    private final String own;
    private final Set<String> present = new HashSet<>();
    private final Set<String> started = new HashSet<>();
    private final int most;
    private int remaining;
    private boolean home;

    Walk(String own, int most) {
      this.own = own;
      this.most = most;
      this.remaining = most;
    }

    Optional<PodSet> seen() {
      return home
          ? Optional.of(new PodSet(ImmutableSet.copyOf(present), ImmutableSet.copyOf(started)))
          : Optional.empty();
    }

    void search(Path directory, int deeper) throws IOException {
      for (Path child : children(directory)) {
        if (ALL_PODS.matcher(name(child)).matches()) {
          add(podsBelow(child));
        } else if (deeper > 1) {
          search(child, deeper - 1);
        }
      }
    }

    private void add(List<Path> pods) throws IOException {
      if (pods.stream().noneMatch(pod -> uid(pod).equals(Optional.of(own)))) {
        return;
      }
      home = true;
      for (Path pod : pods) {
        String uid = uid(pod).orElseThrow();
        if (!uid.equals(own)) {
          present.add(uid);
          if (!children(pod).isEmpty()) {
            started.add(uid);
          }
        }
      }
    }

    private List<Path> podsBelow(Path all) throws IOException {
      List<Path> pods = new ArrayList<>();
      for (Path child : children(all)) {
        if (uid(child).isPresent()) {
          pods.add(child);
        } else if (CLASS_OF_PODS.matcher(name(child)).matches()) {
          children(child).stream().filter(pod -> uid(pod).isPresent()).forEach(pods::add);
        }
      }
      return pods;
    }

    /** The directories below; a directory that is removed meanwhile has none. */
    private List<Path> children(Path directory) throws IOException {
      List<Path> found = new ArrayList<>();
      try (DirectoryStream<Path> entries =
          Files.newDirectoryStream(
              directory, entry -> Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))) {
        for (Path entry : entries) {
          found.add(entry);
          remaining--;
          if (remaining < 0) {
            throw new IOException("more than %d cgroups".formatted(most));
          }
        }
      } catch (NoSuchFileException | NotDirectoryException e) {
        return List.of();
      }
      return found;
    }
  }

  private static String name(Path directory) {
    return directory.getFileName().toString();
  }

  private static Optional<String> uid(Path directory) {
    Matcher pod = POD.matcher(name(directory));
    if (!pod.matches()) {
      return Optional.empty();
    }
    return Optional.ofNullable(pod.group(1))
        .or(() -> Optional.ofNullable(pod.group(2)).map(escaped -> escaped.replace('_', '-')));
  }
}
