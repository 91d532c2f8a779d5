/**
 * Translates manifests between this driver's objects and {@code resource.k8s.io/v1}. It takes texts
 * and returns texts.
 *
 * <p>The one table of fields are the enums of {@code Row}: each row knows its texts, and most write
 * or read their part of the other API. {@code migrate} and {@code convert} have a direction each.
 *
 * <p>What must stay true: no file is opened and no cluster is asked here; what loses a meaning is
 * remarked; what is not translated stays as a comment; translating twice changes nothing.
 */
@NullMarked
package io.gpudra.controller.translate;

import org.jspecify.annotations.NullMarked;
