package io.gpudra.controller.gpu.cel;

import static com.google.common.math.LongMath.saturatedAdd;
import static com.google.common.math.LongMath.saturatedMultiply;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Matcher;

/**
 * The maximum size of RE2's program for a pattern, found without compiling it: RE2 unrolls counted
 * repetitions, so few characters can demand any amount of memory.
 */
final class RegexCost {

  /** The maximum of instructions of a pattern. */
  static final long MAX = 512;

  private static final int MAX_CHARACTERS = 1024;
  private static final int DEEPEST = 32;
  private static final long TOO_MUCH = Long.MAX_VALUE;

  /** A class of Unicode is one instruction with hundreds of ranges. */
  private static final long UNICODE_CLASS = 32;

  private static final long GROUP = 2;
  private static final long QUANTIFIER = 2;
  private static final long ALTERNATIVE = 2;
  private static final java.util.regex.Pattern REPEAT =
      java.util.regex.Pattern.compile("\\{(\\d{1,9})(?:(,)(\\d{1,9})?)?}");
  private static final java.util.regex.Pattern FLAGS =
      java.util.regex.Pattern.compile("\\(\\?([a-zA-Z-]*)([:)])|\\(\\?P?<\\w*>");
  private static final java.util.regex.Pattern BEYOND_ASCII =
      java.util.regex.Pattern.compile("[^\\x00-\\x7f]|\\\\[xpP0-7]");

  private final String pattern;
  private final Deque<long[]> groups = new ArrayDeque<>();
  private long total;
  private long last;
  private int at;

  private RegexCost(String pattern) {
    this.pattern = pattern;
  }

  /** An upper bound of the number of RE2's instructions for the pattern. */
  static long of(String pattern) {
    return pattern.length() > MAX_CHARACTERS ? TOO_MUCH : new RegexCost(pattern).measure();
  }

  /** Compiles a pattern; the exception's message has its problem. */
  static Pattern compile(String pattern) {
    long size = of(pattern);
    if (size > MAX) {
      throw new IllegalArgumentException(
          "a pattern of %s instructions, at most %d are allowed".formatted(shown(size), MAX));
    }
    if (folds(pattern) && BEYOND_ASCII.matcher(pattern).find()) {
      throw new IllegalArgumentException("with (?i) a pattern may hold ASCII characters only");
    }
    try {
      return Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getDescription().toLowerCase(Locale.ROOT), e);
    }
  }

  private static String shown(long size) {
    return size == TOO_MUCH ? "uncounted" : Long.toString(size);
  }

  private static boolean folds(String pattern) {
    Matcher flags = FLAGS.matcher(pattern);
    while (flags.find()) {
      if (flags.group(1) != null && flags.group(1).contains("i")) {
        return true;
      }
    }
    return false;
  }

  private long measure() {
    while (at < pattern.length()) {
      if (groups.size() > DEEPEST) {
        return TOO_MUCH;
      }
      step(pattern.charAt(at));
    }
    while (!groups.isEmpty()) {
      close();
    }
    return saturatedAdd(total, GROUP + 1);
  }

  private void step(char next) {
    switch (next) {
      case '\\' -> escape();
      case '[' -> atom(charactersOfClass());
      case '(' -> open();
      case ')' -> closeGroup();
      case '|' -> alternative();
      case '*', '+', '?' -> grow(saturatedAdd(last, QUANTIFIER), 1);
      case '{' -> repeat();
      default -> atom(1);
    }
  }

  private void atom(long size) {
    total = saturatedAdd(total, size);
    last = size;
    at++;
  }

  private void grow(long size, int characters) {
    total = saturatedAdd(total - last, size);
    last = size;
    at += characters;
  }

  private void alternative() {
    atom(ALTERNATIVE);
    last = 0;
  }

  private void open() {
    Matcher flags = FLAGS.matcher(pattern).region(at, pattern.length());
    boolean special = flags.lookingAt();
    if (special && ")".equals(flags.group(2))) {
      at = flags.end();
      return;
    }
    groups.push(new long[] {total});
    total = 0;
    last = 0;
    at = special ? flags.end() : at + 1;
  }

  private void closeGroup() {
    at++;
    if (!groups.isEmpty()) {
      close();
    }
  }

  /** An empty group has an instruction, too. */
  private void close() {
    last = saturatedAdd(Math.max(total, 1), GROUP);
    total = saturatedAdd(groups.pop()[0], last);
  }

  private void repeat() {
    Matcher counts = REPEAT.matcher(pattern).region(at, pattern.length());
    if (!counts.lookingAt()) {
      atom(1);
      return;
    }
    long least = Long.parseLong(counts.group(1));
    long most = counts.group(3) == null ? least + 1 : Long.parseLong(counts.group(3));
    grow(
        saturatedMultiply(Math.max(least, most), saturatedAdd(last, 1)),
        counts.end() - counts.start());
  }

  private void escape() {
    char what = at + 1 < pattern.length() ? pattern.charAt(at + 1) : 0;
    if (what == 'Q') {
      quoted();
    } else {
      at = closingBrace(what);
      atom(what == 'p' || what == 'P' ? UNICODE_CLASS : 1);
    }
  }

  /**
   * The position of the brace in {@code \p{Greek}} and {@code \x{1F600}}, which is no repetition.
   */
  private int closingBrace(char what) {
    boolean braced = "pPx".indexOf(what) >= 0 && pattern.startsWith("{", at + 2);
    int end = braced ? pattern.indexOf('}', at) : -1;
    return end >= 0 ? end : Math.min(at + 1, pattern.length() - 1);
  }

  private void quoted() {
    int end = pattern.indexOf("\\E", at);
    int stop = end < 0 ? pattern.length() : end;
    for (at += 2; at < stop; ) {
      atom(1);
    }
    at = end < 0 ? pattern.length() : end + 2;
  }

  /** Leaves {@code at} on the closing bracket. */
  private long charactersOfClass() {
    int start = at;
    at += pattern.startsWith("[^", at) ? 2 : 1;
    at += pattern.startsWith("]", at) ? 1 : 0;
    long size = 1;
    while (at < pattern.length() && pattern.charAt(at) != ']') {
      size += pattern.startsWith("\\p", at) || pattern.startsWith("\\P", at) ? UNICODE_CLASS : 0;
      at += charactersInClass();
    }
    return size + (at - start) / 8;
  }

  private int charactersInClass() {
    int named = pattern.startsWith("[:", at) ? pattern.indexOf(":]", at + 2) : -1;
    return named >= 0 ? named + 2 - at : pattern.charAt(at) == '\\' ? 2 : 1;
  }
}
