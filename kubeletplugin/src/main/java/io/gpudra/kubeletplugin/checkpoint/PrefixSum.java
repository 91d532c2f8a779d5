package io.gpudra.kubeletplugin.checkpoint;

import com.fasterxml.jackson.core.io.SerializedString;
import com.google.common.collect.ImmutableList;
import com.google.common.hash.HashCode;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The SHA-256 of parts in their order. The parts at the beginning that are as in the last call are
 * not summed again: the JVM of the plugin has no fast SHA-256 (measured with {@code hack/bench/run
 * --only nvidia-library}). Not thread-safe.
 */
final class PrefixSum {

  private ImmutableList<SerializedString> last = ImmutableList.of();

  /** The parts at the beginning of {@link #last} that {@link #prefix} has summed. */
  private int summed;

  private MessageDigest prefix = sha256();

  /** The sum of all parts. */
  HashCode of(ImmutableList<SerializedString> parts) {
    int common = common(parts);
    if (common < summed) {
      prefix = sha256();
      summed = 0;
    }
    parts.subList(summed, common).forEach(part -> prefix.update(part.asUnquotedUTF8()));
    summed = common;
    last = parts;
    MessageDigest whole = copy(prefix);
    parts.subList(common, parts.size()).forEach(part -> whole.update(part.asUnquotedUTF8()));
    return HashCode.fromBytes(whole.digest());
  }

  private int common(List<SerializedString> parts) {
    int common = 0;
    while (common < Math.min(last.size(), parts.size())
        && last.get(common).equals(parts.get(common))) {
      common++;
    }
    return common;
  }

  private static MessageDigest copy(MessageDigest digest) {
    try {
      return (MessageDigest) digest.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the JDK's own SHA-256 can be cloned", e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
