package io.gpudra.kubeletplugin.prepare.call;

import com.google.common.collect.ImmutableList;

/** The result of a prepare call. */
public sealed interface PrepareOutcome {

  /** The claim is prepared; a container gets its devices through these CDI names. */
  record Ready(ImmutableList<String> cdiDevices) implements PrepareOutcome {}

  /** The claim holds no more than before the call. */
  record Refused(PrepareRefusal refusal) implements PrepareOutcome {}
}
