from tests.rules.documents.found import launching, paths, template

RULE = "cloudformation-imds-version-1"
DATA = "Resources.A.Properties.LaunchTemplateData"


def test_no_options_and_optional_tokens_are_remarked():
    assert paths(RULE, template(launching("{InstanceType: g5.xlarge}"))) == [DATA]
    tokens = template(launching("{MetadataOptions: {HttpTokens: optional}}"))
    assert paths(RULE, tokens) == [f"{DATA}.MetadataOptions.HttpTokens"]


def test_required_tokens_and_what_a_function_makes_are_fine():
    assert paths(RULE, template(launching("{MetadataOptions: {HttpTokens: required}}"))) == []
    assert paths(RULE, template(launching("{MetadataOptions: !Ref Options}"))) == []
