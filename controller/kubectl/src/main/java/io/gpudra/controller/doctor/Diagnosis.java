package io.gpudra.controller.doctor;

/**
 * One problem.
 *
 * @param subject the object, such as {@code node worker-1}
 * @param message a sentence for people
 * @param remedy the action to take, as a command where there is one
 */
public record Diagnosis(ProblemKind problemKind, String subject, String message, String remedy) {}
