package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The JVM flags that Jib is told to put into an image. */
final class ImageFlags {
  private static final String HEAP = "image.heap-percentage";

  private ImageFlags() {}

  /**
   * @param parent where all images have their flags
   * @param module where this image has its share of the memory for the heap, and flags of its own
   */
  static ImmutableList<String> of(Path parent, Path module) throws IOException {
    String heap = texts(module, HEAP).get(0);
    return Stream.concat(texts(parent, "jvmFlag").stream(), texts(module, "jvmFlag").stream())
        .map(flag -> flag.replace("${" + HEAP + "}", heap))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableList<String> texts(Path file, String element) throws IOException {
    try {
      Element project =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement();
      NodeList found = project.getElementsByTagName(element);
      return IntStream.range(0, found.getLength())
          .mapToObj(i -> found.item(i).getTextContent().strip())
          .collect(ImmutableList.toImmutableList());
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(file.toString(), e);
    }
  }
}
