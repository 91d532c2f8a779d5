package io.gpudra.controller.allocation.search;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** The chosen devices as they are granted: by claim, in the order of the node's devices. */
public final class Devices {
  private final ListMultimap<ClaimUid, GrantedDevice> all = ArrayListMultimap.create();

  private Devices() {}

  public static ImmutableListMultimap<ClaimUid, GrantedDevice> of(ImmutableList<State> gpus) {
    Devices devices = new Devices();
    gpus.forEach(devices::add);
    return ImmutableListMultimap.copyOf(devices.all);
  }

  /**
   * A whole GPU.
   *
   * @param position among the claim's devices, from 0
   */
  public static GrantedDevice whole(Gpu gpu, Wish wish, int position) {
    return new GrantedDevice(
        gpu.name(),
        new GrantedPart(
            gpu.uuid(),
            new Part.Whole(),
            wish.sharing(position, gpu.uuid()),
            /* overcommitPercent= */ 100,
            /* existing= */ false,
            Optional.empty(),
            wish.name()),
        /* parent= */ false);
  }

  private void add(State state) {
    Gpu gpu = state.site().gpu();
    state.picks().forEach(pick -> add(gpu, pick));
    ImmutableList<Pick.Made> made = state.toMake();
    IntStream.range(0, made.size())
        .boxed()
        .sorted(Comparator.comparing(i -> state.places().get(i).start()))
        .forEach(i -> add(gpu, made.get(i), state.places().get(i)));
  }

  private void add(Gpu gpu, Pick pick) {
    if (pick instanceof Pick.Whole) {
      add(gpu, pick.by(), new Part.Whole(), /* existing= */ false);
    } else if (pick instanceof Pick.Share share) {
      add(gpu, pick.by(), share.holding().part().part(), /* existing= */ false);
    } else if (pick instanceof Pick.Existing existing) {
      add(gpu, pick.by(), existing.device().slice(), /* existing= */ true);
    } else if (pick instanceof Pick.Inside inside) {
      add(gpu, pick.by(), inside.slice(), /* existing= */ false);
    }
  }

  private void add(Gpu gpu, Pick.Made made, Slice place) {
    OptionalInt compute = made.by().instance();
    Optional<Instance> first =
        compute.isPresent() ? Optional.of(new Instance(0, compute.getAsInt())) : Optional.empty();
    add(gpu, made.by(), place.with(first), /* existing= */ false);
    for (Pick.Carved carved : made.carved()) {
      add(gpu, carved.by(), place.with(Optional.of(carved.instance())), /* existing= */ false);
    }
  }

  private void add(Gpu gpu, Demand by, Part part, boolean existing) {
    int position = all.get(by.request().uid()).size();
    GrantedPart granted =
        new GrantedPart(
            gpu.uuid(),
            part,
            by.wish().sharing(position, gpu.uuid()),
            by.wish().shape() instanceof Shape.Share share ? share.overcommitPercent() : 100,
            existing,
            by.request().inside().map(Parent::uid),
            by.wish().name());
    String name = part instanceof Slice slice ? slice.nameOn(gpu.name()) : gpu.name();
    // A GPU without MIG mode is not divided, unlike other devices of the claim.
    boolean divided = part instanceof Slice || gpu.mig().mode() == MigMode.ENABLED;
    all.put(by.request().uid(), new GrantedDevice(name, granted, divided && by.claim().parent()));
  }
}
