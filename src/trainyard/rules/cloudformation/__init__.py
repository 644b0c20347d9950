"""What rules about CloudFormation templates ask of them. Anything may stand anywhere; what misfits is passed over."""
