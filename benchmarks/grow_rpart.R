# Grows rpart trees of a CSV whose column `target` holds the class, one for each line "minsplit minbucket".
# Answers the version first, then the seconds of each rpart() call and the leaves. Reading is not timed.
if (!requireNamespace("rpart", quietly = TRUE)) {
  cat("not installed\n")
  quit()
}
table <- read.csv(commandArgs(trailingOnly = TRUE)[1])
table$target <- factor(table$target)
cat(sprintf("rpart %s (R %s)\n", packageVersion("rpart"), getRversion()))
orders <- file("stdin", "r")
while (length(line <- readLines(orders, n = 1)) > 0) {
  limits <- as.integer(strsplit(line, " ")[[1]])
  seconds <- system.time(
    tree <- rpart::rpart(
      target ~ ., table, method = "class", xval = 0, cp = 0, maxsurrogate = 5, maxcompete = 0,
      minsplit = limits[1], minbucket = limits[2], maxdepth = 30
    )
  )[["elapsed"]]
  cat(seconds, sum(tree$frame$var == "<leaf>"), "\n")
  flush(stdout())
}
