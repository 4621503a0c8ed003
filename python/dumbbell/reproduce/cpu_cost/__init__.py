"""What a gigabyte costs two real hosts: `dumbbell reproduce jumbo-frames --on kernel`."""
