"""The benchmark suite behind `make bench`: our paths beside their floor, in the same run."""
