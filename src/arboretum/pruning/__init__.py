"""Pruning: a tree becomes a smaller one. One file per pruner; `strategies` has their options."""
