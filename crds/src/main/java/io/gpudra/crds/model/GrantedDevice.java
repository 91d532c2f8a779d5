package io.gpudra.crds.model;

/** One whole GPU of a grant. */
public record GrantedDevice(String name, String uuid) {}
