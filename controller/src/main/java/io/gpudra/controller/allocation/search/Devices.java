package io.gpudra.controller.allocation.search;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ListMultimap;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/** What was chosen, as it is granted: by claim, in the order of the node's devices. */
final class Devices {
  private final ListMultimap<ClaimUid, GrantedDevice> all = ArrayListMultimap.create();

  private Devices() {}

  static ImmutableListMultimap<ClaimUid, GrantedDevice> of(ImmutableList<State> gpus) {
    Devices devices = new Devices();
    gpus.forEach(devices::add);
    return ImmutableListMultimap.copyOf(devices.all);
  }

  /**
   * A whole GPU.
   *
   * @param position among the claim's devices, from 0
   */
  static GrantedDevice whole(Gpu gpu, Wish wish, int position) {
    return new GrantedDevice(
        gpu.name(), part(gpu.uuid(), new Part.Whole(), wish, position), /* parent= */ false);
  }

  private static GrantedPart part(String uuid, Part part, Wish wish, int position) {
    return new GrantedPart(
        uuid,
        part,
        wish.sharing(position, uuid),
        wish.shape() instanceof Shape.Share share ? share.overcommitPercent() : 100,
        /* existing= */ false,
        Optional.empty(),
        wish.name());
  }

  private void add(State state) {
    state.picks().stream().filter(pick -> !(pick instanceof Pick.Made)).forEach(p -> add(state, p));
    ImmutableList<Pick.Made> made = state.toMake();
    IntStream.range(0, made.size())
        .boxed()
        .sorted(Comparator.comparing(i -> state.places().get(i).start()))
        .forEach(i -> add(state, made.get(i).by(), state.places().get(i), /* existing= */ false));
  }

  private void add(State state, Pick pick) {
    Demand by = pick.by();
    if (pick instanceof Pick.Existing existing) {
      add(state, by, existing.device().slice(), /* existing= */ true);
    } else if (pick instanceof Pick.Share share) {
      Gpu gpu = state.site().gpu();
      Part part = share.holding().part().part();
      add(by, new GrantedDevice(gpu.name(), part(gpu.uuid(), part, by.wish(), next(by)), false));
    } else {
      add(by, whole(state.site().gpu(), by.wish(), next(by)));
    }
  }

  private void add(State state, Demand by, Slice slice, boolean existing) {
    Optional<Part.Instance> instance =
        ((Shape.Mig) by.wish().shape()).profile().flatMap(MigName::instance);
    Slice granted =
        new Slice(slice.profile(), slice.start(), slice.size(), slice.compute(), instance);
    GrantedPart bare = part(state.site().gpu().uuid(), granted, by.wish(), next(by));
    GrantedPart part =
        new GrantedPart(
            bare.gpuUuid(),
            bare.part(),
            bare.sharing(),
            bare.overcommitPercent(),
            existing,
            bare.inside(),
            bare.request());
    add(by, new GrantedDevice(granted.nameOn(state.site().gpu().name()), part, false));
  }

  private int next(Demand by) {
    return all.get(by.request().uid()).size();
  }

  private void add(Demand by, GrantedDevice device) {
    all.put(by.request().uid(), device);
  }
}
