# Grows rpart trees of a CSV whose column `target` holds the class, one for each line "minsplit minbucket" or
# "minsplit minbucket xval cp maxcompete"; without the last three, 0 0 0: no cross-validation, all splits.
# Answers the version first, then the seconds of each rpart() call and the leaves: those of the tree as grown or,
# with cross-validation, of the smallest tree within one standard error of the best. Reading, and cutting the tree
# down to that size, are not timed.
if (!requireNamespace("rpart", quietly = TRUE)) {
  cat("not installed\n")
  quit()
}
table <- read.csv(commandArgs(trailingOnly = TRUE)[1])
table$target <- factor(table$target)
cat(sprintf("rpart %s (R %s)\n", packageVersion("rpart"), getRversion()))
count_leaves <- function(tree, xval) {
  if (xval == 0) return(sum(tree$frame$var == "<leaf>"))
  sizes <- tree$cptable
  best <- which.min(sizes[, "xerror"])
  good <- which(sizes[, "xerror"] <= sizes[best, "xerror"] + sizes[best, "xstd"])[1]
  sizes[good, "nsplit"] + 1
}
orders <- file("stdin", "r")
while (length(line <- readLines(orders, n = 1)) > 0) {
  order <- as.numeric(strsplit(line, " ")[[1]])
  if (length(order) == 2) order <- c(order, 0, 0, 0)
  set.seed(1)
  seconds <- system.time(
    tree <- rpart::rpart(
      target ~ ., table, method = "class", xval = order[3], cp = order[4], maxsurrogate = 5,
      maxcompete = order[5], minsplit = order[1], minbucket = order[2], maxdepth = 30
    )
  )[["elapsed"]]
  cat(seconds, count_leaves(tree, order[3]), "\n")
  flush(stdout())
}
