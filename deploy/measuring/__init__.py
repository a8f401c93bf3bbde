"""Measuring a site: gather, probe, judge. Changes nothing."""
