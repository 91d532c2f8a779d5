package io.gpudra.controller.dra;

import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;

/** Port to the pods. */
public interface PodStore {

  /**
   * Reads the pod of this name and UID from the server.
   *
   * @return empty when there is none, also when another pod has its name now
   * @throws ApiUnavailableException when the server does not answer
   */
  Optional<PodFacts> read(PodRef pod) throws ApiUnavailableException;
}
