package io.gpudra.controller.allocation.refusal;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.Reason;
import java.util.Locale;
import java.util.Optional;

/** The reasons of this package, distinguished by their cause; the text is built on request. */
public interface NodeRefusal extends Reason {

  /** Greater than any lack of devices: no release makes the node usable. */
  int OUT_OF_SERVICE = 1_000;

  /** The cause, one of a fixed set. */
  UnsuitableReason cause();

  /** The same reason of a node that looks alike, for texts that describe the node. */
  default NodeRefusal on(NodeLedger ledger) {
    return this;
  }

  @Override
  default String label() {
    return cause().label();
  }

  @Override
  default String phrase() {
    return cause().phrase();
  }

  @Override
  default boolean lasting() {
    return cause().lasting();
  }

  @Override
  default Optional<String> warning() {
    return switch (cause()) {
      case NOT_CONNECTED, NEVER_CONNECTED -> Optional.of("TopologyUnsatisfied");
      default -> Optional.empty();
    };
  }

  /**
   * A reason with a short text.
   *
   * @param template a format for {@code words}, which are formatted only when they are read; a
   *     claim is named only to readers of its own namespace
   */
  record Stated(UnsuitableReason cause, String template, ImmutableList<Object> words)
      implements NodeRefusal {

    @Override
    public String text(NamespaceAudience reader) {
      Object[] shown = words.stream().map(word -> shown(word, reader)).toArray();
      return String.format(Locale.ROOT, template, shown);
    }

    private static Object shown(Object word, NamespaceAudience reader) {
      if (word instanceof ClaimRef claim) {
        return reader.told(claim);
      }
      return word instanceof Iterable<?> several ? Joiner.on(", ").join(several) : word;
    }

    @Override
    public int shortfall() {
      return switch (cause) {
        case STILL_PREPARED, HELD, ON_OFFER, TOO_MANY_COMBINATIONS -> 1;
        default -> OUT_OF_SERVICE;
      };
    }
  }

  /** Another claim has the same joined namespace and name, by which the kubelet knows claims. */
  record NameHeld(ClaimRef other, String node) implements NodeRefusal {

    @Override
    public UnsuitableReason cause() {
      return UnsuitableReason.NAME_HELD;
    }

    @Override
    public String text(NamespaceAudience reader) {
      return reader.sees(other)
          ? "another claim known as %s is allocated on %s (kubelet knows claims by name)"
              .formatted(other, node)
          : "%s is allocated on %s under the same name (kubelet joins name and namespace)"
              .formatted(reader.told(other), node);
    }

    @Override
    public int shortfall() {
      return 1;
    }
  }

  /**
   * Enough devices for each claim of a pod, but not for all of them.
   *
   * @param all claims of the pod
   */
  record NotTogether(ClaimRef claim, ImmutableList<ClaimRef> all) implements NodeRefusal {

    @Override
    public UnsuitableReason cause() {
      return UnsuitableReason.NOT_TOGETHER;
    }

    @Override
    public String text(NamespaceAudience reader) {
      return "fits alone, but not together with %s of the same pod"
          .formatted(reader.told(others()));
    }

    private ImmutableSet<ClaimRef> others() {
      return all.stream()
          .filter(other -> !other.equals(claim))
          .collect(ImmutableSet.toImmutableSet());
    }

    @Override
    public int shortfall() {
      return 1;
    }
  }

  /** A reason with a short text, see {@link Stated}. */
  static NodeRefusal stated(UnsuitableReason cause, String template, Object... words) {
    return new Stated(cause, template, ImmutableList.copyOf(words));
  }

  /** The claim has devices of a node already. */
  static NodeRefusal held(String node) {
    return stated(UnsuitableReason.HELD, "claim already holds GPUs of %s", node);
  }

  /** The evaluation of the node failed. */
  static NodeRefusal notJudged(String why) {
    return stated(UnsuitableReason.NOT_JUDGED, "node cannot be evaluated: %s", why);
  }

  /** Claims that wait longer come first. */
  static NodeRefusal onOffer() {
    return stated(
        UnsuitableReason.ON_OFFER, "its free GPUs are offered to claims that wait longer");
  }
}
