import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Version;

/**
 * Grows J48 trees of an ARFF file whose last column is the class, one for each line of J48's options.
 * Answers the version first, then the seconds of each buildClassifier call and the leaves. Reading is not timed.
 */
public class GrowJ48 {
  public static void main(String[] arguments) throws Exception {
    Instances table = new Instances(new BufferedReader(new FileReader(arguments[0])));
    table.setClassIndex(table.numAttributes() - 1);
    System.out.println("Weka " + Version.VERSION + " (Java " + System.getProperty("java.version") + ")");
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      J48 tree = new J48();
      tree.setOptions(line.split(" "));
      long start = System.nanoTime();
      tree.buildClassifier(table);
      System.out.println((System.nanoTime() - start) * 1e-9 + " " + (int) tree.measureNumLeaves());
    }
  }
}
