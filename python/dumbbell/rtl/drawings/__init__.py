"""Drawings of the RTL: waveform, pipeline, random draw, drop curve."""
