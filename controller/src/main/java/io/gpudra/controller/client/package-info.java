/**
 * client-java made safe: lenient JSON, lists that stream, watches that resume, calls that time out,
 * an elector that halts. Knows nothing of DRA; each class names the defect of the stock one it
 * replaces (ecosystem.md 1.3).
 */
@NullMarked
package io.gpudra.controller.client;

import org.jspecify.annotations.NullMarked;
