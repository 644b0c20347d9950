"""The runtimes of Lambda in the catalog."""

from trainyard.catalog.lambda_runtimes import lambda_runtimes, lambda_runtimes_read


def test_every_runtime_loses_its_support_before_it_is_blocked():
    for name, runtime in lambda_runtimes().items():
        if runtime.deprecated and runtime.update_blocked:
            assert runtime.deprecated <= runtime.update_blocked, name


def test_the_runtime_that_a_remedy_names_has_support():
    runtime = lambda_runtimes()["python3.13"]
    assert runtime.deprecated is not None
    assert runtime.deprecated > lambda_runtimes_read()
