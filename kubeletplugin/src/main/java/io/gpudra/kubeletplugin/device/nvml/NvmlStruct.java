package io.gpudra.kubeletplugin.device.nvml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes that a function of NVML reads or fills. */
final class NvmlStruct {

  private final NvmlStructLayout layout;
  private final byte[] bytes;
  private final ByteBuffer view;

  private NvmlStruct(NvmlStructLayout layout, byte[] bytes) {
    this.layout = layout;
    this.bytes = bytes;
    this.view = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  /** A struct that is empty but for its version, if it has one. */
  NvmlStruct(NvmlStructLayout layout) {
    this(layout, new byte[layout.size()]);
    if (layout.version() > 0) {
      view.putInt(0, layout.tag());
    }
  }

  /** One struct of an array. */
  static NvmlStruct of(NvmlStructLayout layout, byte[] array, int index) {
    int size = layout.size();
    return new NvmlStruct(layout, Arrays.copyOfRange(array, index * size, (index + 1) * size));
  }

  /** The bytes for a call. */
  byte[] bytes() {
    return bytes;
  }

  private int at(String field) {
    return requireNonNull(layout.fields().get(field), field);
  }

  /** An {@code unsigned int}, of which NVML uses no more than 31 bits. */
  int number(String field) {
    return view.getInt(at(field));
  }

  /** A byte. */
  int small(String field) {
    return Byte.toUnsignedInt(view.get(at(field)));
  }

  /** A number of a struct in this one. */
  int number(String field, NvmlStructLayout of, String inner) {
    return view.getInt(at(field) + requireNonNull(of.fields().get(inner), inner));
  }

  /** An {@code unsigned long long}. */
  long big(String field) {
    return view.getLong(at(field));
  }

  /** Characters up to the first NUL. */
  String text(String field) {
    return text(bytes, at(field));
  }

  NvmlStruct put(String field, int value) {
    view.putInt(at(field), value);
    return this;
  }

  static String text(byte[] bytes, int start) {
    int end = start;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, start, end - start, UTF_8);
  }
}
