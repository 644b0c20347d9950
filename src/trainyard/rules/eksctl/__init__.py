"""What rules about eksctl's files ask of them. Anything may stand anywhere, and what does not fit is passed over."""
