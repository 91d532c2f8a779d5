package io.gpudra.controller.dra;

/** A claim that this driver could allocate now, with everything the decision needs. */
public record PendingClaim<P>(ClaimFacts claim, ClassFacts resourceClass, P parameters) {}
