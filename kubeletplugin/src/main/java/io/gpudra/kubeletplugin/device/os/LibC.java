package io.gpudra.kubeletplugin.device.os;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import org.jspecify.annotations.Nullable;

/** The functions of the C library that this package calls (man 2 and 3). */
interface LibC extends Library {

  int unshare(int flags) throws LastErrorException;

  int mount(
      @Nullable String source,
      String target,
      @Nullable String type,
      NativeLong flags,
      @Nullable String data)
      throws LastErrorException;

  int umount2(String target, int flags) throws LastErrorException;

  NativeLong getxattr(String path, String name, byte[] value, NativeLong size)
      throws LastErrorException;

  int setxattr(String path, String name, byte[] value, NativeLong size, int flags)
      throws LastErrorException;

  int mknod(String path, int mode, long device) throws LastErrorException;

  /** Loaded when it is first needed: only nodes with a driver need it. */
  final class Held {
    static final LibC C = Native.load("c", LibC.class);

    private Held() {}
  }
}
