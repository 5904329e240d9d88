"""Compute with byte ranges over time, independently of dumps."""
