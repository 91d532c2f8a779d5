package io.gpudra.bench.figure;

import com.google.common.collect.ImmutableList;
import java.io.IOException;

/** Something that can be measured. */
public interface Benchmark {

  /** How it is asked for. */
  String name();

  /** Measures it. */
  ImmutableList<Figure> measure() throws IOException, InterruptedException;
}
