"""A tree as an ONNX graph."""
