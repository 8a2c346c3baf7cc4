"""Measures: what predictions cost. One table of names serves pruning, experiments and permutation importance.

misclassification   1 for a wrong class, 0 for the right one
log_loss            -ln of the probability of the true class; infinite where that is 0
brier               Σ (truth - probability)² over the classes
balanced_accuracy   1 less the mean over the classes of the share of their rows that are right
auc                 1 less the area under the ROC curve; the mean over the classes if they are more than two
average_precision   1 less the average precision of the second class; the mean if they are more than two
a matrix            loss[true, predicted], in the sorted order of the classes
squared_error, absolute_error   of the difference between the predicted and the true number
a function          f(truth, prediction) or f(truth, prediction, weights): one number, or one for each row

All are losses: the lower, the better. Most are means over rows. The areas and balanced accuracy are not, so
each of their rows costs what the measure is, plus by how much it changes if a little weight is added to the
row. The mean of these is the measure, and their spread gives its standard error (Jaeckel's infinitesimal
jackknife; for AUC that is the method of DeLong and others 1988).
"""
