"""AWS Batch as it is for multi-node parallel jobs, none of which moto keeps: one kind of thing a file.

``apis/batch.py`` answers the calls; what they carry is held against the API's own model first.
https://docs.aws.amazon.com/batch/latest/APIReference/Welcome.html
"""
