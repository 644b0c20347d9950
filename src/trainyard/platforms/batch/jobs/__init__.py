"""Jobs on a cluster of AWS Batch: submitted, followed and ended; and the images that they run."""
