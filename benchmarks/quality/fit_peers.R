# Fits one peer on every split of a table, and writes what it says about the held-out rows.
# Arguments: the name of the peer, and a folder with rows.csv (the target last, classes as numbers from 0),
# columns.csv (name, kind) and held_out.csv (a column per split, 1 for rows held out).
# Writes said_<split>.csv (a column per class, in order, or one of numbers) and tree_<split>.csv (leaves, seconds).

# ctree tries all subsets of levels, and so does rpart with more than two classes: 2^(levels - 1) of them.
most_levels <- 16

arguments <- commandArgs(trailingOnly = TRUE)
peer <- arguments[1]
folder <- arguments[2]
columns <- read.csv(file.path(folder, "columns.csv"))
nominal <- columns$kind == "nominal"
rows <- read.csv(file.path(folder, "rows.csv"), colClasses = ifelse(nominal, "character", "numeric"), na.strings = "")
held_out <- read.csv(file.path(folder, "held_out.csv"))
of_classes <- nominal[length(nominal)]
classes <- if (of_classes) as.character(seq_along(unique(rows$target)) - 1)
asked <- setdiff(columns$name, "target")
try_all_subsets <- peer == "ctree" || (startsWith(peer, "rpart") && length(classes) > 2)

# The most common levels of the training rows stay, the others become one.
join_rare <- function(values, train) {
  counts <- sort(table(values[train]), decreasing = TRUE)
  if (!try_all_subsets || length(counts) <= most_levels) return(values)
  common <- names(counts)[seq_len(most_levels - 1)]
  ifelse(is.na(values) | values %in% common, values, "(other)")
}

# A level without training rows is missing: R's trees refuse it or draw lots.
as_levels <- function(values, train) {
  values <- join_rare(values, train)
  factor(values, levels = sort(unique(values[train])))
}

make_table <- function(train) {
  made <- lapply(asked, function(name) {
    if (nominal[columns$name == name]) as_levels(rows[[name]], train) else rows[[name]]
  })
  names(made) <- asked
  # A column without two values among the training rows tells nothing, and stops some.
  made <- made[vapply(made, function(values) length(unique(na.omit(values[train]))) > 1, NA)]
  made$target <- if (of_classes) factor(rows$target, levels = classes) else rows$target
  as.data.frame(made)
}

grow_rpart <- function(train, ...) {
  rpart::rpart(target ~ ., train, method = if (of_classes) "class" else "anova", ...)
}

# The smallest tree within one standard error of the best, as its authors advise.
prune_rpart <- function(tree) {
  sizes <- tree$cptable
  if (nrow(sizes) == 1) return(tree)
  best <- which.min(sizes[, "xerror"])
  good <- which(sizes[, "xerror"] <= sizes[best, "xerror"] + sizes[best, "xstd"])[1]
  rpart::prune(tree, cp = sizes[good, "CP"])
}

# Loaded here, so that the first fit is not charged for it.
package <- switch(peer, "rpart" = , "rpart, 1-SE" = "rpart", "ctree" = "partykit", "C5.0" = "C50")
invisible(loadNamespace(package))

fit <- switch(peer,
  "rpart" = function(train) grow_rpart(train),
  "rpart, 1-SE" = function(train) prune_rpart(grow_rpart(train, cp = 0)),
  "ctree" = function(train) partykit::ctree(target ~ ., train),
  "C5.0" = function(train) C50::C5.0(target ~ ., train)
)

count_leaves <- function(tree) {
  if (inherits(tree, "rpart")) sum(tree$frame$var == "<leaf>")
  else if (inherits(tree, "C5.0")) max(1, tree$size)
  else partykit::width(tree)
}

answer <- function(tree, test) {
  if (!of_classes) return(data.frame(said = as.numeric(predict(tree, test))))
  said <- predict(tree, test, type = "prob")
  as.data.frame(said)[, classes, drop = FALSE]
}

for (split in names(held_out)) {
  set.seed(1)
  test <- held_out[[split]] == 1
  made <- make_table(!test)
  used <- system.time(tree <- fit(made[!test, , drop = FALSE]))
  said <- answer(tree, made[test, , drop = FALSE])
  write.csv(said, file.path(folder, paste0("said_", split, ".csv")), row.names = FALSE)
  size <- data.frame(leaves = count_leaves(tree), seconds = used[["user.self"]] + used[["sys.self"]])
  write.csv(size, file.path(folder, paste0("tree_", split, ".csv")), row.names = FALSE)
}
