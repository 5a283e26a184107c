// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses a bit of everything; prints the same each time. argv[0]: the amount.
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

public class Work {
  interface Shape { double area(); }
  record Square(double side) implements Shape { public double area() { return side * side; } }

  static class Loader extends ClassLoader {
    Class<?> again(String name) throws Exception {
      try (var in = Work.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] code = in.readAllBytes();
        return defineClass(name, code, 0, code.length);
      }
    }
  }

  public static class Plugin { public String toString() { return "plugged in"; } }

  static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
  static int endless(int n) { return endless(n + 1) + 1; }

  public static void main(String[] arguments) throws Exception {
    int rounds = Integer.parseInt(arguments[0]);
    var pool = Executors.newFixedThreadPool(4);
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 1; i <= 8; ++i) {
      int n = i;
      tasks.add(() -> LongStream.range(0, rounds * 1000L).map(x -> x * n % 7919).sum());
    }
    for (var result : pool.invokeAll(tasks)) System.out.println(result.get());
    pool.shutdown();
    int caught = 0;
    for (int i = 0; i < rounds * 10; ++i) {
      try {
        Object none = i % 2 == 0 ? null : "text";
        caught += none.hashCode() == 0 ? 0 : 1;
      } catch (NullPointerException error) {
        caught += 2;
      }
    }
    System.out.println(caught + " " + deep(2000));
    try {
      endless(0);
    } catch (StackOverflowError error) {
      System.out.println("stack overflow caught");
    }
    var other = new Loader().again("Work$Plugin");
    System.out.println(other.getDeclaredConstructor().newInstance() + " " + (other != Plugin.class));
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) { out.write(new byte[100000]); }
    var sum = new CRC32();
    sum.update("text".getBytes());
    System.out.println(bytes.size() + " " + sum.getValue());
    System.out.println(Pattern.compile("(\\w)(\\w*)").matcher("some words").replaceAll("$2$1"));
    List<byte[]> garbage = new ArrayList<>();
    for (int i = 0; i < rounds * 5; ++i) {
      garbage.add(new byte[100000]);
      if (garbage.size() > 50) garbage.clear();
    }
    Shape shape = new Square(3);
    System.out.println(shape + " " + shape.area());
    var file = Files.createTempFile("java", "");
    Files.writeString(file, "text");
    System.out.println(Files.readString(file));
    Files.delete(file);
    System.out.println(new String(new ProcessBuilder("echo", "from a child").start().getInputStream().readAllBytes()));
    System.out.println(IntStream.range(0, 100).parallel().map(x -> x * x).sum());
  }
}
