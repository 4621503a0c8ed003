"""The checks of `dumbbell validate`, by section."""
