/**
 * The API server made safe to talk to: lenient JSON, lists that stream, watches that resume, calls
 * that time out, an elector that halts. Knows nothing of DRA; each class names the defect of
 * client-java's own that it replaces (ecosystem.md 1.3).
 *
 * <p>Start at {@code Informer}: it keeps an {@code ObjectCache} equal to the server. It is
 * client-java's shared informer and reflector with a lister-watcher and a queue of ours, which cure
 * defects 1, 4 to 8, 21 to 23 and 26 to 28. Its leader elector, work queue and event recorder are
 * not used (defects 2, 3, 14 to 19).
 *
 * <p>What must stay true: one bad object never stops the others; a cache never goes back; no unary
 * call outlives its timeout; nothing that was sent is sent again silently.
 */
@NullMarked
package io.gpudra.controller.client;

import org.jspecify.annotations.NullMarked;
